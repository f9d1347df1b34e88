"""A program that hardly waits for memory has an answer where no core explains its time here."""

import msgspec
import pytest

from tierscope.predict.program.anchor import Anchor, Lineup, anchor
from tierscope.predict.program.answer import Answer, answer, paired_deviation
from tierscope.predict.program.cores import cores, in_flight, parameters
from tierscope.predict.program.hardly import FARTHEST, HARDLY, change
from tierscope.predict.program.native import Native
from tierscope.simulated.replay import Traced
from tierscope.simulated.trace import LARGE, SMALL
from tierscope.stats.median import Interval

OTHERS = 12
IN_FLIGHT = 48.0


def of(seconds: float, *, ended: int = 0) -> Traced:
    return Traced(
        machine="sim:m", instructions=2_000_000, loads=1, stores=1, counters={}, ended=ended, seconds=seconds,
        parts=((0, 2_000_000, seconds),),
    )  # fmt: skip


def made(own_s: float, *, wall_s: float = 1.0, lines: float = IN_FLIGHT, ended: int = 0) -> Anchor:
    """Return the anchor of a program that takes one second, and whose model time is own_s on each core."""
    user, wall = (Interval(time, time, time, 9) for time in (1.0, wall_s))
    every = [of(own_s, ended=ended)] * (OTHERS + 1)
    return anchor(Native(wall, user, 0.0, 9), every, lineup=Lineup(in_flight=lines))


def told(here: Anchor, growth_s: float, worst_s: float | None = None) -> Answer:
    """Return the answer. growth_s: what the tier adds on each core; worst_s: on one of the others."""
    own = here.model_s
    there = [of(own + growth_s)] * OTHERS + [of(own + (growth_s if worst_s is None else worst_s))]
    return answer("far", here, there, None, None, None, ("a note of the tier",))


@pytest.mark.parametrize("own_s", [0.6, 1.6])
def test_a_program_that_hardly_waits_has_an_answer_whatever_its_core(own_s: float) -> None:
    found = told(made(own_s), 0.0005)
    assert not found.unknown
    assert found.ratio == pytest.approx(1.0005)
    assert (found.low, found.high) == pytest.approx((1.0005 - 0.0005 * 48, 1.0005 + 0.0005 * 48))
    assert found.notes[0] == "a note of the tier"
    assert f"the model takes {own_s:.2f}x the time" in found.notes[1]
    assert "far changes its time by at most 2.4% on any core" in found.notes[1]


def test_the_core_that_waits_most_decides() -> None:
    found = told(made(0.6), 0.0001, 0.001)
    assert found.ratio == pytest.approx(1.0001)
    assert found.high == pytest.approx(1.0001 + 0.001 * 48)
    assert told(made(0.6), 0.0001, 0.0011).unknown.startswith("the model takes 0.60x")
    faster = told(made(0.6), 0.0, -0.001)
    assert faster.low == pytest.approx(1 - 0.001 * 48), "a faster tier as well"


def test_the_rest_of_the_wall_time_does_not_change() -> None:
    assert told(made(0.6, wall_s=2.0), 0.001).ratio == pytest.approx(1.0005)


@pytest.mark.parametrize(
    ("here", "why"),
    [
        (made(0.6, lines=0.0), "the model takes 0.60x"),  # not known how many lines a core has in flight
        (made(1 / FARTHEST - 0.01), "the model takes 0.49x"),
        (made(FARTHEST + 0.01), "the model takes 2.01x"),
        (made(0.6, ended=-11), "in the tracer the program ended with signal 11"),  # not the time of the cores
    ],
)
def test_what_else_is_wrong_stays_unknown(here: Anchor, why: str) -> None:
    found = told(here, 0.0001)
    assert found.ratio is None
    assert found.unknown.startswith(why)


def test_few_cores_that_explain_the_time_here_are_enough_too() -> None:
    """The own core explains it, and no other one does."""
    time = Interval(1.0, 1.0, 1.0, 9)
    here = anchor(
        Native(time, time, 0.0, 9), [of(1.0), of(1.0), *[of(9.0)] * OTHERS], lineup=Lineup(in_flight=IN_FLIGHT)
    )
    assert here.unknown.startswith("only 1.0 of")
    found = answer("far", here, [of(1.0), of(1.0), *[of(9.0)] * OTHERS], None, None, None)
    assert (found.ratio, found.low, found.high) == (1.0, 1.0, 1.0)


def test_a_change_is_that_of_lines_which_come_alone() -> None:
    assert change(0.9, [0.001, 0.002], 10.0, 1.0) == pytest.approx(0.02)
    assert change(0.9, [HARDLY], 1.0, 1.0) == HARDLY
    assert change(0.9, [HARDLY + 0.001], 1.0, 1.0) is None
    assert change(0.9, [0.0], 0.0, 1.0) is None
    assert change(0.9, [0.0], 1.0, 0.0) is None


def test_reads_that_gaps_may_hide_and_parts_that_were_not_traced_count() -> None:
    """A program has two units with a gap between them, and only the second one waits."""
    time = Interval(1.0, 1.0, 1.0, 9)
    native = Native(time, time, 0.0, 9)
    own, far = (
        msgspec.structs.replace(
            of(0.6), untraced_instructions=2_000_000, seconds=0.6 + more,
            parts=((0, 1_000_000, 0.15), (2_000_000, 1_000_000, 0.15 + more / 2)),
        )
        for more in (0.0, 0.0004)
    )  # fmt: skip
    deviation = paired_deviation(own, far)
    assert deviation > 0.0002
    here = anchor(native, [own] * (OTHERS + 1), lineup=Lineup(in_flight=10.0), doubt=(0.0, 0.5))
    found = answer("far", here, [far] * (OTHERS + 1), None, None, None)
    assert found.ratio == pytest.approx(1.0004)
    assert found.high == pytest.approx(1.0004 + 10 * (0.0004 * 1.5 + 2 * deviation))


def test_waits_of_several_threads_may_overlap() -> None:
    time = Interval(1.0, 1.0, 1.0, 9)
    native = Native(time, time, 0.0, 9)

    def run(seconds: float) -> Traced:
        return msgspec.structs.replace(of(seconds), threads=2, busy_s=2 * seconds)

    here = anchor(native, [run(0.3)] * (OTHERS + 1), lineup=Lineup(in_flight=10.0))
    found = answer("far", here, [run(0.3001)] * (OTHERS + 1), None, None, None)
    assert here.measured_s[1] == 0.5, "two threads next to each other"
    assert found.high == pytest.approx(1.0001 + 0.0001 * 10 * 2 / 0.5)


def test_the_most_lines_in_flight_are_those_of_the_widest_core() -> None:
    assert in_flight(cores(parameters(SMALL), parameters(LARGE), ("",))) == 48.0
    assert in_flight(["m,core.width=2"]) == 0.0
