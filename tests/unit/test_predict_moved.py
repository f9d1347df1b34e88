"""A kept staircase compared with now: what changed since it was measured, and which runs serve then."""

from pathlib import Path

import pytest

from made import FOOTPRINTS, MEMORY_S, Maker, add_latency, add_stream, made_machine
from tierscope.predict.program import here as runs_of
from tierscope.predict.program.here import runs_here
from tierscope.predict.program.moved import APART, LAST, MEMORY, NEAREST, moved
from tierscope.record.result import Run
from tierscope.simulated.measured import measured
from tierscope.stats.median import Interval
from tierscope.suites.latency.row import LatencyRow
from tierscope.suites.latency.table import Latency

MACHINE = made_machine(2)
SMALLEST = min(FOOTPRINTS)
Known = dict[str, float]
"""The factor by which a place is slower now."""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return made_run(tmp_path / "kept")


def made_run(folder: Path) -> Run:
    maker = Maker(folder)
    add_latency(maker)
    add_stream(maker, ("read",))
    return maker.save("latency", MACHINE)


def place_of(row: LatencyRow, last_bytes: int) -> str:
    if row.footprint_bytes > last_bytes:
        return MEMORY
    return NEAREST if row.footprint_bytes == SMALLEST else LAST


@pytest.mark.parametrize("place", [NEAREST, LAST, MEMORY])
@pytest.mark.parametrize("factor", [1.3, 0.7])
def test_a_place_that_is_slower_or_faster_now_has_moved(run: Run, place: str, factor: float) -> None:
    last = measured([run]).shapes[-1].size_bytes

    def again(row: LatencyRow) -> Interval:
        assert row.latency
        time = row.latency.middle * (factor if place_of(row, last) == place else 1.0)
        return Interval(time * 0.99, time, time * 1.01, 9)

    found = moved(run, again)
    assert found
    assert found.place == place
    assert found.now == pytest.approx(found.before.middle * factor)
    assert f"a load from the {place} takes" in str(found)
    assert str(found).endswith(" now")


@pytest.mark.parametrize("factors", [(APART - 0.001, 9.0), (9.0, 1.0), (1 / APART + 0.001, 0.1)])
def test_one_visit_that_is_as_the_kept_run_is_enough(run: Run, factors: tuple[float, float]) -> None:
    """Another program slows a visit; so does what the kept interval contains."""
    visits: list[int] = []

    def again(row: LatencyRow) -> Interval:
        assert row.latency
        time = row.latency.middle * factors[visits.count(row.footprint_bytes)]
        visits.append(row.footprint_bytes)
        return Interval(time, time, time, 9)

    assert moved(run, again) is None


def test_visits_that_show_nothing_decide_nothing(run: Run) -> None:
    assert moved(run, lambda _: None) is None


def test_the_memory_is_the_first_footprint_clearly_beyond_the_caches(run: Run) -> None:
    rows: list[LatencyRow] = []

    def again(row: LatencyRow) -> Interval | None:
        rows.append(row)
        return row.latency

    assert moved(run, again) is None
    assert {row.pages for row in rows} == {"thp"}
    assert rows[-1].latency
    assert rows[-1].latency.middle == pytest.approx(MEMORY_S, rel=0.1)
    assert rows[-1].footprint_bytes < max(row.footprint_bytes for row in Latency().rows(run))


def test_a_run_without_a_level_is_not_compared(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_latency(maker, (4096, 8192))

    def never(_: LatencyRow) -> None:
        raise AssertionError

    assert moved(maker.save("latency", MACHINE), never) is None


class Here:
    """Runs below `runs/` of a machine whose places are slower now by these factors."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slower: Known) -> None:
        self.made: list[str] = []
        self.told: list[str] = []
        self.again: list[int] = []
        self.slower = slower
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(runs_of, "this_machine", lambda _: MACHINE)
        monkeypatch.setattr(runs_of, "cache_folder", lambda: tmp_path / "cache")
        monkeypatch.setattr(runs_of, "_now", self.now)
        monkeypatch.setattr(runs_of, "_is_slow", lambda _: False)  # the made machine reports a larger cache

        def make(suite: str, *_: object) -> Run:
            self.made.append(suite)
            return made_run(tmp_path / f"{suite}-made")

        monkeypatch.setattr(runs_of, "_made", make)
        kept = made_run(tmp_path / "runs" / "2026-01-02-latency-1")
        made_run(tmp_path / "runs" / "2026-01-01-latency-1")
        self.last = measured([kept]).shapes[-1].size_bytes

    def now(self, row: LatencyRow) -> Interval:
        assert row.latency
        self.again.append(row.footprint_bytes)
        time = row.latency.middle * self.slower.get(place_of(row, self.last), 1.0)
        return Interval(time, time, time, 9)

    def runs(self) -> list[str]:
        return [run.path.name for run in runs_here((), self.told.append)]


def test_a_kept_run_that_is_as_now_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Here(tmp_path, monkeypatch, {})
    assert here.runs()[0] == "2026-01-02-latency-1"
    assert "latency" not in here.made
    assert len(here.again) == 3


def test_a_kept_run_of_another_memory_is_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Here(tmp_path, monkeypatch, {MEMORY: 1.4})
    assert here.runs()[0] == "latency-made"
    assert here.told[0].startswith("a load from the memory takes")
    assert len(here.again) == 8, "a place that moved is visited twice, and the others once, in each of two runs"


@pytest.mark.parametrize(("place", "kept"), [(MEMORY, True), (NEAREST, False)])
def test_a_clock_that_changed_makes_all_runs_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, *, kept: bool
) -> None:
    here = Here(tmp_path, monkeypatch, {place: 1.4})
    looked: list[str] = []

    def found(suite: str, _: str) -> None:
        looked.append(suite)

    monkeypatch.setattr(runs_of, "_found", found)
    here.runs()
    assert looked == (["tlb", "stream", "core"] if kept else [])


def test_a_point_that_is_not_measured_decides_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, str]] = []

    def made(suite: str, words: dict[str, str], path: Path) -> Run:
        asked.append({"suite": suite, **words})
        return made_run(path)

    monkeypatch.setattr(runs_of, "_measured", made)
    rows: list[LatencyRow] = []
    moved(run, rows.append)
    assert runs_of._now(rows[0]) is not None
    assert asked[0]["suite"] == "latency"
    assert asked[0]["from"] == asked[0]["to"]
