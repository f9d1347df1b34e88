"""A kept staircase compared with now: what changed since it was measured, and which runs serve then."""

from pathlib import Path

import msgspec
import pytest

from made import FOOTPRINTS, MEMORY_S, Maker, add_latency, add_stream, made_machine
from tierscope.errors import MachineError
from tierscope.predict.program import here as runs_of
from tierscope.predict.program.here import runs_here
from tierscope.predict.program.moved import LAST, MEMORY, NEAREST, moved
from tierscope.record.result import Run, load, save_result
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


@pytest.mark.parametrize("factors", [(1.029, 9.0), (9.0, 1.0), (1 / 1.029, 0.1)])
def test_one_visit_that_is_as_the_kept_run_is_enough(run: Run, factors: tuple[float, float]) -> None:
    """Another program slows a visit; so does what the kept interval contains."""
    visits: list[int] = []

    def again(row: LatencyRow) -> Interval:
        assert row.latency
        time = row.latency.middle * factors[visits.count(row.footprint_bytes)]
        visits.append(row.footprint_bytes)
        return Interval(time, time, time, 9)

    assert moved(run, again) is None


@pytest.mark.parametrize("place", [MEMORY, LAST, NEAREST])
def test_the_memory_may_change_less_than_the_caches(run: Run, place: str) -> None:
    last = measured([run]).shapes[-1].size_bytes

    def again(row: LatencyRow) -> Interval:
        assert row.latency
        time = row.latency.middle * (1.06 if place_of(row, last) == place else 1.0)
        return Interval(time, time, time, 9)

    assert bool(moved(run, again)) == (place == MEMORY)


def test_all_places_are_visited_before_one_is_visited_again(run: Run) -> None:
    """A program that disturbs one visit may have ended then."""
    visits: list[int] = []

    def again(row: LatencyRow) -> Interval:
        visits.append(row.footprint_bytes)
        return Interval(1.0, 1.0, 1.0, 9)

    assert moved(run, again)
    assert len(set(visits[:3])) == 3
    assert visits[3:] == visits[:1]


def test_visits_that_show_nothing_decide_nothing_and_are_stated(run: Run) -> None:
    found = moved(run, lambda _: None)
    assert found
    assert not found.place
    assert "was not found out" in str(found)


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
    """Stored runs of a machine whose places are slower now than in some of them. Runs that are made are kept."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slower: Known) -> None:
        self.made: list[str] = []
        self.told: list[str] = []
        self.slower = slower
        self.kept = tmp_path / "cache" / "machine"
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(runs_of, "this_machine", lambda _: MACHINE)
        monkeypatch.setattr(runs_of, "_kept", lambda suite, _: self.kept / suite)
        monkeypatch.setattr(runs_of, "_now", self.now)
        monkeypatch.setattr(runs_of, "_serves", lambda _: True)
        monkeypatch.setattr(runs_of, "_made", self.make)
        for day in (1, 2):
            for suite in runs_of.WORDS:
                store(tmp_path / "runs" / f"2026-01-0{day}-{suite}-1", suite, f"2026-01-0{day}T00:00:00+00:00")
        self.last = measured([made_run(tmp_path / "any")]).shapes[-1].size_bytes

    def make(self, suite: str, *_: object) -> Run:
        self.made.append(suite)
        self.slower = {}
        return store(self.kept / suite, suite, "2026-01-03T00:00:00+00:00")

    def now(self, row: LatencyRow) -> Interval:
        assert row.latency
        time = row.latency.middle * self.slower.get(place_of(row, self.last), 1.0)
        return Interval(time, time, time, 9)

    def runs(self) -> list[str]:
        return [f"{run.path.parent.name}/{run.path.name}" for run in runs_here((), self.told.append)]


def store(folder: Path, suite: str, started: str) -> Run:
    """Store a run of latency as one of this suite, which began at a stated time."""
    run = made_run(folder)
    save_result(folder, msgspec.structs.replace(run.result, suite=suite, started=started))
    return load(folder)


def test_the_latest_runs_serve_if_they_are_as_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Here(tmp_path, monkeypatch, {})
    assert here.runs() == [f"runs/2026-01-02-{suite}-1" for suite in runs_of.WORDS]
    assert (here.made, here.told) == ([], [])


def test_another_memory_makes_the_staircase_again_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Here(tmp_path, monkeypatch, {MEMORY: 1.4})
    first = here.runs()
    assert first[0] == "machine/latency"
    assert first[1:] == [f"runs/2026-01-02-{suite}-1" for suite in list(runs_of.WORDS)[1:]]
    assert here.told[0].startswith("a load from the memory takes")
    assert here.runs() == first, "the new one is the latest"
    assert here.made == ["latency"]


def test_another_clock_makes_all_runs_again_and_none_of_before_serves_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Here(tmp_path, monkeypatch, {NEAREST: 1.4})
    assert here.runs() == [f"machine/{suite}" for suite in runs_of.WORDS]
    assert here.runs() == [f"machine/{suite}" for suite in runs_of.WORDS]
    assert here.made == list(runs_of.WORDS)


def first_row(run: Run) -> LatencyRow:
    rows: list[LatencyRow] = []
    moved(run, rows.append)
    return rows[0]


def test_now_is_one_point_that_no_later_run_takes_for_an_earlier_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, str]] = []

    def made(suite: str, words: dict[str, str], path: Path) -> Run:
        asked.append({"suite": suite, **words})
        return made_run(path)

    monkeypatch.setattr(runs_of, "_measured", made)
    assert runs_of._now(first_row(run)) is not None
    assert asked[0]["suite"] == "latency"
    assert asked[0]["from"] == asked[0]["to"]
    assert asked[0]["visits"] == "0"


@pytest.mark.parametrize("error", [MachineError("no memory"), OSError(28, "No space left on device")])
def test_a_point_that_cannot_be_measured_shows_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fails(*_: object) -> Run:
        raise error

    monkeypatch.setattr(runs_of, "_measured", fails)
    assert runs_of._now(first_row(run)) is None
