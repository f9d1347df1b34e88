"""The health check of one host: what it learns, and what it judges."""

from pathlib import Path

import msgspec
import pytest

from tierscope.errors import Exit
from tierscope.fleet.check import LEARN, Baseline, judged, slower
from tierscope.fleet.host_report import SCHEMA, HostReport, Number

LATENCY = Number(
    metric="latency.memory", unit="s", better="lower", value=1e-7, low=0.9e-7, high=1.1e-7, blocks=9, conclusive=True
)


def report(value: float, load: str = "0.1", wrong: int = 0) -> HostReport:
    return HostReport(
        schema=SCHEMA, host="here", machine="m", day="2026-11-23", at=0.0, session=0, plan="p", tierscope="0",
        origin="measured", facts={"load_1min": load, "cpus": "2"}, peak_bytes_per_s=None, wrong_answers=wrong,
        numbers=(msgspec.structs.replace(LATENCY, value=value),),
    )  # fmt: skip


def known(*values: float) -> Baseline:
    return Baseline(machine="m", plan="p", values={"latency.memory": list(values)})


def test_the_first_checks_are_learned_and_stored(tmp_path: Path) -> None:
    baseline = known()
    lines = [judged(report(1e-7), baseline, tmp_path) for _ in range(LEARN)]
    assert [status for status, _ in lines] == [Exit.GOOD] * LEARN
    stored = msgspec.json.decode((tmp_path / "baseline.json").read_bytes(), type=Baseline)
    assert stored.values == {"latency.memory": [1e-7] * LEARN}


@pytest.mark.parametrize(("value", "status"), [(1.05e-7, Exit.GOOD), (0.5e-7, Exit.GOOD), (1.2e-7, Exit.FAILED)])
def test_a_number_is_slow_beyond_ten_percent_alone(value: float, status: Exit, tmp_path: Path) -> None:
    assert judged(report(value), known(*[1e-7] * LEARN), tmp_path)[0] == status
    assert not (tmp_path / "baseline.json").exists()  # nothing is learned any more


def test_a_busy_host_is_not_judged(tmp_path: Path) -> None:
    status, line = judged(report(5e-7, load="1.5"), known(*[1e-7] * LEARN), tmp_path)
    assert (status, line) == (Exit.INCONCLUSIVE, "memory not known: the host is busy (load 1.5)")


def test_a_wrong_answer_fails_whatever_the_load(tmp_path: Path) -> None:
    assert judged(report(1e-7, load="9", wrong=2), known(), tmp_path)[0] == Exit.FAILED


def test_a_host_that_always_varied_has_wider_bounds() -> None:
    slow = msgspec.structs.replace(LATENCY, value=1.2e-7)
    assert slower(slow, [1e-7] * 5) == "latency.memory 20 % slower than this host was"
    assert slower(slow, [0.9e-7, 0.95e-7, 1e-7, 1.05e-7, 1.1e-7]) == ""
