"""What a cyclic walk over n lines misses in a cache, and the cache whose knee is the measured one.

    n = footprint / (64 B * sets)                              [lines of each set]
    lru:     a set misses always if it has more lines than ways, else never
    random:  m = 1 - (1 - 1 / ways)^(m * n)                    [1], 0 for n up to `ways`
    latency(footprint) = t_1 + sum over levels of m_k(footprint) * (t_k+1 - t_k)      [s]

Least recently used is the sharp knee, replaced at random the soft one: of m * n lines that come in during one walk,
each leaves a line where it is with 1 - 1 / ways. Sizes and policies are those of the least mean |ln(model / measured)|
over all points, level by level, twice. A size that the system reports stands unless another one fits better. A level
too narrow to be a plateau of its own is added behind the others (`widened`) where it explains the rise much better.
Blind to pages that fill sets unevenly, and to shares that neighbours take by turns: both show as a soft knee.
Source: J. E. Smith and J. R. Goodman, "A Study of Instruction Cache Organizations and Replacement Policies", ISCA 1983:
the loop model.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LINE = 64
POLICIES = ("lru", "random")
STEPS = 200  # of the balance, which is slow at the knee: there it is within 0.01 after so many
FINE = 16  # sizes tried to an octave
WIDE = 1.0  # octaves on either side of where the level seemed to end
KEPT = 0.005  # of the mean misfit: what a fitted size must gain over the reported one, and a level over none
TRIED = 12  # latencies of a level that is no plateau


@dataclass(frozen=True, slots=True)
class Shape:
    """One cache of a staircase. `reported_bytes`: 0 where the system names none of about this size."""

    latency_s: float
    size_bytes: float
    ways: int
    policy: str = "lru"
    reported_bytes: int = 0


def missing(shape: Shape, footprint_bytes: Floats) -> Floats:
    """Share of the accesses that miss, shape (points,)."""
    lines = footprint_bytes / shape.size_bytes * shape.ways
    if shape.policy == "random":
        return _at_random(lines, shape.ways)
    whole = np.floor(lines)
    fuller = lines - whole  # share of the sets that have one line more
    more = np.where(whole + 1 > shape.ways, fuller * (whole + 1), 0.0)
    fewer = np.where(whole > shape.ways, (1 - fuller) * whole, 0.0)
    return (more + fewer) / np.maximum(lines, 1e-9)


def _at_random(lines: Floats, ways: int) -> Floats:
    if ways == 1:
        return np.where(lines > 1, 1.0, 0.0)
    share = np.ones_like(lines)
    for _ in range(STEPS):
        share = 1 - (1 - 1 / ways) ** (share * lines)
    return np.where(lines > ways, share, 0.0)


def latency(shapes: Sequence[Shape], memory_s: float, footprint_bytes: Floats) -> Floats:
    """Seconds of one access, shape (points,)."""
    steps = [shape.latency_s for shape in shapes] + [memory_s]
    total = np.full(footprint_bytes.shape, steps[0])
    for number, shape in enumerate(shapes):
        total = total + missing(shape, footprint_bytes) * (steps[number + 1] - steps[number])
    return total


def fitted(shapes: Sequence[Shape], memory_s: float, footprint_bytes: Floats, latency_s: Floats) -> tuple[Shape, ...]:
    """The shapes with the sizes and policies that the points bear out; sizes are whole sets."""
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
                best = told if misfit(number, told) <= misfit(number, best) + KEPT else best
            found[number] = best
    return tuple(found)


def distance(shapes: Sequence[Shape], memory_s: float, footprint_bytes: Floats, latency_s: Floats) -> float:
    """Mean of |ln(model / measured)|."""
    return float(np.mean(np.abs(np.log(latency(shapes, memory_s, footprint_bytes) / latency_s))))


def widened(
    shapes: Sequence[Shape], memory_s: float, footprint_bytes: Floats, latency_s: Floats, ways: int
) -> tuple[Shape, ...]:
    """With one level more between the last and memory, if it explains the points better; else as they were."""
    last = shapes[-1]
    inside = footprint_bytes[(footprint_bytes > last.size_bytes) & (latency_s < (1 - KEPT) * memory_s)]
    if inside.size == 0:
        return tuple(shapes)
    unit = LINE * ways
    octaves = np.log2(2 * inside[-1] / last.size_bytes)
    sizes = {round(last.size_bytes * 2**x / unit) * unit for x in np.arange(1 / FINE, octaves, 1 / FINE)}
    trials = [
        (*shapes, Shape(float(time), float(size), ways, policy))
        for time in np.geomspace(last.latency_s, memory_s, TRIED + 2)[1:-1]
        for size in sorted(sizes)
        for policy in POLICIES
    ]
    best = min(trials, key=lambda trial: distance(trial, memory_s, footprint_bytes, latency_s))
    before = distance(shapes, memory_s, footprint_bytes, latency_s)
    better = distance(best, memory_s, footprint_bytes, latency_s) < before - KEPT
    return best if better else tuple(shapes)


def _candidates(begin: Shape) -> list[Shape]:
    unit = LINE * begin.ways
    sizes = begin.size_bytes * 2 ** np.arange(-WIDE, WIDE + 1e-9, 1 / FINE)
    whole = sorted({max(1, round(size / unit)) * unit for size in sizes})
    return [replace(begin, size_bytes=float(size), policy=policy) for policy in POLICIES for size in whole]
