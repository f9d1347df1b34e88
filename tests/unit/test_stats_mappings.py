"""The variance from mapping to mapping is found from pairs of visits, and nothing else is taken for it."""

import math

import numpy as np
import pytest

from tierscope.stats.mappings import between_mappings
from tierscope.stats.median import Interval
from tierscope.stats.visits import pool

CONFIDENCE = 0.95
Z = 1.959964


def visit(log: float, error: float) -> Interval:
    """A visit whose log(median) has this standard error."""
    middle = math.exp(log)
    return Interval(middle * (1 - Z * error), middle, middle * (1 + Z * error), 100)


def pairs(
    rng: np.random.Generator, count: int, drift: float, mapping: float, error: float
) -> list[tuple[Interval, Interval]]:
    """Pairs of visits of one moment each; all three are standard deviations of log(median)."""
    found = []
    for _ in range(count):
        moment = rng.normal(0, drift)
        first, second = moment + rng.normal(0, math.hypot(mapping, error), 2)
        found.append((visit(first, error), visit(second, error)))
    return found


@pytest.mark.parametrize("mapping", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("drift", [0.0, 0.3])
def test_the_mean_of_many_estimates_is_the_variance_of_mappings_whatever_drifts(mapping: float, drift: float) -> None:
    rng = np.random.default_rng(5)
    found = [between_mappings(pairs(rng, 4, drift, mapping, 0.01), CONFIDENCE) for _ in range(4000)]
    known = [one for one in found if one is not None]
    assert len(known) == 4000
    cut_at_none = 1e-4  # an estimate is not negative, so that of no variance is too large by a part of the scatter
    assert np.mean(known) == pytest.approx(mapping**2, rel=0.06, abs=cut_at_none / 3)


def test_one_pair_or_pairs_without_a_number_show_nothing() -> None:
    one = visit(0.0, 0.01), visit(0.5, 0.01)
    nothing = visit(0.0, 0.01), Interval(math.nan, math.nan, math.nan, 0)
    assert between_mappings([], CONFIDENCE) is None
    assert between_mappings([one], CONFIDENCE) is None
    assert between_mappings([one, nothing], CONFIDENCE) is None
    assert between_mappings([one, one], CONFIDENCE) == pytest.approx(0.125 - 1e-4, rel=1e-3)


def test_the_share_of_mappings_is_a_part_of_the_share_between_visits() -> None:
    seen = pool([visit(0.0, 0.001), visit(0.1, 0.001), visit(-0.1, 0.001)], None, CONFIDENCE)
    assert seen is not None
    assert seen.drift == pytest.approx(0.01, rel=1e-3)
    assert seen.mapping_share(0.0) == 0
    assert seen.mapping_share(0.005) == pytest.approx(seen.between_share / 2, rel=1e-3)
    assert seen.mapping_share(1.0) == seen.between_share  # more than all differences between visits cannot be theirs
