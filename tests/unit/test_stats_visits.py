"""Intervals of several visits contain the truth in 95 % of all runs, and those of one visit alone do not."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tierscope.arrays import Floats
from tierscope.stats.drift import Drift, Spread, drift_of
from tierscope.stats.median import Interval
from tierscope.stats.visits import Pooled, pool, spread

pytestmark = pytest.mark.slow

Noise = Callable[[np.random.Generator, int], Floats]
Visits = list[Interval]

SEED = 1995
BETWEEN, WITHIN = 0.01, 0.003  # standard deviations of log(median): from visit to visit, and within one
POINTS = 12  # of one kind in a run
RUNS = 160
PRECISION = 0.02
Z = 1.96


def heavy(rng: np.random.Generator, count: int) -> Floats:
    """Student's t with three degrees of freedom, scaled to the middle half of a normal distribution."""
    return rng.standard_t(3, count) * 0.6745 / 0.7649


def one_sided(rng: np.random.Generator, count: int) -> Floats:
    """Slower only, as next to neighbours; median 0."""
    return math.log(2) - rng.exponential(1, count)


def normal(rng: np.random.Generator, count: int) -> Floats:
    return rng.normal(size=count)


def unlike(rng: np.random.Generator, count: int) -> Floats:
    """Points of one kind that drift by unlike amounts."""
    return np.exp(rng.normal(0, 0.5)) * rng.normal(size=count)


def one_off(rng: np.random.Generator, count: int) -> Floats:
    """In a tenth of the points one visit is ten standard deviations too slow."""
    found = rng.normal(size=count)
    found[rng.integers(count)] -= 10 * (rng.random() < 0.1)
    return found


NOISES = {noise.__name__: noise for noise in (normal, heavy, one_sided, unlike, one_off)}


def visits_of(
    rng: np.random.Generator, noise: Noise, count: int, common: float = 0.0, tours: Floats | None = None
) -> Visits:
    """The truth is 1. common: share of the variance that is that of the tours."""
    shared = np.zeros(count) if tours is None else tours
    between = math.sqrt(common) * shared + math.sqrt(1 - common) * noise(rng, count)
    logs = BETWEEN * between + rng.normal(0, WITHIN, count)
    return [Interval(m * (1 - Z * WITHIN), m, m * (1 + Z * WITHIN), 100) for m in map(float, np.exp(logs))]


@cache
def runs(noise: Noise, count: int, common: float = 0.0) -> tuple[tuple[list[Visits], Drift | None], ...]:
    """Visits of the points of each run, and the drift that they show together."""
    return tuple(_runs(noise, count, common))


def _runs(noise: Noise, count: int, common: float) -> Iterator[tuple[list[Visits], Drift | None]]:
    rng = np.random.default_rng(SEED)
    for _ in range(RUNS):
        tours = normal(rng, count) if common else None
        points = [visits_of(rng, noise, count, common, tours) for _ in range(POINTS)]
        yield points, drift_of([one for visits in points if (one := spread(visits, 0.95, range(count)))])


def contains(found: Interval) -> bool:
    return found.low <= 1 <= found.high


def pooled(visits: Visits, drift: Drift | None) -> Pooled:
    found = pool(visits, drift, 0.95)
    assert found
    return found


def coverage(noise: Noise, count: int, common: float = 0.0) -> float:
    every = [(visits, drift) for points, drift in runs(noise, count, common) for visits in points]
    return float(np.mean([contains(pooled(*one).interval) for one in every]))


@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize("noise", ["normal", "one_sided", "unlike"])
def test_an_interval_of_visits_contains_the_truth_in_95_percent_of_the_runs(noise: str, count: int) -> None:
    assert 0.93 <= coverage(NOISES[noise], count) <= 0.97


@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize("noise", ["heavy", "one_off"])
def test_heavy_tails_and_single_bad_visits_make_it_wider_and_never_wrong(noise: str, count: int) -> None:
    assert 0.94 <= coverage(NOISES[noise], count) <= 0.99


@pytest.mark.parametrize("common", [0.5, 1.0])
@pytest.mark.parametrize("count", [3, 5])
def test_points_that_rise_and_fall_together_do_not_count_twice(count: int, common: float) -> None:
    assert 0.92 <= coverage(normal, count, common) <= 0.98


def test_points_that_rise_and_fall_together_would_have_intervals_that_are_too_narrow() -> None:
    """The interval of each point if the others were independent of it."""
    naive = [
        contains(pooled(visits, drift and replace(drift, degrees=2.0 * POINTS, most=math.inf)).interval)
        for points, drift in runs(normal, 3, 1.0)
        for visits in points
    ]
    assert np.mean(naive) < 0.9


def in_partial_tours(named: bool) -> float:
    """Coverage where each of six tours takes half of the points, and all points of a tour rise and fall together.

    named: whether visits name their tour; else the second visits of two points pass for one moment.
    """
    rng, found = np.random.default_rng(SEED), []
    for _ in range(2 * RUNS):
        tours = normal(rng, 6)
        seen = [np.sort(rng.choice(6, 3, replace=False)) for _ in range(POINTS)]
        points = [visits_of(rng, normal, 3, 1.0, tours[own]) for own in seen]
        names = [own if named else range(3) for own in seen]
        spreads = [spread(visits, 0.95, [*map(int, own)]) for visits, own in zip(points, names, strict=True)]
        drift = drift_of([one for one in spreads if one])
        found += [contains(pooled(visits, drift).interval) for visits in points]
    return float(np.mean(found))


