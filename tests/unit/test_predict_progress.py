"""Lines about a replay: how long all of it will take, from what was replayed so far."""

import itertools

import pytest

from tierscope.predict.program.native import Native
from tierscope.predict.program.progress import watched
from tierscope.simulated.replay import SoFar
from tierscope.simulated.tracer import HEAD, UNIT, timed
from tierscope.stats.median import Interval

WALL_S, USER_S = 1.0, 2.0
PER_S = 2e9  # instructions of the program
PACE = 1e-6  # seconds of a replay for an instruction that is timed


def _lines(slower: float = 1.0, threads: int = 2) -> list[tuple[float, str]]:
    """Return the time and the text of each line. slower: the model's time over that here."""
    now, lines = [0.0], []
    native = Native(Interval(WALL_S, WALL_S, WALL_S, 5), Interval(USER_S, USER_S, USER_S, 5), 0.0, 5)
    watch = watched("sort", native, lambda line: lines.append((now[0], line)), clock=lambda: now[0])
    whole = USER_S * PER_S
    for done in itertools.takewhile(lambda n: n < whole, itertools.count(10_000_000, 40_000_000)):
        now[0] = PACE * timed(USER_S, done)
        seconds = slower * (WALL_S if threads > 1 else USER_S) * done / whole
        watch(SoFar(seconds=seconds, instructions=done, threads=threads))
    return lines


@pytest.mark.parametrize("threads", [1, 2])
def test_the_time_of_all_is_known_from_a_small_part(threads: int) -> None:
    lines = _lines(threads=threads)
    whole = PACE * timed(USER_S, USER_S * PER_S)
    assert [line.split("about")[2] for _, line in lines if "nearly" not in line] == [f" {whole:.3g} s"] * len(lines)
    assert lines[0][1].startswith("sort in the tracer: about ")


def test_lines_become_rarer() -> None:
    times = [time for time, _ in _lines()]
    assert times[0] >= 10
    assert all(later >= 2 * sooner for sooner, later in itertools.pairwise(times))


def test_a_model_that_is_slower_does_not_promise_less_than_nothing() -> None:
    lines = _lines(slower=30)
    assert lines
    assert all("nearly all replayed" in line for _, line in lines)


def test_without_seconds_there_is_nothing_to_state() -> None:
    native = Native(Interval(1, 1, 1, 5), Interval(1, 1, 1, 5), 0.0, 5)
    lines: list[str] = []
    times = iter([0.0, 100.0])
    watched("sort", native, lines.append, clock=lambda: next(times))(SoFar(seconds=0.0, instructions=5, threads=1))
    assert lines == []


def test_as_many_instructions_are_timed_as_the_tracer_samples() -> None:
    """2 s of CPU time: 24 gaps of 25 million each, then gaps of 50 million."""
    gap = 25_000_000 + 2_500_000
    assert timed(USER_S, HEAD) == HEAD
    assert timed(USER_S, HEAD + gap) == HEAD + UNIT
    assert timed(USER_S, HEAD + 24 * gap) == HEAD + 24 * UNIT
    assert timed(USER_S, HEAD + 24 * gap + 52_500_000) == HEAD + 25 * UNIT
