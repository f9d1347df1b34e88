"""Points of a curve of fresh regions that are worth more time, because answers that differ depend on them.

An answer is a number of buffers, and a capacity and a unit for each. All kinds of replacement, the units next to the
one that was found, and the capacities within an octave of it are tried in place of each buffer, with all times fitted
again. *Rivals* are those that leave no more of the curve than the interval of an answer allows, and that would be
another answer: a capacity that is WIDE or more away, or another unit. So are the best fits with one buffer less or
more, where these would raise a doubt.

A point matters if it differs between a rival and the best fit by more than the error of the model, which no time makes
less. It is worth more time until the error of its median is small next to that of the model. So the steps between
plateaus decide: a rival of a buffer with a small step changes latencies by little, and its points need more time.
Without a rival, no point is worth more.

The idea is that of designs that discriminate between models: G. E. P. Box and W. J. Hill, "Discrimination Among
Mechanistic Models", Technometrics 9, 1967.
Blind to rivals with two buffers changed at the same time, and to units far from the one that was found.
"""

from collections.abc import Iterator

import numpy as np

from tierscope.arrays import Floats, Truths
from tierscope.stats import buffers_errors as errors
from tierscope.stats.buffers import ALIKE, SHARE, WIDE, of_expected_kind
from tierscope.stats.buffers_doubts import CHANCE, ENOUGH, LEAST, counts
from tierscope.stats.buffers_kinds import ALL_KINDS
from tierscope.stats.buffers_levels import Curve
from tierscope.stats.buffers_search import Fit, Place, Search
from tierscope.stats.median import student

AROUND = 2.0 ** (np.arange(-8, 9) / 8)  # times a capacity
UNITS = (0.5, 0.75, 1.0, 1.5, 2.0)  # times a unit


def worth_time(curve: Curve, share: float = 1.0) -> list[tuple[int, float]]:
    """Return the place in the curve of each point that decides between answers, and the relative error that it needs.

    share: this error over that of the model, which no time makes less.
    """
    model_s = errors.misses(curve)
    search, known, best = of_expected_kind(curve, model_s)
    free = max(1, search.points - 3 * len(best.places) - 2)
    limit = ALIKE * max(LEAST, best.cost / free) * student(SHARE, float(free)) ** 2
    more = _decides(search, known, best, model_s, limit) & (curve.latency_s * curve.spread > share * model_s)
    return [(int(at), float(share * model_s[at] / curve.latency_s[at])) for at in np.flatnonzero(more)]


def _decides(search: Search, known: tuple[Fit, ...], best: Fit, model_s: Floats, limit: float) -> Truths:
    """Return whether rivals and the best fit differ at each point by more than the model's error, of shape (points,).

    known: best fits for each number of levels. limit: what a rival may leave beyond the best one of its kind, in the
    weighted squares of the search.
    """
    apart = np.zeros(search.points)
    for away in _away(search, known, best, limit):
        apart = np.maximum(apart, away / search.weight)
    return np.asarray(apart > model_s, dtype=np.bool_)


def _away(search: Search, known: tuple[Fit, ...], best: Fit, limit: float) -> Iterator[Floats]:
    """Yield the weighted distances of rivals from the best fit, each of shape (points,)."""
    own = search.design(best.places) @ best.times_s
    for number in range(len(best.places)):
        yield _farthest(search, best, number, limit)
    for fit in _other_numbers(search, known, best, limit):
        yield np.abs(search.design(fit.places) @ fit.times_s - own)


def _other_numbers(search: Search, known: tuple[Fit, ...], best: Fit, limit: float) -> Iterator[Fit]:
    """Yield the fits with one level less or more that would raise a doubt."""
    count = len(best.places)
    free = max(1, search.points - 3 * count - 2)
    for fit in known[max(count - 1, 0) : count]:
        if fit.cost <= max(best.cost + limit, ENOUGH**2 * free):
            yield fit
    for fit in known[count + 1 : count + 2]:
        if len(fit.places) > count and counts(fit) and best.cost - fit.cost > CHANCE * best.cost / free:
            yield fit


def _farthest(search: Search, best: Fit, number: int, limit: float) -> Floats:
    """Return how far rivals of one level are from the best of all that were tried there, of shape (points,)."""
    place = best.places[number]
    others = (*best.places[:number], *best.places[number + 1 :])
    sizes = place.capacity_bytes * AROUND
    tried = [(kind, unit) for kind in ALL_KINDS for unit in _units(search, place, number, best)]
    search.add_units({unit for _, unit in tried})
    columns = np.concatenate([search.models[unit].misses(sizes, kind) for kind, unit in tried], axis=1)
    columns = columns * search.weight[:, None]
    unit_of = np.repeat([unit for _, unit in tried], sizes.size)
    size_of = np.tile(sizes, len(tried))
    base, _ = np.linalg.qr(search.design(others))
    rest = search.target - base @ (base.T @ search.target)
    beyond = columns - base @ (base.T @ columns)
    along, length = beyond.T @ rest, np.einsum("ij,ij->j", beyond, beyond)
    good = (along > 0) & (length > 1e-9) & (size_of >= 2 * unit_of)
    step = np.where(good, along / np.where(good, length, 1.0), 0.0)
    cost = np.where(good, float(rest @ rest) - along * step, np.inf)
    if not np.isfinite(cost.min(initial=np.inf)):
        return np.zeros(search.points)
    first = int(np.argmin(cost))
    other = (np.abs(size_of / size_of[first] - 1) >= WIDE) | (unit_of != unit_of[first])
    rivals = other & (cost <= cost[first] + limit)
    distance = np.abs(beyond[:, rivals] * step[rivals] - (beyond[:, first] * step[first])[:, None])
    return np.asarray(distance.max(axis=1, initial=0.0), dtype=np.float64)


def _units(search: Search, place: Place, number: int, best: Fit) -> list[int]:
    """Return whole lines near the unit of a level, none beyond those of its neighbours."""
    line = search.line_bytes
    least = best.places[number - 1].unit_bytes if number else 2 * line
    most = best.places[number + 1].unit_bytes if number + 1 < len(best.places) else place.unit_bytes * 2
    near = {round(place.unit_bytes * factor / line) * line for factor in UNITS}
    return sorted(unit for unit in near if least <= unit <= most) or [place.unit_bytes]
