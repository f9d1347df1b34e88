"""The load of a run is that of its own time, not of the minute before it."""

from pathlib import Path

import msgspec
import pytest

from reported import small_run
from tierscope.record.background import Background
from tierscope.record.result import Finding, Result
from tierscope.run.load import over_the_run

BEFORE = Finding(name="load", state="1.93 tasks", verdict="bad", touches=("latency",), effect="much", remedy="top")
OTHER = Finding(name="thp", state="never", verdict="bad", touches=(), effect="", remedy="")


def watched(folder: Path, *cpus: float | None) -> Result:
    """A run on two CPUs; cpus: what others used during its first visits, None where nobody watched."""
    result = small_run(folder).result
    records = [
        msgspec.structs.replace(record, seconds=1.0, background=None if used is None else Background(cpus=used))
        for record, used in zip(result.records, (*cpus, *[None] * len(result.records)), strict=False)
    ]
    return msgspec.structs.replace(result, records=tuple(records), findings=(OTHER, BEFORE))


@pytest.mark.parametrize(
    ("cpus", "verdict"), [((0.01, 0.02, 0.03), "good"), ((0.2, 0.3, 0.4), "note"), ((1.0, 1.2, 0.9), "bad")]
)
def test_it_is_the_mean_of_what_others_used(tmp_path: Path, cpus: tuple[float, ...], verdict: str) -> None:
    other, load = over_the_run(watched(tmp_path, *cpus))
    assert other == OTHER
    mean = sum(cpus) / len(cpus)
    assert load.verdict == verdict
    assert load.state.startswith(f"other programs used {mean:.2f} CPUs of 2 during the run, at most {max(cpus):.2f} ")
    assert bool(load.remedy) == (verdict != "good")


def test_a_long_visit_weighs_more(tmp_path: Path) -> None:
    result = watched(tmp_path, 1.0, 0.0, 0.0)
    first, *rest = result.records
    longer = msgspec.structs.replace(result, records=(msgspec.structs.replace(first, seconds=8.0), *rest))
    assert "used 0.80 CPUs of 2" in over_the_run(longer)[1].state


def test_a_run_that_nobody_watched_keeps_the_load_average(tmp_path: Path) -> None:
    for cpus in ((), (None, None, 1.0, 1.0)):
        result = watched(tmp_path / str(len(cpus)), *cpus)
        assert over_the_run(result) == result.findings
