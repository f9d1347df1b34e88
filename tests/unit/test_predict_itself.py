"""The time of a program itself: what several threads took next to each other, without waits and the kernel."""

import pytest

from tierscope.predict.program.anchor import anchor
from tierscope.predict.program.answer import answer
from tierscope.predict.program.itself import itself
from tierscope.predict.program.native import Native
from tierscope.simulated.replay import Traced
from tierscope.stats.median import Interval

CORES = 12


def of(seconds: float, busy: float, threads: int = 2) -> Traced:
    return Traced(
        machine="sim:m", instructions=2_000_000, loads=1, stores=1, counters={}, ended=0, seconds=seconds, busy_s=busy,
        threads=threads,
    )  # fmt: skip


def ran(wall: float, user: float, half: float = 0.0) -> Native:
    return Native(*(Interval(one - half, one, one + half, 9) for one in (wall, user)), 0.0, 9)


@pytest.mark.parametrize(
    ("wall", "user", "busy", "expected"),
    [
        (1.0, 2.0, 2.0, 1.0),  # both work all of the time
        (1.5, 2.0, 2.0, 1.0),  # half a second of waits
        (1.2, 1.0, 1.0, 1.0),  # one after the other, and the kernel
        (1.0, 2.0, 1.0, 1.0),  # in the model one after the other, and here not
    ],
)
def test_threads_take_what_they_take_next_to_each_other(wall: float, user: float, busy: float, expected: float) -> None:
    assert itself(ran(wall, user), of(1.0, busy)).middle == pytest.approx(expected)


def test_one_thread_takes_its_user_time() -> None:
    assert itself(ran(3.0, 1.0, 0.1), of(5.0, 5.0, threads=1)) == ran(3.0, 1.0, 0.1).user_s


def test_the_interval_is_that_of_the_time_that_counts() -> None:
    found = itself(ran(3.0, 2.0, 0.2), of(1.0, 2.0))
    assert (found.low, found.middle, found.high) == pytest.approx((0.9, 1.0, 1.1))
    assert itself(ran(1.0, 4.0, 0.2), of(1.0, 2.0)) == ran(1.0, 4.0, 0.2).wall_s


def test_a_model_without_such_times_leaves_the_wall_time() -> None:
    assert itself(ran(3.0, 2.0), of(1.0, 0.0)) == ran(3.0, 2.0).wall_s


def test_waits_of_threads_stay_or_grow() -> None:
    """Two threads of 1 s wait 0.5 s: on a memory that makes them twice as slow, waits double or stay."""
    made = anchor(ran(1.5, 2.0), [of(1.0, 2.0)] * CORES)
    assert (made.ratio, made.rest_s) == pytest.approx((1.0, 0.5))
    found = answer("far", made, [of(2.0, 4.0)] * CORES, None, None, None)
    assert found.ratio == pytest.approx(2.5 / 1.5)
    assert found.low is not None
    assert found.low <= 2.5 / 1.5
    assert found.high == pytest.approx(2.0)


def test_threads_that_overlap_more_in_the_model_than_here_are_in_the_bounds() -> None:
    """Here they work one after the other. In the model both wait for the same bandwidth, and take 1.6x."""
    made = anchor(ran(2.0, 2.0), [of(1.0, 2.0)] * CORES)
    found = answer("far", made, [of(1.6, 3.2)] * CORES, None, None, None)
    assert found.ratio == pytest.approx(1.3)
    assert found.high == pytest.approx(1.6)


def test_a_model_in_which_threads_wait_for_each_other_is_refused() -> None:
    assert anchor(ran(1.0, 2.0), [of(2.0, 2.0)] * CORES).unknown.startswith("the model takes 2.00x")
