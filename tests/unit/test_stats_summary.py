"""A summary, its reasons, and the stop rule."""

import numpy as np
import pytest

from noise import alike, independent
from tierscope.record.experiment import Schedule
from tierscope.stats.lost import Lost
from tierscope.stats.median import median
from tierscope.stats.steady import Steady
from tierscope.stats.summary import ENOUGH, FEW, LONG_S, enough, summarise, verdict

SCHEDULE = Schedule()


def test_a_quiet_series_is_conclusive() -> None:
    series = 100 * (1 + 0.01 * independent(np.random.default_rng(1), 1, 200)[0])
    found = verdict(series, SCHEDULE)
    assert found.conclusive
    assert found.reasons == ()
    assert found.interval.low <= 100 <= found.interval.high
    assert found.worst <= found.average <= found.best


def test_a_wide_interval_is_named() -> None:
    series = 100 * (1 + 0.5 * independent(np.random.default_rng(1), 1, 200)[0])
    (reason,) = verdict(series, SCHEDULE).reasons
    assert reason.startswith("interval ±")
    assert reason.endswith("% over 2 %")


@pytest.mark.parametrize(
    ("lost", "why"),
    [
        (Lost(taken=372, marked=380), ", 93 % interrupted: the machine is busy"),
        (Lost(taken=200, marked=200), ", 50 % interrupted: the machine is busy"),
        (Lost(taken=199, marked=380), ": in most others the clocks differ, or a thread has moved"),
        (Lost(taken=20, marked=20), ": most others followed an interruption too soon"),
    ],
)
def test_few_clean_blocks_have_the_cause_that_their_marks_show(lost: Lost, why: str) -> None:
    assert verdict(np.full(12, 5.0), SCHEDULE, 400, lost).reasons == (f"only 12 clean blocks of 400{why}",)
    assert verdict(np.full(60, 5.0), SCHEDULE, 400, lost).reasons == (f"only 15 % of the moments are clean{why}",)


def test_threads_that_have_few_moments_in_common_are_judged_by_their_own() -> None:
    """Two threads that each keep 0.3 of their moments keep 0.09 together, and are as warm as one of them."""
    series = np.full(90, 5.0)
    two = Lost(taken=910, marked=910, clean=90, rarest=300)
    assert verdict(series, SCHEDULE, 1000, two).conclusive
    assert not verdict(series, SCHEDULE, 1000, Lost(taken=910, marked=910, clean=90, rarest=90)).conclusive
    cold = Lost(taken=910, marked=910, clean=180, rarest=300)  # half of them followed an interruption too soon
    (reason,) = verdict(series, SCHEDULE, 1000, cold).reasons
    assert reason.startswith(
        "only 15 % of the moments of the thread that is disturbed most are clean, 91 % interrupted"
    )


def test_a_short_point_with_a_few_interruptions_is_not_a_busy_machine() -> None:
    (reason,) = verdict(np.full(30, 5.0), SCHEDULE, 40, Lost(taken=10, marked=10)).reasons
    assert reason == f"only 30 clean blocks of 40: {ENOUGH} are needed, measure longer"


def test_few_blocks_at_all_ask_for_more_time() -> None:
    assert verdict(np.full(12, 5.0), SCHEDULE).reasons == (
        f"only 12 clean blocks of 12: {ENOUGH} are needed, measure longer",
    )


def test_a_dozen_long_blocks_are_enough() -> None:
    schedule = Schedule(block_s=LONG_S)
    assert verdict(np.full(FEW, 5.0), schedule).conclusive
    assert verdict(np.full(FEW - 1, 5.0), schedule).reasons == (
        f"only {FEW - 1} clean blocks of {FEW - 1}: {FEW} are needed, measure longer",
    )
    assert enough(LONG_S * 0.99) == ENOUGH


def test_a_dozen_long_blocks_contain_the_truth_where_a_dozen_short_ones_do_not() -> None:
    """Long blocks are means of ten short ones, whose noise is alike (0.7) from one to the next."""
    every = 100 + alike(np.random.default_rng(7), 2000, FEW * 10)

    def coverage(series: np.ndarray) -> float:
        found = [median(one, 0.95) for one in series]
        return sum(one.low <= 100 <= one.high for one in found) / len(found)

    assert coverage(every.reshape(len(every), FEW, 10).mean(axis=2)) > 0.95
    assert coverage(every[:, :FEW]) < 0.85


def test_a_falling_series_is_not_steady() -> None:
    assert "not steady: still falling" in verdict(np.linspace(200, 100, 300), SCHEDULE).reasons


def test_no_point_at_all_has_a_reason_and_no_number() -> None:
    found = verdict(np.empty(0), SCHEDULE, total=0)
    none = "no moment at which all threads worked undisturbed for long enough"
    assert found.reasons == verdict(np.empty(0), SCHEDULE, 100, Lost(40, 100)).reasons == (none,)
    assert verdict(np.empty(0), SCHEDULE, 100, Lost(90, 100)).reasons == (
        f"{none}, 90 % interrupted: the machine is busy",
    )
    assert not found.conclusive
    assert np.isnan(found.interval.middle)
    assert np.isnan(found.best)


def test_nothing_done_is_not_conclusive() -> None:
    assert not verdict(np.zeros(300), SCHEDULE).conclusive


def test_warm_up_stays_out_of_every_number() -> None:
    series = np.full(200, 7.0)
    series[:20] = 3.0
    found = verdict(series, SCHEDULE)
    assert (found.start, found.worst, found.average, found.interval.low) == (20, 7.0, 7.0, 7.0)


def test_best_is_the_best_of_nine_slices_not_of_points() -> None:
    series = np.ones(90)
    series[40:50] = 2.0  # a whole slice
    series[5] = 50.0  # one lucky block
    found = summarise(series, Steady(0, True, 0), SCHEDULE)
    assert found.best == pytest.approx((9 + 50) / 10)
    assert found.worst == 1.0
    assert sorted({float(part.mean()) for part in np.array_split(series, 9)}) == [1.0, 2.0, 5.9]


def test_measuring_until_it_is_narrow_keeps_most_of_the_coverage() -> None:
    """The stop rule of the runner: ask after every 100 points, stop when conclusive, 2000 at most."""
    rng = np.random.default_rng(9)
    held = stopped = 0
    for series in 100 * (1 + 0.08 * alike(rng, 200, 2000)):
        found = next(
            (one for end in range(200, 2001, 100) if (one := verdict(series[:end], SCHEDULE)).conclusive), None
        )
        stopped += found is not None
        held += found is not None and found.interval.low <= 100 <= found.interval.high
    assert stopped >= 150
    assert held / stopped >= 0.85