def test_tours_that_leave_points_out_are_distinguished() -> None:
    named, counted = in_partial_tours(named=True), in_partial_tours(named=False)
    assert 0.93 <= named <= 0.98
    assert counted < named


@pytest.mark.parametrize("noise", NOISES)
def test_the_interval_of_one_visit_alone_contains_the_truth_in_less_than_two_thirds(noise: str) -> None:
    """The interval of a run before it visited its points more than once."""
    alone = [contains(visits[0]) for points, _ in runs(NOISES[noise], 3) for visits in points]
    assert np.mean(alone) < 2 / 3


def test_one_visit_is_widened_by_points_of_its_kind_with_three() -> None:
    rng = np.random.default_rng(SEED)
    every = [pool(visits_of(rng, normal, 1), drift, 0.95) for _, drift in runs(normal, 3) for _ in range(4)]
    found = [contains(one.interval) for one in every if one]
    assert len(found) > 0.8 * len(every)
    assert 0.93 <= np.mean(found) <= 0.99


def test_visits_until_it_is_precise_cost_no_coverage() -> None:
    """The second look: a point that is too wide is visited again, up to nine times."""
    rng, found = np.random.default_rng(SEED), []
    for points, drift in runs(one_off, 3):
        for visits in points:
            while (wide := pooled(visits, drift).interval.relative > PRECISION) and len(visits) < 9:
                visits.append(visits_of(rng, normal, 1)[0])
            if not wide:
                found.append(contains(pooled(visits, drift).interval))
    assert len(found) > 0.9 * RUNS * POINTS
    assert 0.93 <= np.mean(found) <= 0.985


def test_two_runs_of_the_same_machine_overlap() -> None:
    """The result of 13 of 52 pairs of quiet runs before."""
    every = [[pooled(visits, drift).interval for visits in points] for points, drift in runs(normal, 3)]
    pairs = [
        (a, b) for one, other in zip(every[::2], every[1::2], strict=True) for a, b in zip(one, other, strict=True)
    ]
    assert np.mean([a.low <= b.high and b.low <= a.high for a, b in pairs]) > 0.98


def test_without_a_drift_one_visit_shows_nothing_and_two_are_enough() -> None:
    visits = visits_of(np.random.default_rng(SEED), normal, 2)
    assert pool(visits[:1], None, 0.95) is None
    alone = pooled(visits, None)
    assert alone.degrees == 1
    assert alone.interval.relative > pooled(visits, Drift(BETWEEN**2, 30.0)).interval.relative


def test_a_point_that_drifts_more_than_its_kind_speaks_for_itself() -> None:
    drift = Drift(1e-6, 40.0)
    calm, wild = ([Interval(m * 0.999, m, m * 1.001, 100) for m in ms] for ms in ((1, 1.001, 0.999), (1, 1.1, 0.9)))
    assert pooled(calm, drift).degrees == 42
    assert pooled(wild, drift).degrees == 2
    assert pooled(wild, drift).interval.relative > 0.2


def test_it_is_never_narrower_than_what_the_visits_know_within() -> None:
    same = [Interval(0.9, 1.0, 1.1, 100)] * 3
    found = pooled(same, Drift(0.0, 1e4))
    assert found.interval.relative == pytest.approx(0.1 * math.sqrt(0.4487), rel=0.02)
    assert found.between_share == pytest.approx(0.0, abs=1e-6)


def test_the_interval_between_visits_is_distinguished_from_that_within() -> None:
    found = pooled([Interval(m * 0.999, m, m * 1.001, 100) for m in (1, 1.02, 0.98)], None)
    assert found.between_share > 0.99


def test_a_visit_without_a_positive_number_makes_no_interval() -> None:
    assert pool([Interval(math.nan, math.nan, math.nan, 0)] * 3, Drift(1e-4, 9.0), 0.95) is None
    assert spread([Interval(0.9, 1, 1.1, 10), Interval(0, 0, 0, 10)], 0.95) is None


@pytest.mark.parametrize("degrees", [1, 2, 4])
def test_the_drift_that_was_put_in_is_found(degrees: int) -> None:
    rng = np.random.default_rng(SEED)
    points = [
        Spread(float((BETWEEN**2 + WITHIN**2) * rng.chisquare(degrees) / degrees), degrees, WITHIN**2)
        for _ in range(400)
    ]
    found = drift_of(points)
    assert found
    assert math.sqrt(found.variance) == pytest.approx(BETWEEN, rel=0.1)
    assert found.degrees > (5 if degrees == 1 else 20)


def test_points_that_drift_unlike_amounts_lend_each_other_little() -> None:
    rng = np.random.default_rng(SEED)
    scale = np.exp(rng.normal(0, 2, 400))
    found = drift_of([Spread(float(one * rng.chisquare(2) / 2), 2, 0.0) for one in scale])
    assert found
    assert found.degrees < 3


def test_few_points_have_no_drift_and_equal_numbers_none_to_speak_of() -> None:
    assert drift_of([Spread(1e-4, 2, 1e-5)] * 3) is None
    found = drift_of([Spread(0.0, 2, 0.0)] * 9)
    assert found
    assert found.variance < 1e-9


def test_visits_that_differ_beyond_all_bounds_have_an_interval_of_finite_numbers() -> None:
    """Seen in a virtual machine on a busy host: two visits a factor of thousands apart, and no other point."""
    visits = [Interval(one * 0.99, one, one * 1.01, 60) for one in (1.0, 1e150)]
    found = pool(visits, None, 0.95)
    assert found is not None
    assert all(math.isfinite(one) for one in (found.interval.low, found.interval.middle, found.interval.high))
    assert found.interval.relative > 1e6
