"""The script that repeats runs next to programs that disturb them: what it counts, and how it continues."""

import json
import shutil
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fake_core import FakeCore, put_in_place
from made_machine import made_machine
from scripts import with_neighbours
from tierscope.plans import suites
from tierscope.record.result import load
from tierscope.run import planned, start
from tierscope.stats.median import Interval

FOLDER = Path(__file__).parents[2] / "benchmarks"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    with with_neighbours(FOLDER / "coverage.py") as module:
        yield module


@pytest.fixture(scope="module")
def goals(script: ModuleType) -> Any:
    return sys.modules["covering.goals"]


@pytest.fixture(scope="module")
def runs(script: ModuleType) -> Any:
    return sys.modules["covering.runs"]


def once(runs: Any, minute: float, first_sure: bool = True, **points: tuple[float, float, bool]) -> Any:
    """Return a run; each point is (middle, half-width, conclusive)."""
    seen = {
        kernel: runs.Seen(Interval(middle - half, middle, middle + half, 9), sure, 0.5)
        for kernel, (middle, half, sure) in points.items()
    }
    first = {kernel: runs.Seen(one.interval, first_sure) for kernel, one in seen.items()}
    load = sys.modules["covering.load"].Load(0.1, 0.0, 0.5, 20.0)
    return runs.Once(seen, first, NOON + timedelta(minutes=minute), load)


def states_of(goals: Any, every: dict[str, list[Any]]) -> list[Any]:
    quiet = goals.quiet_medians(every)
    return [goals.figures(name, own, quiet) for name, own in every.items()]


def test_overlaps_are_those_of_pairs_of_runs_of_one_kernel(goals: Any, runs: Any) -> None:
    every = [
        once(runs, 0, read=(100, 2, True), copy=(50, 1, True)),
        once(runs, 1, read=(103, 2, True), copy=(50, 1, False)),
        once(runs, 2, read=(110, 2, True), copy=(51, 1, True)),
    ]
    (state,) = states_of(goals, {"quiet": every})
    assert (state.overlap.good, state.overlap.count) == (2, 4)  # read 1-2, copy 1-3; the second copy is not conclusive
    assert (state.overlap_all.good, state.overlap_all.count) == (4, 6)


def test_a_run_that_asks_for_less_precision_is_sure_of_wider_intervals(goals: Any, runs: Any) -> None:
    run = once(runs, 0, read=(100, 8, False), copy=(50, 1, True), scale=(50, 1, False))
    run.points["scale"] = runs.Seen(run.points["scale"].interval, False, doubted=True)
    run.points["none"] = runs.Seen(None, False)
    assert [kernel for kernel, one in run.at(0.1).points.items() if one.conclusive] == ["read", "copy"]
    assert [kernel for kernel, one in run.at(0.05).points.items() if one.conclusive] == ["copy"]


def test_a_point_without_an_interval_is_inconclusive_and_no_pair(goals: Any, runs: Any) -> None:
    none = once(runs, 1)
    none.points["read"] = runs.Seen(None, False)
    (state,) = states_of(goals, {"quiet": [once(runs, 0, read=(100, 2, True)), none]})
    assert (state.overlap_all.count, str(state.unsure)) == (0, "50 % of 2")


def reached(goals: Any, every: dict[str, list[Any]]) -> list[bool | None]:
    return [goal.reached for goal in goals.goals(states_of(goals, every))]


def test_goals_are_reached_where_runs_agree(goals: Any, runs: Any) -> None:
    quiet = [once(runs, minute, read=(100 + minute / 10, 2, True)) for minute in range(5)]
    beside = [once(runs, minute, read=(92, 2, True)) for minute in range(5)]
    assert reached(goals, {"quiet": quiet, "memory-1": beside}) == [True] * 4


def test_each_goal_is_missed_by_what_it_is_about(goals: Any, runs: Any) -> None:
    quiet = [once(runs, minute, read=(100, 2, True)) for minute in range(4)]
    apart = [once(runs, minute, read=(100 + 5 * minute, 2, True)) for minute in range(4)]
    wrong = [once(runs, minute, read=(89, 2, True)) for minute in range(4)]
    unsure = [once(runs, minute, read=(100, 20, False)) for minute in range(9)]
    assert reached(goals, {"quiet": quiet, "cpu-2": apart})[0] is False
    assert reached(goals, {"quiet": apart})[1] is False
    assert reached(goals, {"quiet": quiet, "memory-2": wrong})[2] is False
    assert reached(goals, {"quiet": quiet, "cpu-2": wrong})[2] is None  # only memory programs have this goal
    assert reached(goals, {"quiet": quiet, "pulses": unsure})[3] is False
    hopeless = [once(runs, minute, first_sure=False, read=(100, 20, False)) for minute in range(4)]
    assert reached(goals, {"quiet": hopeless})[3] is True  # as unsure as before


@pytest.mark.parametrize(("count", "verdict"), [(0, True), (1, None), (8, None), (9, False)])
def test_the_last_goal_is_not_known_where_inconclusive_points_are_few(
    goals: Any, runs: Any, count: int, verdict: bool | None
) -> None:
    every = [once(runs, minute, read=(100, 2, minute >= count)) for minute in range(20)]
    assert reached(goals, {"quiet": every})[3] is verdict


def test_nothing_is_known_without_quiet_runs(goals: Any, runs: Any) -> None:
    beside = [once(runs, minute, read=(92, 2, False)) for minute in range(3)]
    assert reached(goals, {"memory-1": beside})[:3] == [None] * 3


