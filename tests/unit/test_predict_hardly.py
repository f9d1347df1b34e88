"""A program that moves few lines has an answer where no core explains its time here."""

from dataclasses import replace

import msgspec
import pytest

from tierscope.predict.program.anchor import Anchor, Lineup, anchor
from tierscope.predict.program.answer import Answer, answer
from tierscope.predict.program.hardly import HARDLY, SAMPLED, OfLine, lines_of, of_line, reach
from tierscope.predict.program.native import Native
from tierscope.simulated.replay import Traced
from tierscope.stats.median import Interval

OTHERS = 12
SLOWER = OfLine(200e-9, 0.0)
LINES = 100_000.0  # 20 ms at 200 ns


def of(seconds: float, *, ended: int = 0) -> Traced:
    return Traced(
        machine="sim:m", instructions=2_000_000, loads=1, stores=1, counters={}, ended=ended, seconds=seconds,
        parts=((0, 2_000_000, seconds),),
    )  # fmt: skip


def made(own_s: float, *, wall_s: float = 1.0, lines: float | None = LINES, ended: int = 0, low: float = 1.0) -> Anchor:
    """Return the anchor of a program that takes one second, and whose model time is own_s on each core."""
    user, wall = Interval(low, 1.0, 1.0, 9), Interval(wall_s, wall_s, wall_s, 9)
    every = [of(own_s, ended=ended)] * (OTHERS + 1)
    return anchor(Native(wall, user, 0.0, 9), every, lineup=Lineup(lines=lines))


def told(here: Anchor, change_s: float = 0.0, each: OfLine | None = SLOWER) -> Answer:
    """Return the answer. change_s: what the tier adds in the model; each: what it adds to a line at most."""
    there = [of(here.model_s + change_s)] * (OTHERS + 1)
    return answer("far", here, there, None, None, None, ("a note of the tier",), each)


@pytest.mark.parametrize("own_s", [0.3, 0.6, 1.6])
def test_bounds_are_those_of_lines_that_come_alone(own_s: float) -> None:
    found = told(made(own_s), 0.005)
    assert not found.unknown
    assert found.ratio == pytest.approx(1.005)
    assert (found.low, found.high) == pytest.approx((1.0, 1.02))
    assert found.notes[0] == "a note of the tier"
    assert found.notes[1].startswith("far changes its time to 1.000x to 1.020x on any core, by the lines from and to")
    assert f"the model takes {own_s:.2f}x the time" in found.notes[1]


def test_a_core_that_hides_its_waits_does_not_narrow_the_bounds() -> None:
    """Each core computes for so long that no wait shows; the program may show all of them."""
    found = told(made(1.9), 0.0)
    assert found.ratio == 1.0
    assert found.high == pytest.approx(1.02)


def test_a_model_that_changes_more_than_its_lines_allow_is_limited_by_them() -> None:
    assert told(made(0.6), 0.5).ratio == pytest.approx(1.02)
    assert told(made(0.6), -0.5).ratio == pytest.approx(1.0)
    faster = told(made(0.6), -0.5, OfLine(0.0, 100e-9))
    assert (faster.low, faster.ratio, faster.high) == pytest.approx((0.99, 0.99, 1.0))


def test_a_program_that_moves_many_lines_is_not_known() -> None:
    assert told(made(0.6, lines=LINES * 4.9)).high == pytest.approx(1.098)
    assert told(made(0.6, lines=LINES * 5.1)).unknown.startswith("the model takes 0.60x")


def test_the_shortest_time_here_has_the_largest_change() -> None:
    assert told(made(0.6, low=0.5)).high == pytest.approx(1.04)


def test_the_rest_of_the_wall_time_does_not_change() -> None:
    assert told(made(0.6, wall_s=2.0)).high == pytest.approx(1.01)


