"""Rival explanations of a curve: buffers of other kinds, and with other units, than the fit of `buffers_search` has.

A rival level is a cell, one of `buffers_kinds` with one of UNITS, and a capacity. UNITS have every whole number of
lines to 1 KiB, then eight to an octave to 8 KiB, and four to 64 KiB. All cells and capacities are tried at one time:
with the other levels unchanged, a column explains

    gain = (column . rest)^2 / |column beyond the others|^2

of the sum of weighted squares (the normal equations of one more regressor). Levels are replaced one after the other by
the one with the most gain, until none helps. Then their capacities are moved as in `buffers_search`. Near its best
capacity the cost of a cell is taken for a parabola in the logarithm of the capacity.
Capacities continue up to the footprint: regions at random show the unit of a buffer that no region outgrows.
Blind to: rivals that no replacement of one level after the other reaches.
"""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from tierscope.arrays import Floats, Truths
from tierscope.stats.buffers_columns import Columns
from tierscope.stats.buffers_kinds import ALL_KINDS, LRU
from tierscope.stats.buffers_model import Fresh
from tierscope.stats.buffers_pair import Pair
from tierscope.stats.buffers_search import APART, SMALLEST, Fit, Place, Search
from tierscope.units import LINE_BYTES, KiB

PER_OCTAVE = 8
LARGEST_UNIT = 64 * KiB
LEAST_UNITS = 2  # in a buffer
AROUND = 3  # capacities of a parabola
KEPT = 5  # cells that are fitted
PAIRS = 4  # kinds of two levels that are
SWEEPS = 6
SAME = 1e-3  # of the cost: with less, the search ends


def _units() -> tuple[int, ...]:
    fine = [LINE_BYTES * lines for lines in range(2, 17)]
    middle = [round(KiB * 2 ** (step / 8) / LINE_BYTES) * LINE_BYTES for step in range(1, 25)]
    coarse = [round(8 * KiB * 2 ** (step / 4) / LINE_BYTES) * LINE_BYTES for step in range(1, 13)]
    return tuple(sorted({*fine, *middle, *coarse}))


UNITS = _units()


@dataclass(frozen=True)
class Cell:
    """A kind and a unit that explain one level: least cost, and the capacities to which it stays below a limit."""

    kind: str
    unit_bytes: int
    cost: float
    low_bytes: float
    capacity_bytes: float
    high_bytes: float