def test_few_runs_or_a_short_time_are_a_trial(goals: Any, runs: Any) -> None:
    def every(count: int, minutes: float) -> dict[str, list[Any]]:
        return {"quiet": [once(runs, minutes * number / (count - 1), read=(100, 2, True)) for number in range(count)]}

    assert goals.is_trial(every(20, 30)) == ""
    assert goals.is_trial(every(19, 30)) == "quiet: 19 runs in 30 min"
    assert goals.is_trial(every(20, 12)) == "quiet: 20 runs in 12 min"
    assert goals.is_trial({**every(20, 30), "cpu-2": []}) == "cpu-2: 0 runs in 0 min"


def test_states_alternate_and_rounds_are_spread_over_the_time(script: ModuleType) -> None:
    assert script.plan(2, ["quiet", "cpu-2"]) == [(0, "quiet"), (0, "cpu-2"), (1, "cpu-2"), (1, "quiet")]
    assert [script.due_s(number, 4, 30) for number in range(4)] == [0, 600, 1200, 1800]
    assert script.due_s(0, 1, 30) == 0


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a run of two kernels with three visits, on a core that is made up."""
    put_in_place(FakeCore(), monkeypatch)
    monkeypatch.setattr(planned, "this_machine", lambda *_: made_machine(2))
    options = suites["stream"].read({"kernels": "copy,scale", "threads": "1", "array": "64MiB"})
    directory, manifest = start.begin("stream", options, "", ("tierscope",), tmp_path / "stored")
    start.execute(directory, manifest)
    return directory


@pytest.fixture
def program(stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: Any) -> Path:
    """Put a program in the place of Tierscope: it copies that run to --out, and counts its calls in a file."""
    calls = tmp_path / "calls"
    path = tmp_path / "program"
    path.write_text(
        f"#!/bin/sh\necho $* >> {calls}\n"
        f'while [ "$1" != --out ]; do shift; done\ncp -r {stored} "$2"\n[ -e {tmp_path}/fails ] && exit 3\nexit 0\n'
    )
    path.chmod(0o755)
    monkeypatch.setattr(sys.modules["covering.kept"], "TIERSCOPE", path)
    return calls


def begun(script: ModuleType, monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    monkeypatch.setattr(sys, "argv", ["coverage.py", "--minutes", "0", "--states", "quiet", *map(str, words)])
    return int(script.main())


def test_a_call_continues_with_the_runs_that_are_there(
    script: ModuleType,
    program: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    assert begun(script, monkeypatch, "--runs", 2, "--out", out) == 4
    assert len(program.read_text().splitlines()) == 2
    shutil.rmtree(out / "quiet-01/samples")  # killed in the middle
    (out / "quiet-01/coverage-run.json").unlink()
    begun(script, monkeypatch, "--runs", 3, "--out", out)
    calls = [line.rpartition("--out ")[2].split()[0] for line in program.read_text().splitlines()]
    assert [Path(call).name for call in calls] == ["quiet-00", "quiet-01", "quiet-01", "quiet-02"]
    printed = capsys.readouterr().out
    assert "| at least 95 % | reached so far |" in printed
    assert "| quiet | 3 | 100 % of 6 (100 % of 6) |" in printed
    assert "A trial, and no verdict on the goals: quiet: 3 runs" in printed
    found = json.loads((out / "coverage.json").read_text())
    assert [state["runs"] for state in found["states"]] == [3]
    assert len(found["goals"]) == 4


def test_other_options_and_folders_of_others_are_refused(
    script: ModuleType, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del program
    out = tmp_path / "out"
    begun(script, monkeypatch, "--runs", 1, "--out", out)
    with pytest.raises(SystemExit, match="runs of other options"):
        begun(script, monkeypatch, "--runs", 1, "--out", out, "--array", "1MiB")
    (tmp_path / "mine/quiet-00").mkdir(parents=True)
    with pytest.raises(SystemExit, match="files of something else"):
        begun(script, monkeypatch, "--runs", 1, "--out", tmp_path / "mine")
    assert (tmp_path / "mine/quiet-00").exists()


def test_a_run_that_fails_ends_the_script_with_its_message(
    script: ModuleType, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del program
    (tmp_path / "fails").touch()
    with pytest.raises(SystemExit, match="status 3"):
        begun(script, monkeypatch, "--runs", 1, "--out", tmp_path / "out")


def test_no_run_begins_after_the_time_to_stop(
    script: ModuleType, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert begun(script, monkeypatch, "--runs", 2, "--out", tmp_path / "out", "--stop", 0) == 4
    assert not program.exists()


def test_the_first_visits_are_judged_alone(stored: Path, runs: Any) -> None:
    run = load(stored)
    all_visits, first = runs.points(run), runs.points(runs.first_alone(run))
    assert all_visits.keys() == first.keys() == {"copy", "scale"}
    assert all(one.between_share is not None for one in all_visits.values())
    assert all(one.between_share is None for one in first.values())


def test_programs_of_a_state_run_and_their_time_is_theirs(script: ModuleType) -> None:
    del script
    states, load = sys.modules["covering.states"], sys.modules["covering.load"]
    with states.beside("cpu-2") as used:
        end = time.monotonic() + 60
        while used() == 0:
            assert time.monotonic() < end
            time.sleep(0.02)
    assert [name for name in states.STATES if states.uses_memory(name)] == ["memory-1", "memory-2", "pulses"]
    assert load.cpu_seconds(None) == 0.0