@pytest.mark.parametrize(
    ("here", "each", "why"),
    [
        (made(0.6, lines=None), SLOWER, "the model takes 0.60x"),
        (made(0.6), None, "the model takes 0.60x"),
        (made(0.6, ended=-11), SLOWER, "in the tracer the program ended with signal 11"),
        (replace(made(0.6), unknown="another process ran", misfits=False), SLOWER, "another process ran"),
    ],
)
def test_what_else_is_wrong_stays_unknown(here: Anchor, each: OfLine | None, why: str) -> None:
    found = told(here, 0.0001, each)
    assert found.ratio is None
    assert found.unknown.startswith(why)


def test_few_cores_that_explain_the_time_here_are_a_misfit_too() -> None:
    """The own core explains it, and no other one does."""
    time = Interval(1.0, 1.0, 1.0, 9)
    cores = [of(1.0), of(1.0), *[of(9.0)] * OTHERS]
    here = anchor(Native(time, time, 0.0, 9), cores, lineup=Lineup(lines=LINES))
    assert here.unknown.startswith("only 1.0 of")
    found = answer("far", here, cores, None, None, None, (), SLOWER)
    assert (found.low, found.ratio, found.high) == pytest.approx((1.0, 1.0, 1.02))
    assert "only 1.0 of" in found.notes[0]


def test_few_lines_limit_the_bounds_of_a_core_that_explains_the_time_here() -> None:
    """The model leaves a fifth of the time open, which may wait for memory; the lines leave 2 % of it."""
    instant = of(0.79)
    here = replace(made(0.8), instant=instant)
    wide = answer("far", here, [of(0.81)] * (OTHERS + 1), None, None, None)
    found = answer("far", here, [of(0.81)] * (OTHERS + 1), None, None, None, (), SLOWER)
    assert wide.high is not None
    assert wide.high > 1.1
    assert (found.low, found.high) == pytest.approx((wide.low, 1.02))
    assert found.ratio == wide.ratio
    beyond = answer("far", here, [of(0.9)] * (OTHERS + 1), None, None, None, (), SLOWER)
    assert beyond.high is not None
    assert beyond.high > 1.02, "the model changes more than its lines allow: neither is believed to be narrow"


def counted(**more: object) -> Traced:
    return msgspec.structs.replace(of(1.0), counters={"memory.reads": 1000, "memory.writes": 500}, **more)


def test_lines_are_those_read_and_written_and_hits_in_doubt() -> None:
    assert lines_of(counted()) == 1500
    assert lines_of(counted(in_doubt=(1000.0, 100.0, 300.0))) == 1800
    gaps = counted(untraced_instructions=6_000_000)
    assert lines_of(gaps) == 1500 * 4 * SAMPLED
    assert lines_of(of(1.0)) is None
    assert lines_of(counted(instructions=0)) is None


def test_a_line_takes_what_latency_and_bandwidth_add() -> None:
    assert of_line((300e-9, 350e-9), 100e-9, 0.0, (None, None), 64) == OfLine(pytest.approx(250e-9), 0.0)
    slower = of_line((100e-9, 100e-9), 100e-9, 0.1, (6.4e9, 12.8e9), 64)
    assert slower == OfLine(pytest.approx(10e-9 + 5e-9), pytest.approx(10e-9)), "the latency here is not exact"
    faster = of_line((60e-9, 80e-9), 100e-9, 0.0, (25.6e9, 12.8e9), 64)
    assert faster == OfLine(0.0, pytest.approx(40e-9 + 2.5e-9))
    assert of_line((100e-9, 100e-9), 100e-9, 0.0, (6.4e9, None), 64) is None


def test_few_lines_reach_as_far_as_each_of_them() -> None:
    assert reach(1e6, OfLine(50e-9, 20e-9), 1.0) == pytest.approx((0.98, 1.05))
    assert reach(1e6, OfLine(HARDLY * 1e-6, 0.0), 1.0) == pytest.approx((1.0, 1 + HARDLY))
    assert reach(1e6, OfLine(HARDLY * 1.1e-6, 0.0), 1.0) is None
    assert reach(1e6, OfLine(0.0, 0.0), 0.0) is None
