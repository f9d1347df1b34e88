"""The model of a program's response: coverage on known truths, ranges that are refused, bounds that widen."""

import numpy as np
import pytest

from tierscope.models.model import FitError
from tierscope.models.response import FARTHEST, LEAST_RANGE, Step, response

HALF = 1.96
TRIALS = 120


def step(over: float, slowdown: float, over_error: float = 0.005, slowdown_error: float = 0.005) -> Step:
    """A step with standard errors."""
    x, y = HALF * over_error, HALF * slowdown_error
    return Step((over - x, over, over + x), (slowdown - y, slowdown, slowdown + y))


def drawn(
    rng: np.random.Generator, share: float, overs: tuple[float, ...], x_noise: float, y_noise: float
) -> list[Step]:
    """Steps as a run has them: all compared with one base, with errors of their own."""
    base_x, base_y = rng.normal(0, x_noise), rng.normal(0, y_noise)
    root = 2**0.5
    steps = []
    for over in overs:
        x = over * float(np.exp(rng.normal(0, x_noise) - base_x))
        y = (1 + share * (over - 1)) * float(np.exp(rng.normal(0, y_noise) - base_y))
        steps.append(step(x, y, root * x_noise * x, root * y_noise * y))
    return steps


@pytest.mark.parametrize("share", [0.05, 0.6, 1.0])
@pytest.mark.parametrize(
    ("overs", "x_noise", "y_noise"),
    [((1.1, 1.3, 1.6), 0.01, 0.01), ((1.4,), 0.01, 0.005), ((1.2, 1.4, 2.0, 2.5), 0.02, 0.01)],
)
def test_the_interval_contains_the_share_that_was_put_in(
    share: float, overs: tuple[float, ...], x_noise: float, y_noise: float
) -> None:
    """At 95 %, with three standard errors of that many trials below it."""
    rng = np.random.default_rng(1995)
    found = [response(drawn(rng, share, overs, x_noise, y_noise)) for _ in range(TRIALS)]
    covered = np.mean([one.share_low <= share <= one.share_high for one in found])
    assert covered >= 0.95 - 3 * (0.95 * 0.05 / TRIALS) ** 0.5
    bias = float(np.median([one.share for one in found])) - share
    width = float(np.median([one.share_high - one.share_low for one in found]))
    assert abs(bias) < width / 4


def test_predictions_contain_the_truth_within_and_beyond_the_steps() -> None:
    rng = np.random.default_rng(1996)
    hits = []
    for _ in range(TRIALS):
        one = response(drawn(rng, 0.5, (1.2, 1.5, 2.0), 0.01, 0.01))
        for over in (1.3, 2.0, 4.0):
            said = one.predict(over)
            hits.append(said.low <= 1 + 0.5 * (over - 1) <= said.high)
    assert np.mean(hits) >= 0.93


def test_bounds_widen_with_the_distance_and_end() -> None:
    one = response([step(1.2, 1.1), step(1.6, 1.3)])
    widths = [(said := one.predict(over)).high / said.low for over in (1.3, 1.6, 2.5, 5.0)]
    assert widths == sorted(widths)
    assert one.predict(1.6).warnings == ()
    assert "beyond the steps" in one.predict(2.5).warnings[0]
    with pytest.raises(FitError, match="as far as the lever went"):
        one.predict(1 + 0.6 * (FARTHEST + 1))


def test_a_range_that_is_not_surely_a_quarter_is_refused_with_the_number() -> None:
    weak = response([step(1.05, 1.02), step(1.12, 1.05)])
    assert "12 %" in weak.refused
    unsure = response([step(1.0 + LEAST_RANGE + 0.02, 1.1, over_error=0.05)])
    assert unsure.refused
    with pytest.raises(FitError, match="use a stronger lever"):
        weak.predict(1.1)
    assert response([step(1.3, 1.1), step(1.4, 1.2)]).refused == ""


def test_a_time_that_bends_up_within_the_steps_is_not_continued_as_a_line() -> None:
    """A latency that is hidden at first, as behind a reorder buffer: flat to 1.4x, then steep."""
    hidden = [step(over, 1 + max(0.0, 0.9 * (over - 1.4)), 0.002, 0.002) for over in (1.2, 1.4, 1.7, 2.0)]
    one = response(hidden)
    assert one.bends
    with pytest.raises(FitError, match="bends up"):
        one.predict(3.0)
    straight = response([step(over, 1 + 0.5 * (over - 1), 0.002, 0.002) for over in (1.2, 1.4, 1.7, 2.0)])
    assert not straight.bends


def test_a_faster_memory_is_a_step_too() -> None:
    """A lower clock of the core makes memory faster, in its cycles."""
    one = response([step(0.75, 0.85), step(0.5, 0.7)])
    assert one.refused == ""
    said = one.predict(1.5)
    assert said.low < 1.3 < said.high


@pytest.mark.parametrize("steps", [[], [Step((1.0, float("nan"), 2.0), (1.0, 1.1, 1.2))]])
def test_steps_without_numbers_are_refused(steps: list[Step]) -> None:
    with pytest.raises(FitError):
        response(steps)


def test_a_program_that_the_steps_do_not_bound_has_the_widest_interval() -> None:
    wide = response([step(1.4, 1.2, 0.05, 1.5)])
    assert wide.share_high - wide.share_low > 3