class Rivals:
    """All cells of one curve. They share the points and errors of a search."""

    def __init__(self, search: Search, fresh: Fresh, before: "Rivals | None" = None) -> None:
        """Prepare all columns; `before`: rivals of another search of the same regions, which has them already."""
        self.search = search
        largest = float(fresh.region_bytes.max())
        steps = int(np.log2(max(search.most_bytes / SMALLEST, 1.0)) * PER_OCTAVE) + 1
        self.sizes = SMALLEST * 2.0 ** (np.arange(steps) / PER_OCTAVE)
        self.units = [unit for unit in UNITS if 2 * fresh.line_bytes <= unit < largest and unit % fresh.line_bytes == 0]
        search.add_units(self.units)
        self.columns: Columns = Columns(search, self.units, self.sizes, before.columns.misses if before else None)
        self._known: dict[tuple[tuple[Place, ...], int, int], list[tuple[Place, ...]]] = {}
        self._unit_of = np.tile(np.repeat(np.array(self.units, dtype=np.float64), steps), len(ALL_KINDS))
        self._size_of = np.tile(self.sizes, len(ALL_KINDS) * len(self.units))

    def fits(self, known: tuple[Fit, ...]) -> tuple[Fit, ...]:
        """Return the best fit of each number of levels; those of `buffers_search` are among the starts."""
        found: list[Fit] = []
        for count, fit in enumerate(known):
            starts = [fit.places] if len(fit.places) == count else []
            more = known[count + 1].places if count + 1 < len(known) else ()
            starts += itertools.combinations(more, count) if len(more) == count + 1 else []
            starts += self._added(found[-1].places) if found else []
            found.append(self._best(starts) if starts else found[-1])
        return tuple(found)

    def cells(self, places: tuple[Place, ...], number: int, limit: float) -> list[Cell]:
        """Return the cells that explain level `number` within a limit of cost, with the other levels unchanged."""
        others = (*places[:number], *places[number + 1 :])
        costs = self._costs(others, number, places[number].unit_bytes).reshape(-1, self.sizes.size)
        kinds = itertools.product(ALL_KINDS, self.units)
        found = (self._cell(kind, unit, own, limit) for (kind, unit), own in zip(kinds, costs, strict=True))
        return [cell for cell in found if cell is not None]

    def pairs(self, places: tuple[Place, ...], number: int, limit: float) -> list[Cell]:
        """Return what explains level `number` within a limit of cost if the level before or behind it changes, too."""
        found: list[Cell] = []
        for near in (number - 1, number):
            if near >= 0 and near + 1 < len(places):
                within = Pair(self.search, places, near).within(limit)[number - near]
                unit = places[number].unit_bytes
                found += [Cell(kind, unit, cost, low, best, high) for kind, cost, low, best, high in within]
        return found

    def _costs(self, others: tuple[Place, ...], number: int, own_bytes: int = 0) -> Floats:
        """Return the cost with one more level at `number` among others, for each cell and capacity.

        Infinite where it is out of order, or where its latency would be negative. own_bytes: unit that the level has,
        which is the piece of the next one.
        """
        pieces = [0, *(place.unit_bytes for place in others)]
        columns, own = self.columns.behind(pieces[number])
        if own_bytes:
            pieces = [*pieces[:number], own_bytes, *pieces[number + 1 :]]
        base, _ = np.linalg.qr(self.search.design(others, pieces))
        rest = self.search.target - base @ (base.T @ self.search.target)
        within = base.T @ columns
        along = columns.T @ rest
        length = own - np.einsum("ij,ij->j", within, within)
        good = self._ordered(others, number) & (along > 0) & (length > 1e-9 * own)
        gain = np.where(good, along**2 / np.where(good, length, 1.0), 0.0)
        return np.asarray(np.where(good, float(rest @ rest) - gain, np.inf), dtype=np.float64)

    def _ordered(self, others: tuple[Place, ...], number: int) -> Truths:
        good = self._size_of >= LEAST_UNITS * self._unit_of
        for place, other in enumerate(others):
            if place < number:
                good &= (self._size_of >= APART * other.capacity_bytes) & (self._unit_of >= other.unit_bytes)
            else:
                good &= (APART * self._size_of <= other.capacity_bytes) & (self._unit_of <= other.unit_bytes)
        return np.asarray(good, dtype=np.bool_)

    def _tops(self, others: tuple[Place, ...], number: int, own_bytes: int = 0) -> Iterator[tuple[Place, ...]]:
        """Yield the places with each of the most promising ones at `number` among others; remembered."""
        key = (others, number, own_bytes)
        if key not in self._known:
            self._known[key] = list(self._promising(others, number, own_bytes))
        yield from self._known[key]

    def _promising(self, others: tuple[Place, ...], number: int, own_bytes: int) -> Iterator[tuple[Place, ...]]:
        costs = self._costs(others, number, own_bytes).reshape(-1, self.sizes.size)
        if not costs.size:
            return
        least, at = _least(costs)
        for row in np.argsort(least)[:KEPT]:
            if np.isfinite(least[row]):
                kind, unit = divmod(int(row), len(self.units))
                size = max(SMALLEST * 2.0 ** (at[row] / PER_OCTAVE), float(LEAST_UNITS * self.units[unit]))
                yield (*others[:number], Place(self.units[unit], size, ALL_KINDS[kind]), *others[number:])

    def _settled(self, places: tuple[Place, ...]) -> Fit:
        """Return the fit after levels were replaced, one at a time, as long as that helps."""
        best = self.search.fit(places)
        for _ in range(SWEEPS):
            before = best.cost
            for number in range(len(places)):
                others = (*best.places[:number], *best.places[number + 1 :])
                best = min(
                    (best, *map(self.search.fit, self._tops(others, number, best.places[number].unit_bytes))),
                    key=lambda fit: fit.cost,
                )
            if best.cost >= before * (1 - SAME):
                break
        return best

    def _best(self, starts: Iterable[tuple[Place, ...]]) -> Fit:
        """Return the best of the fits from these starts, all with the same number of levels."""
        best = min((self._settled(start) for start in dict.fromkeys(starts)), key=lambda fit: fit.cost)
        refined = min(best, self.search.refined(best.places), key=lambda fit: fit.cost)
        again = self._settled(refined.places)
        if again.cost < refined.cost:
            refined = min(refined, self.search.refined(again.places), key=lambda fit: fit.cost)
        refined = min((refined, *self._recent(refined.places)), key=lambda fit: fit.cost)
        for number in range(len(refined.places) - 1):
            others = Pair(self.search, refined.places, number).kinds()[:PAIRS]
            refined = min((refined, *map(self.search.refined, others)), key=lambda fit: fit.cost)
        return self._between(refined)

    def _between(self, fit: Fit) -> Fit:
        """Return the fit with units moved by whole lines between those that were tried, one at a time."""
        best = fit
        for number, own in enumerate(fit.places):
            step = self._gap(own.unit_bytes)
            while step >= self.search.line_bytes:
                near = (best.places[number].unit_bytes + move for move in (-step, step))
                best = min((best, *(self._with(best.places, number, unit) for unit in near)), key=lambda one: one.cost)
                step //= 2
        return fit if best is fit else min(best, self.search.refined(best.places), key=lambda one: one.cost)

    def _gap(self, unit: int) -> int:
        """Return half of the distance to the next unit that was tried, in lines, a power of two; 0 if it is a line."""
        line = self.search.line_bytes
        distance = min((abs(other - unit) for other in self.units if other != unit), default=0) // line
        return line << (distance.bit_length() - 2) if distance > 1 else 0

    def _with(self, places: tuple[Place, ...], number: int, unit: int) -> Fit:
        """Return the fit with another unit at `number`, of infinite cost if it is out of order."""
        near = places[number - 1].unit_bytes if number else 2 * self.search.line_bytes
        far = places[number + 1].unit_bytes if number + 1 < len(places) else LARGEST_UNIT
        moved = replace(places[number], unit_bytes=unit)
        if not near <= unit <= far or LEAST_UNITS * unit > moved.capacity_bytes:
            return Fit(places, np.zeros(len(places) + 2), np.inf)
        self.search.add_units([unit])
        return self.search.fit((*places[:number], moved, *places[number + 1 :]))

    def _recent(self, places: tuple[Place, ...]) -> Iterator[Fit]:
        """Yield the fit with one level least recently used: its knee is too sharp for the grid of capacities."""
        for number, own in enumerate(places):
            if own.kind != LRU:
                yield self.search.refined((*places[:number], replace(own, kind=LRU), *places[number + 1 :]))

    def _added(self, places: tuple[Place, ...]) -> Iterator[tuple[Place, ...]]:
        """Yield the places with one more level, in each position where one fits in."""
        for number in range(len(places) + 1):
            yield from itertools.islice(self._tops(places, number), 1)

    def _cell(self, kind: str, unit: int, costs: Floats, limit: float) -> Cell | None:
        """Return the cell by a parabola through the best capacity and its neighbours; None above the limit."""
        (least,), (at,) = _least(costs[None, :])
        if not least <= limit:
            return None
        top = int(np.argmin(costs))
        around = costs[max(top - 1, 0) : top + 2]
        bend = (around[0] + around[-1]) / 2 - costs[top] if around.size == AROUND else 0.0
        reach = float(np.sqrt((limit - least) / bend)) if 0 < bend < np.inf else 0.0
        inside = np.append(np.flatnonzero(costs <= limit), at)
        low = max(min(at - reach, inside.min()), inside.min() - 1)  # where costs are flat, a parabola reaches too far
        high = min(max(at + reach, inside.max()), inside.max() + 1)
        ends = SMALLEST * 2.0 ** (np.array([low, at, high]) / PER_OCTAVE)
        return Cell(kind, unit, float(least), float(ends[0]), float(ends[1]), float(ends[2]))


def _least(costs: Floats) -> tuple[Floats, Floats]:
    """Return the least cost of each row, and its column as a real number, by parabolas; costs: (cells, sizes)."""
    rows, last = np.arange(costs.shape[0]), costs.shape[1] - 1
    top = np.argmin(costs, axis=1)
    middle = costs[rows, top]
    with np.errstate(invalid="ignore"):
        before, after = costs[rows, np.maximum(top - 1, 0)], costs[rows, np.minimum(top + 1, last)]
        bend = (before + after) / 2 - middle
        good = (top > 0) & (top < last) & (bend > 0) & (bend < np.inf)
        shift = np.where(good, (before - after) / np.where(good, 4 * bend, 1.0), 0.0)
        least = np.where(good, np.maximum(middle - bend * shift**2, 0.0), middle)
    return least, np.add(top, shift, dtype=np.float64)
