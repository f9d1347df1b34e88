"""The buffers that explain a curve best: a search over units and capacities, latencies by least squares within.

    latency(region) = first + sum over levels of step_i * misses_i(region) + entry * share of visits that come first

Given capacities and units it is linear in times that are not negative: C. L. Lawson and R. J. Hanson, "Solving Least
Squares Problems", 1974. One and two levels are tried at all places of a grid, a third one added to the best pairs; the
best sets of units are then refined in their capacities (J. A. Nelder and R. Mead, "A Simplex Method for Function
Minimization", The Computer Journal 7, 1965).
`entry` is what the first visit to a region costs where regions are scattered: a walk of pages, not a buffer.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tierscope.arrays import Floats
from tierscope.stats.buffers_kinds import LRU
from tierscope.stats.buffers_model import Fresh, Unit
from tierscope.units import KiB

UNITS = tuple(128 << step for step in range(7))  # to 8 KiB; from two lines on, since a line is never found again
PER_OCTAVE = 8  # capacities of the grid
SMALLEST = KiB
REACH = 2  # the largest region over the largest capacity that is looked for
APART = 1.3  # least ratio of two capacities
KEPT = 6  # sets of units that are refined
PAIRS = 28
IMPOSSIBLE = 1e300  # cost of capacities out of order; finite, since minimize subtracts one cost from another
CLOSE = 2.0  # times the cost of the best fit: with another unit, before the capacities are moved


@dataclass(frozen=True)
class Place:
    """A level without its latency."""

    unit_bytes: int
    capacity_bytes: float
    kind: str = LRU


@dataclass(frozen=True)
class Fit:
    """Levels from the nearest on. times_s: first, step of each level, entry; `cost` is the sum of weighted squares."""

    places: tuple[Place, ...]
    times_s: Floats
    cost: float


class Search:
    """All fits of one curve; latency_s and sigma_s are of shape (points,).

    models: of another search of the same regions.
    """

    def __init__(self, fresh: Fresh, latency_s: Floats, sigma_s: Floats, models: dict[int, Unit] | None = None) -> None:
        self.points = latency_s.size
        self.largest_bytes = float(fresh.region_bytes.max())
        self.most_bytes = max(self.largest_bytes, float(fresh.footprint_bytes.min()))  # of a capacity
        self.line_bytes = fresh.line_bytes
        self.weight = 1 / sigma_s
        self.target = latency_s * self.weight
        self._entry = np.where(fresh.scattered, fresh.line_bytes / fresh.region_bytes, 0.0)
        largest = self.largest_bytes / REACH
        self.models, self.fresh = dict(models or {}), fresh
        usual = [unit for unit in UNITS if 2 * fresh.line_bytes <= unit < largest]
        self.add_units(usual)
        self.units = {unit: self.models[unit] for unit in usual}
        steps = int(np.log2(max(largest / SMALLEST, 1.0)) * PER_OCTAVE) + 1
        self.capacities = SMALLEST * 2.0 ** (np.arange(steps) / PER_OCTAVE)
        self._grid = [Place(unit, float(size)) for unit in self.units for size in self.capacities]
        found = [unit.misses(self.capacities) for unit in self.units.values()]
        empty = np.empty((self.points, 0))
        self._columns = np.concatenate(found, axis=1) * self.weight[:, None] if found else empty
        self._allowed = np.array([place.capacity_bytes >= place.unit_bytes for place in self._grid], dtype=bool)
        sizes = np.array([place.capacity_bytes for place in self._grid])
        units = np.array([place.unit_bytes for place in self._grid])
        self._behind = (sizes[None, :] >= APART * sizes[:, None]) & (units[None, :] >= units[:, None])
        self._behind &= self._allowed[:, None] & self._allowed[None, :]

    def add_units(self, units: Iterable[int]) -> None:
        """Add units that `best` does not try, in bytes."""
        self.models |= {unit: Unit(self.fresh, unit) for unit in units if unit not in self.models}

    def design(self, places: Sequence[Place], pieces: Sequence[int] = ()) -> Floats:
        """Return weighted columns of `times_s`, of shape (points, levels + 2).

        pieces: unit of the buffer before each, in bytes, if that is none of the places.
        """
        before = pieces or [0, *(place.unit_bytes for place in places)]
        levels = [
            self.models[place.unit_bytes].misses(place.capacity_bytes, place.kind, piece)
            for place, piece in zip(places, before, strict=False)
        ]
        return np.stack([np.ones(self.points), *levels, self._entry], axis=1) * self.weight[:, None]

    def fit(self, places: tuple[Place, ...]) -> Fit:
        """Return the times that fit these places best."""
        from scipy.optimize import nnls  # slow to load, and not needed by every run

        times, rest = nnls(self.design(places), self.target)
        return Fit(places, times, rest**2)

    def refined(self, places: tuple[Place, ...]) -> Fit:
        """Return the fit with capacities moved to where the cost is least; units stay."""
        from scipy.optimize import minimize  # slow to load, and not needed by every run

        if not places:
            return self.fit(places)
        steps = 60 * len(places)
        found = minimize(
            lambda logs: self._cost(places, logs),
            np.log2([place.capacity_bytes for place in places]),
            method="Nelder-Mead",
            options={
                "xatol": 2e-3,
                "fatol": 1e-3,
                "maxfev": steps,
                "initial_simplex": self._simplex(places),
            },
        )
        return self.fit(_moved(places, found.x))

    def best(self, levels: int) -> Fit:
        """Return the best fit with this number of levels, or with fewer where no more have room."""
        sets = self._sets(levels)
        fits = [self.refined(places) for places in sets]
        return self._settled(min(fits, key=lambda fit: fit.cost)) if fits else self.fit(())

    def _settled(self, fit: Fit) -> Fit:
        """Return the fit after units were halved and doubled, one at a time, as long as that helps."""
        near = (self.refined(one) for one in self._beside(fit.places) if self.fit(one).cost < CLOSE * fit.cost)
        best = min(near, key=lambda other: other.cost, default=fit)
        return self._settled(best) if best.cost < fit.cost else fit

    def _beside(self, places: tuple[Place, ...]) -> Iterator[tuple[Place, ...]]:
        """Yield the same capacities with one unit changed."""
        for number, place in enumerate(places):
            for unit in (place.unit_bytes // 2, place.unit_bytes * 2):
                moved = (*places[:number], Place(unit, place.capacity_bytes), *places[number + 1 :])
                if (
                    unit in self.units
                    and unit <= place.capacity_bytes
                    and all(_behind(a, b) for a, b in itertools.pairwise(moved))
                ):
                    yield moved

    def _cost(self, places: tuple[Place, ...], logs: Floats) -> float:
        moved = _moved(places, logs)
        ordered = all(APART * a.capacity_bytes <= b.capacity_bytes for a, b in itertools.pairwise(moved))
        inside = all(place.unit_bytes <= place.capacity_bytes <= self.most_bytes for place in moved)
        return self.fit(moved).cost if ordered and inside else IMPOSSIBLE

    @staticmethod
    def _simplex(places: tuple[Place, ...]) -> Floats:
        start = np.log2([place.capacity_bytes for place in places])
        return np.vstack([start, start + np.eye(len(places)) / PER_OCTAVE])

    def _sets(self, levels: int) -> list[tuple[Place, ...]]:
        """Return places to begin with, one for each set of units, the most promising first."""
        if levels == 0 or not self._grid:
            return [()]
        if levels == 1:
            gain = np.where(self._allowed, self._single(()), -np.inf)
            return self._distinct([(float(gain[i]), (self._grid[i],)) for i in np.argsort(-gain)[:400]], KEPT)
        pairs = self._pairs()
        if levels == 2:
            return [places for _, places in pairs[:KEPT]]
        return self._distinct(self._triples(pairs), KEPT)

    def _triples(self, pairs: list[tuple[float, tuple[Place, ...]]]) -> list[tuple[float, tuple[Place, ...]]]:
        """Return each pair with a third level added; then each of the three is once more added to the other two."""
        found = []
        for _, pair in pairs:
            triple = self._added(pair)
            for number in range(3) if triple else ():
                if triple and (again := self._added(triple[:number] + triple[number + 1 :])):
                    triple = again
            if triple:
                found.append((-self.fit(triple).cost, triple))
        return sorted(found, key=lambda one: -one[0])

    def _added(self, places: tuple[Place, ...]) -> tuple[Place, ...] | None:
        """Return one more level where it helps most and is in order with the others."""
        gain = np.where(self._allowed, self._single(places), -np.inf)
        for index in np.argsort(-gain)[:200]:
            if not np.isfinite(gain[index]):
                return None
            all_of_them = (*places, self._grid[index])
            ordered = tuple(sorted(all_of_them, key=lambda place: place.capacity_bytes))
            if all(_behind(a, b) for a, b in itertools.pairwise(ordered)):
                return ordered
        return None

    def _projected(self, places: tuple[Place, ...]) -> tuple[Floats, Floats]:
        """Return all columns, and the target, without what `first`, `entry` and the places explain."""
        base, _ = np.linalg.qr(self.design(places))
        columns = self._columns - base @ (base.T @ self._columns)
        return columns, self.target - base @ (base.T @ self.target)

    def _single(self, places: tuple[Place, ...]) -> Floats:
        """Return what each place of the grid would explain beyond these; minus infinity for a negative latency."""
        columns, target = self._projected(places)
        along = columns.T @ target
        length = np.einsum("ij,ij->j", columns, columns)
        return np.where((along > 0) & (length > 1e-9), along**2 / np.maximum(length, 1e-9), -np.inf)

    def _pairs(self) -> list[tuple[float, tuple[Place, ...]]]:
        """Return the best two places for each pair of units: normal equations of all pairs at the same time."""
        columns, target = self._projected(())
        along, both = columns.T @ target, columns.T @ columns
        own = np.diag(both)
        area = own[:, None] * own[None, :] - both**2
        one = along[:, None] * own[None, :] - along[None, :] * both
        two = along[None, :] * own[:, None] - along[:, None] * both
        possible = self._behind & (area > 1e-9 * own[:, None] * own[None, :]) & (one > 0) & (two > 0)
        gain = np.where(
            possible, (along[:, None] * one + along[None, :] * two) / np.where(possible, area, 1.0), -np.inf
        )
        count, sizes = len(self.units), self.capacities.size
        blocks = gain.reshape(count, sizes, count, sizes).transpose(0, 2, 1, 3).reshape(count, count, -1)
        found: list[tuple[float, tuple[Place, ...]]] = []
        for a, b in itertools.product(range(count), repeat=2):
            at = int(np.argmax(blocks[a, b]))
            if np.isfinite(blocks[a, b, at]):
                first, second = divmod(at, sizes)
                places = (self._grid[a * sizes + first], self._grid[b * sizes + second])
                found.append((float(blocks[a, b, at]), places))
        return sorted(found, key=lambda one: -one[0])[:PAIRS]

    @staticmethod
    def _distinct(ranked: list[tuple[float, tuple[Place, ...]]], most: int) -> list[tuple[Place, ...]]:
        """Return the first of each set of units."""
        seen: dict[tuple[int, ...], tuple[Place, ...]] = {}
        for _, places in ranked:
            seen.setdefault(tuple(place.unit_bytes for place in places), places)
        return list(seen.values())[:most]


def _behind(near: Place, far: Place) -> bool:
    return far.capacity_bytes >= APART * near.capacity_bytes and far.unit_bytes >= near.unit_bytes


def _moved(places: tuple[Place, ...], logs: Floats) -> tuple[Place, ...]:
    return tuple(replace(place, capacity_bytes=float(2**log)) for place, log in zip(places, logs, strict=True))
