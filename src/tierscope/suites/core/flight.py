"""How many lines one core has in flight, from the time of a line over the number of lines that are asked for together.

    t(p) = L / p  for p <= m,  then L / m: the time stays   =>   m = L / plateau    [1]   (Little's law)

p: lines that the chains ask for together. L = p t(p) is taken from half of m to where the time becomes constant, since
the latency grows with the load. Bounds come from those of the times, and MODEL on each side. If the latency grew, they
also include m from a straight line through the latencies.
Source: J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9, 1961; parallel chains:
D. Molka et al., "Memory Performance and Cache Coherency Effects on an Intel Nehalem Multiprocessor System", PACT 2009.
Blind to whether the core or the memory is the limit: `suites.core.found` considers other limits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats, Integers

FLAT = 1.06  # factor on the level: up to it, a point is part of the plateau
WORST = 0.1  # half of an interval over its time, for half of the points
LAST = 3  # the plateau is the level of the points from a third of the most lines
APART = 0.4  # share of those that may be off
FEWEST = 3  # points of the plateau, and of the slope before it
WIDE = 1.5  # factor from the first point of the plateau to its last, at least
MODEL = 0.08  # relative: the model was up to 6 % off on 30 simulated cores with hidden parameters
SLOPE = (0.45, 0.9)  # of m: where the latency under load is measured


@dataclass(frozen=True, slots=True)
class Line:
    """lines: asked for together; seconds: of one line, with half of its 95 % interval."""

    parallel: int
    seconds: float
    half: float


@dataclass(frozen=True, slots=True)
class Flight:
    """Lines in flight. plateau_s: of a line; why: "" or why m is not known: then at least `low` were in flight."""

    low: float
    middle: float
    high: float
    plateau_s: float
    why: str = ""


def flight_of(lines: Sequence[Line]) -> Flight:
    """Return the lines in flight. lines: of one level, in any order."""
    points = sorted(lines, key=lambda line: line.parallel)
    if len(points) < 2 * FEWEST:
        return Flight(0, 0, 0, 0, f"{len(points)} points are too few")
    p = np.array([line.parallel for line in points], dtype=np.float64)
    t = np.array([line.seconds for line in points])
    half = np.array([line.half for line in points])
    if float(np.median(half / t)) > WORST:
        return Flight(0, 0, 0, 0, "the points are not sure enough")
    flat = _plateau(p, t, half)
    if flat.size < FEWEST or p[flat[-1]] / p[flat[0]] < WIDE:
        least = float(np.median(t[-FEWEST:]))
        most = float(t[0] * p[0] / least)
        why = f"{p[-1]:.0f} lines asked for together still shorten the time of one"
        error = MODEL + 2 * float(np.median(half / t))
        return Flight(most * (1 - error), most, most * (1 + error), least, why)
    plateau = float(np.median(t[flat]))
    rough = float(t[0] * p[0] / plateau)
    inside = np.flatnonzero((p >= SLOPE[0] * rough) & (p <= SLOPE[1] * rough))
    if inside.size == 0:
        inside = np.flatnonzero(p <= max(SLOPE[1] * rough, p[0]))[-1:]
    loaded = float(np.median((p * t)[inside]))
    middle = loaded / plateau
    error = float(np.median(half[inside] / t[inside]) + np.median(half[flat] / plateau)) + MODEL
    straight = _straight(p, p * t, plateau, middle)
    low, high = min(middle, straight) * (1 - error), max(middle, straight) * (1 + error)
    return Flight(low, middle, high, plateau)


def _plateau(p: Floats, t: Floats, half: Floats) -> Integers:
    """Return indices of the last points whose times are alike, within errors; none if even these still fall."""
    last = np.flatnonzero(p >= p[-1] / LAST)
    level = float(np.median(t[last]))
    far = np.abs(t - level) > np.maximum((FLAT - 1) * level, 2 * half)
    if far[last].mean() > APART or t[last][-1] < t[last][0] / FLAT**2:
        return np.arange(0)
    before = np.flatnonzero(far & (p < p[last[0]]))
    return np.arange(int(before[-1]) + 1 if before.size else 0, t.size)


def _straight(p: Floats, latency: Floats, plateau: float, middle: float) -> float:
    """Return m, where a straight line through the latencies below m meets m * plateau; `middle` if there is none."""
    below = p <= SLOPE[1] * middle
    if below.sum() < FEWEST:
        return middle
    slope, start = np.polyfit(p[below], latency[below], 1)
    met = start / (plateau - slope) if 0 < slope < plateau else middle
    return float(met) if met < 2 * middle else middle
