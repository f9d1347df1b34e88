"""The misses of a cyclic pass over a footprint in a cache, and the caches whose staircase is the measured one.

    n = footprint / (line * sets)                              [lines of each set; those of a set: n rounded down or up]
    lru:     a set misses always if it has more lines than ways, else never
    random:  m = 1 - (1 - 1 / ways)^(m * n)                    [1], 0 for n up to `ways`
    nru:     m(n) by simulation of a set; a bit for each way, as in the simulator
    latency(footprint) = t_1 + sum over levels of m_k(footprint) * (t_k+1 - t_k)      [s]

Least recently used has a sharp knee, random replacement a soft one, and not recently used one in between. Sizes and
policies are those of the least sum of |ln(model / measured)| beyond 5 %, the smallest of equals; level by level, twice.
A size that the system reports is kept unless another one fits better. A level too narrow to be a plateau of its own is
added behind the others (`widened`) where it explains the rise much better.
Blind to pages that fill sets unevenly, and to shares that neighbours take and release: both show as a soft knee.
Source: J. E. Smith and J. R. Goodman, "A Study of Instruction Cache Organizations and Replacement Policies", ISCA 1983:
the loop model.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from tierscope.arrays import Floats
from tierscope.units import LINE_BYTES

POLICIES = ("lru", "nru", "random")
STEPS = 200  # of the balance, which is slow at the knee: after these steps it is within 0.01 there
ROUNDS = 60  # of a simulated set; half of them settle it
LONGEST = 4  # times the ways: a longer cycle always misses, except for one line in e^4 with random replacement
FINE = 32  # sizes tried to an octave
WIDE = 1.0  # octaves on either side of where the level seemed to end
TOLERANCE = 0.05  # of a latency: what page walks add to a plateau in an octave
BELIEVED = 0.001  # of the mean misfit: least gain of a fitted size over the reported one
KEPT = 0.005  # the same for a level, compared with none
TRIED = 12  # latencies of a level that is not a plateau


@dataclass(frozen=True, slots=True)
class Shape:
    """One cache of a staircase. `reported_bytes`: 0 where the system names none of about this size."""

    latency_s: float
    size_bytes: float
    ways: int
    policy: str = "lru"
    reported_bytes: int = 0
    line_bytes: int = LINE_BYTES


def missing(shape: Shape, footprint_bytes: Floats) -> Floats:
    """Return the share of the accesses that miss, shape (points,)."""
    lines = footprint_bytes / shape.size_bytes * shape.ways
    table = _misses(shape.policy, shape.ways)
    whole = np.floor(lines)
    fuller = lines - whole  # share of the sets that have one line more

    def of(count: Floats) -> Floats:
        missed: Floats = count * table[np.minimum(count, len(table) - 1).astype(int)]
        return missed

    share: Floats = ((1 - fuller) * of(whole) + fuller * of(whole + 1)) / np.maximum(lines, 1e-9)
    return share


@cache
def _misses(policy: str, ways: int) -> Floats:
    """Return the share of misses of a cycle through 0, 1, 2, ... lines of one set."""
    played = {"lru": _lru, "nru": _nru, "random": _random}[policy]
    counts = range(ways + 1, LONGEST * ways + 1)
    misses: Floats = np.array([0.0] * (ways + 1) + [played(count, ways) for count in counts] + [1.0])
    return misses


def _lru(lines: int, ways: int) -> float:
    return float(lines > ways)


def _random(lines: int, ways: int) -> float:
    share = 1.0
    for _ in range(STEPS):
        share = 1 - (1 - 1 / ways) ** (share * lines)
    return share


def _nru(lines: int, ways: int) -> float:
    draw = np.random.default_rng(lines)
    held: dict[int, int] = {}  # line -> way
    where: list[int | None] = [None] * ways
    recent: set[int] = set()
    missed = 0
    for step in range(ROUNDS * lines):
        line = step % lines
        way = held.get(line)
        if way is None:
            missed += step >= ROUNDS * lines // 2
            free = [w for w in range(ways) if w not in recent] or [0]
            way = step if step < ways else free[int(draw.integers(len(free)))]
            held.pop(-1 if (old := where[way]) is None else old, None)
            held[line], where[way] = way, line
        recent = {way} if len(recent | {way}) == ways else recent | {way}
    return missed / (ROUNDS * lines - ROUNDS * lines // 2)


def latency(shapes: Sequence[Shape], memory_s: float, footprint_bytes: Floats) -> Floats:
    """Return the seconds of one access, shape (points,)."""
    steps = [shape.latency_s for shape in shapes] + [memory_s]
    total = np.full(footprint_bytes.shape, steps[0])
    for number, shape in enumerate(shapes):
        total = total + missing(shape, footprint_bytes) * (steps[number + 1] - steps[number])
    return total


def distance(shapes: Sequence[Shape], memory_s: float, footprint_bytes: Floats, latency_s: Floats) -> float:
    """Return the mean of |ln(model / measured)| beyond TOLERANCE."""
    off = np.abs(np.log(latency(shapes, memory_s, footprint_bytes) / latency_s))
    return float(np.mean(np.maximum(off - TOLERANCE, 0)))


def fitted(shapes: Sequence[Shape], memory_s: float, footprint_bytes: Floats, latency_s: Floats) -> tuple[Shape, ...]:
    """Return the shapes with the sizes and policies that fit the points; sizes are whole sets."""
    found = list(shapes)

    def misfit(number: int, shape: Shape) -> float:
        trial = [*found[:number], shape, *found[number + 1 :]]
        return distance(trial, memory_s, footprint_bytes, latency_s)

    for _ in range(2):
        for number, begin in enumerate(shapes):
            best = min(_candidates(begin), key=lambda shape: misfit(number, shape))
            if begin.reported_bytes:
                reported = [replace(begin, size_bytes=begin.reported_bytes, policy=policy) for policy in POLICIES]
                told = min(reported, key=lambda shape: misfit(number, shape))
                best = told if misfit(number, told) <= misfit(number, best) + BELIEVED else best
            found[number] = best
    return tuple(found)


def widened(
    shapes: Sequence[Shape], memory_s: float, footprint_bytes: Floats, latency_s: Floats, ways: int
) -> tuple[Shape, ...]:
    """Return the shapes with one level more between the last and memory if that explains the points better, or
    unchanged.
    """
    last = shapes[-1]
    inside = footprint_bytes[(footprint_bytes > last.size_bytes) & (latency_s < (1 - TOLERANCE) * memory_s)]
    if inside.size == 0:
        return tuple(shapes)
    octaves = np.log2(2 * inside[-1] / last.size_bytes)
    sizes = _whole(last.size_bytes * 2 ** np.arange(1 / FINE, octaves, 1 / FINE), ways, last.line_bytes)
    trials = [
        (*shapes, Shape(float(time), size, ways, policy, line_bytes=last.line_bytes))
        for time in np.geomspace(last.latency_s, memory_s, TRIED + 2)[1:-1]
        for size in sizes
        for policy in POLICIES
    ]
    best = min(trials, key=lambda trial: distance(trial, memory_s, footprint_bytes, latency_s))
    before = distance(shapes, memory_s, footprint_bytes, latency_s)
    better = distance(best, memory_s, footprint_bytes, latency_s) < before - KEPT
    return best if better else tuple(shapes)


def _candidates(begin: Shape) -> list[Shape]:
    sizes = _whole(begin.size_bytes * 2 ** np.arange(-WIDE, WIDE + 1e-9, 1 / FINE), begin.ways, begin.line_bytes)
    return [replace(begin, size_bytes=size, policy=policy) for size in sizes for policy in POLICIES]


def _whole(sizes: Floats, ways: int, line_bytes: int) -> list[float]:
    """Return the sizes in whole sets, smallest first."""
    unit = line_bytes * ways
    return sorted({float(max(1, round(size / unit)) * unit) for size in sizes})
