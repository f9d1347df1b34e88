"""How often a visit to a fresh region misses a buffer: a closed form for least-recently-used entries.

A region of n lines is walked once in a random order, then the next region. A buffer has N entries of one unit, m
lines each. Let U = n / m units be in the region. A visit finds its unit if a neighbour in the unit was visited before
and fewer than N other units since. With k visits between two visits of one unit,

    P(k' >= k)  = C(n - k, m) / C(n, m)
    E[D | k]    = (U - 1) (1 - p1),    p_j = C(a - j m, k) / C(a, k),  a = n - m
    Var[D | k]  = (U - 1) p1 (1 - p1) + (U - 1) (U - 2) (p2 - p1^2)
    P(hit | k)  = Phi((N - 1/2 - E) / sqrt(Var))
    P(miss)     = 1 / m + (1 - 1 / m) (1 - mean over k of P(hit | k))

with D the other units among k draws without replacement. In a region smaller than the unit only the first visit can
miss. Where regions follow one another by address, the unit is that of the region before: one visit in m misses. Where
they are scattered over a footprint, the same formulas apply with regions in place of lines.
A buffer behind another one is taken to see all visits, which only orders its entries a little otherwise.
Each of several memories side by side sees the blocks of a region that are in it, as a region of its own. Regions that
follow one another need not begin with a block: one of 56 KiB is seldom in one block of 64 KiB.
Two lines of a pair are `stride` bytes apart, and all pairs are in a random order. The first line of a pair comes first
in its unit, the second one only if a unit ends between them. So pairs show units, whatever the capacity and the kind.
Blind to buffers whose unit is one line: a line visited once is never found. Against an exact simulation it is off by
less than 1 % of the latency of a typical device (tests/unit/test_stats_buffers.py).
Source for the protocol: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020; for the
moments: N. L. Johnson and S. Kotz, "Urn Models and Their Application", 1977 (occupancy without replacement).
"""

import functools
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats, Places, Truths
from tierscope.stats.buffers_apart import apart
from tierscope.stats.buffers_kinds import LRU, hits
from tierscope.units import LINE_BYTES, KiB

GAPS = 160  # quantiles of the gap between two visits
EXACT = GAPS  # lines up to which each gap is one
PLACES = 16  # of a block where regions begin, at most
MANY = 8  # blocks in one memory: with more of them, it hardly matters where in a block a region begins
SURE = 9.0  # standard deviations: then 1 - P rounds to 1 or to 0
REMEMBERED = 2048  # capacities of a unit: a fit asks for the same ones again while it changes another level


@dataclass(frozen=True)
class Fresh:
    """Regions that were walked, arrays of shape (points,)."""

    region_bytes: Floats
    scattered: Truths  # whether regions follow one another at random, not by address
    footprint_bytes: Floats  # over which all regions are scattered
    ways: int = 1  # memories side by side
    grain_bytes: int = 4 * KiB  # in each, before the next one begins
    line_bytes: int = LINE_BYTES  # of the caches: what one visit reads
    stride_bytes: Floats | None = None  # between the two lines of a region, if they are a pair; 0: of no pair

    def strides(self) -> Floats:
        """Return the strides of pairs, 0 where all lines of a region follow one another."""
        return np.zeros(self.region_bytes.size) if self.stride_bytes is None else self.stride_bytes


class Unit:
    """Misses of buffers of one unit in all regions; what does not depend on the capacity is computed once."""

    def __init__(self, fresh: Fresh, unit_bytes: int) -> None:
        self._ways = fresh.ways
        self._point, self._weight, parts, self._origin = _per_memory(fresh)
        self._all = _Alone(parts, unit_bytes, self._met_again(fresh, parts, unit_bytes))
        self._known: dict[tuple[float, str, int], Floats] = {}

    def misses(self, capacity_bytes: float | Floats, kind: str = LRU, piece_bytes: int = 0) -> Floats:
        """Share of visits, of shape (points,), or (points, capacities) for an array of capacities.

        capacity_bytes: of all memories together; infinite: everything stays. kind: of `buffers_kinds`. piece_bytes:
        unit of the buffer before, which asks for one line of it only; with several memories all units divide a block.
        """
        piece = piece_bytes if self._ways == 1 else 0
        if isinstance(capacity_bytes, np.ndarray):
            return self._together(self._all.misses(capacity_bytes / self._ways, kind, piece))
        key = (float(capacity_bytes), kind, piece)
        if key not in self._known:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            own = np.asarray(capacity_bytes, dtype=np.float64) / self._ways
            found = self._known[key] = self._together(self._all.misses(own, kind, piece))
            found.flags.writeable = False
        return self._known[key]

    def first_visits(self, piece_bytes: int) -> tuple[Floats, Floats]:
        """Return the share of visits that come first in their piece, and of those, that come first in their unit.

        With one memory, of shape (points,).
        """
        return self._all.first_visits(piece_bytes)

    def behind(self, seen: Floats, capacity_bytes: float, kind: str = LRU) -> Floats:
        """Share of all visits, of shape (points,), that miss this buffer and those before it.

        seen: share of visits that miss those before it, of shape (points,).
        """
        own = np.asarray(capacity_bytes, dtype=np.float64) / self._ways
        return self._together(self._all.behind(seen[self._origin], own, kind))

    def _met_again(self, fresh: Fresh, parts: Fresh, unit_bytes: int) -> Floats:
        """Return by what the units met by the parts of a region are too many, of the shape of parts.

        Units that divide a block meet the same regions as in one memory: where a block ends, a unit ends, too. A part
        of a region begins anywhere in `_met`, but not where the end of a block cuts it.
        """
        if self._ways == 1 or fresh.grain_bytes % unit_bytes:
            return np.ones(parts.region_bytes.size)
        each = _met(parts.region_bytes, unit_bytes) * self._weight / parts.region_bytes
        of_parts = np.add.reduceat(each, self._point) * fresh.region_bytes
        return np.asarray((_met(fresh.region_bytes, unit_bytes) / of_parts)[self._origin], dtype=np.float64)

    def _together(self, found: Floats) -> Floats:
        if self._ways == 1:
            return found
        weighted = found * self._weight.reshape(-1, *[1] * (found.ndim - 1))
        return np.asarray(np.add.reduceat(weighted, self._point), dtype=np.float64)


def _per_memory(fresh: Fresh) -> tuple[Places, Floats, Fresh, Places]:
    """Return what each memory sees of a region: where the parts of each begin, their share of its visits, the parts,
    and the region of each.

    Blocks of a region are in the memories one after the other, from the place in a block where the region begins.
    """
    begin: list[int] = []
    weights: list[float] = []
    regions: list[float] = []
    origin: list[int] = []
    strides = fresh.strides()
    for number, region in enumerate(fresh.region_bytes):
        begin.append(len(weights))
        ways = 1 if strides[number] else fresh.ways  # a pair in two memories is in two units, too
        for own, share in _shares(float(region), ways, fresh.grain_bytes):
            weights.append(share)
            regions.append(own)
            origin.append(number)
    parts = Fresh(
        np.array(regions), fresh.scattered[origin], fresh.footprint_bytes[origin] / fresh.ways,
        line_bytes=fresh.line_bytes, stride_bytes=strides[origin],
    )  # fmt: skip
    return np.array(begin), np.array(weights), parts, np.array(origin)


@functools.lru_cache(maxsize=1024)
def _shares(region: float, ways: int, grain: int) -> tuple[tuple[float, float], ...]:
    """Return (bytes in one memory, share of all bytes that are in such memories).

    Regions follow one another, so that they begin in every place of a block that their size allows.
    """
    if ways == 1:
        return ((region, 1.0),)
    step = grain if region >= MANY * ways * grain else max(math.gcd(int(region), grain), grain // PLACES)
    begins = range(0, grain, step)
    found: defaultdict[float, float] = defaultdict(float)
    for begin in begins:
        for own in _parts(float(begin), region, ways, grain):
            found[own] += own / region / len(begins)
    return tuple(sorted(found.items()))


def _parts(begin: float, region: float, ways: int, grain: int) -> Iterator[float]:
    """Yield the bytes in each memory of a region that begins in the first block, without those that have none."""
    round_bytes = ways * grain
    for way in range(ways):
        before, after = (
            end // round_bytes * grain + min(max(end % round_bytes - way * grain, 0), grain)
            for end in (begin, begin + region)
        )
        if after > before:
            yield after - before


class _Alone:
    """The same of one memory."""

    def __init__(self, fresh: Fresh, unit_bytes: int, met: Floats | float = 1.0) -> None:
        self._met = met  # times the units that each region meets at random
        region, scattered, stride = fresh.region_bytes, fresh.scattered, fresh.strides()
        self.unit_bytes = unit_bytes
        small = (region < unit_bytes) | (stride > 0)
        self._small = small & scattered
        together = small & scattered & (2 * stride <= unit_bytes)  # all lines of a region are in one unit
        pieces = np.where(together, region, fresh.line_bytes)  # what is walked in a random order
        walked = np.where(small & scattered, np.maximum(fresh.footprint_bytes, unit_bytes), region)
        self._pieces = unit_bytes / pieces  # of one unit
        self._fresh = fresh
        self._share, self._first = self.first_visits(0)
        self._units = np.where(small & ~scattered, 0.0, walked / unit_bytes)
        parts = [
            _gaps(n, m) if units > 1 and m > 1 else _nothing()
            for n, m, units in zip(walked / pieces, self._pieces, self._units, strict=True)
        ]
        self._expected = np.array([part[0] for part in parts])
        self._spread = np.array([part[1] for part in parts])
        self._all_miss = (self._expected - SURE * self._spread).min(axis=1)  # entries up to which, but for first visits
        self._all_hit = (self._expected + SURE * self._spread).max(axis=1)

    def misses(self, capacity_bytes: float | Floats, kind: str, piece_bytes: int = 0) -> Floats:
        """Return the same as `Unit.misses`."""
        entries = np.asarray(capacity_bytes, dtype=np.float64)[..., None] / self.unit_bytes
        found = self._recent(entries) if kind == LRU else self._other(entries, kind)
        all_share, all_first = self.first_visits(piece_bytes) if piece_bytes else (self._share, self._first)
        share = all_share * (1.0 - (1.0 - all_first) * found)
        return np.asarray(np.moveaxis(share, -1, 0), dtype=np.float64)

    def first_visits(self, piece_bytes: int) -> tuple[Floats, Floats]:
        """Return the same as `Unit.first_visits`."""
        region, line, stride = self._fresh.region_bytes, self._fresh.line_bytes, self._fresh.strides()
        met = _met(region, self.unit_bytes, piece_bytes) * self._met
        for at in np.flatnonzero(stride):
            met[at] = 1 + apart(int(stride[at]), self.unit_bytes, piece_bytes)
        met *= line / region
        share = np.where(self._small, met, line * self._pieces / self.unit_bytes)
        within = ~self._small & self._fresh.scattered
        return share, np.where(within, met, 1 / self._pieces)

    def behind(self, seen: Floats, capacity_bytes: Floats, kind: str) -> Floats:
        """Return the same as `Unit.behind`.

        The visits that come here are fewer, those of each unit as well: seen * m of m lines. The closed form is for m,
        so that of fewer is in proportion to the table.
        """
        entries = capacity_bytes[..., None] / self.unit_bytes
        alone = self.misses(capacity_bytes, kind)
        lines = np.maximum(self._pieces * seen, 1.0)
        found, whole = (self._other(entries, kind, own) for own in (lines, self._pieces))
        if kind == LRU:
            exact = self._recent(entries)
            found = np.where(whole > 0, np.minimum(found * exact / np.where(whole > 0, whole, 1.0), 1.0), found)
        first = np.minimum(self._first / seen, 1.0)
        return np.where(self._small, np.minimum(alone, seen), seen * (1.0 - (1.0 - first) * found))

    def _recent(self, entries: Floats) -> Floats:
        """Return the share of hits among visits that do not come first, by the closed form."""
        from scipy.special import ndtr  # slow to load, and not needed by every run

        least, most = entries.min(initial=np.inf) - 0.5, entries.max(initial=0.0) - 0.5
        open_ = (self._units > least + 0.5) & (self._all_hit > least) & (self._all_miss < most)
        found = np.broadcast_to(
            np.where(self._all_miss >= most, 0.0, 1.0), np.broadcast_shapes(entries.shape, self._units.shape)
        ).copy()
        away = (entries[..., None] - 0.5 - self._expected[open_]) / self._spread[open_]
        found[..., open_] = ndtr(away).mean(axis=-1)
        return np.where(self._units <= entries, 1.0, found)

    def _other(self, entries: Floats, kind: str, lines: Floats | None = None) -> Floats:
        """Return the same by the table. lines: that visit a unit; those of a unit if not given."""
        ratio = entries / np.maximum(self._units, 1e-9)
        return np.where(self._units == 0, 1.0, hits(kind, self._pieces if lines is None else lines, ratio, entries))


def _met(region: Floats, unit_bytes: int, piece_bytes: int = 0) -> Floats:
    """Return the mean number of units that a region at any place meets, of shape (points,).

    One line of each piece is asked for, at random, so that a piece in two units meets one of them.
    """
    common = np.maximum(np.gcd(region.astype(np.int64), unit_bytes), np.minimum(piece_bytes, region))
    return np.asarray(np.maximum(region + unit_bytes - common, unit_bytes) / unit_bytes, dtype=np.float64)


def _nothing() -> tuple[Floats, Floats]:
    return np.zeros(GAPS), np.ones(GAPS)


@functools.lru_cache(maxsize=8192)
def _gaps(n: float, m: float) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of the units met between two visits to one, at GAPS equally likely gaps.

    Both take 2.5 KB and are remembered: fits of a growing number of points ask for the same ones.
    """
    share = (np.arange(GAPS) + 0.5) / GAPS
    if n <= EXACT:
        reach = np.arange(0.0, n - m + 1)
        beyond = np.exp(_choose(n - reach, m) - _choose(n, m))  # of gaps of at least this number of visits
        gap = reach[np.searchsorted(-beyond, -(1 - share), side="right") - 1]
    else:
        gap = np.floor((n - (m - 1) / 2) * (1 - (1 - share) ** (1 / m)))
    gap = np.clip(gap, 0.0, n - m)
    others, a = n / m - 1, n - m
    one = np.exp(_choose(a - m, gap) - _choose(a, gap))
    two = np.exp(_choose(a - 2 * m, gap) - _choose(a, gap)) if others >= 2 else np.zeros(GAPS)
    variance = others * one * (1 - one) + others * (others - 1) * (two - one**2)
    return others * (1 - one), np.sqrt(np.maximum(variance, 1e-6))


def _choose(of: float | Floats, taken: float | Floats) -> Floats:
    """Return ln C(of, taken); minus infinity where `taken` is too many."""
    from scipy.special import gammaln

    of, taken = np.broadcast_arrays(np.asarray(of, dtype=np.float64), np.asarray(taken, dtype=np.float64))
    possible = (of >= taken) & (of >= 0)
    safe = np.where(possible, of, taken)
    found = gammaln(safe + 1) - gammaln(taken + 1) - gammaln(safe - taken + 1)
    return np.where(possible, found, -np.inf)
