"""The knee of a bandwidth-latency curve: the load past which more bandwidth costs more latency than it is worth.

With both axes scaled to 0..1 over the measured range, the knee is the measured point farthest below the straight line
from the idle end to the loaded end: the largest x - y (Kneedle, for a rising convex curve). Latency is first made
monotone by isotonic regression, so that one noisy point does not make a knee.

For a queue with latency = idle / (1 - u), measured up to load m, the knee is at u = 1 - sqrt(1 - m). So the knee
depends on how far the load was driven: curves driven to saturation compare with one another, others do not.
No knee is reported if the curve bends less than that queue does up to m = 1/2, where its latency has doubled: Mess
calls a memory saturated from that latency on.

Sources: V. Satopaa, J. Albrecht, D. Irwin and B. Raghavan, "Finding a 'Kneedle' in a Haystack: Detecting Knee Points in
System Behavior", ICDCS Workshops, 2011; P. Esmaili-Dokht et al., "A Mess of Memory System Benchmarking, Simulation and
Application Profiling", MICRO 2024.
"""

import math
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats

FEWEST = 5  # two ends, a knee, and a point on each side of it
BEND = 3 - 2 * math.sqrt(2)  # x - y at the knee of the queue followed to m = 1/2
RISE = 0.25  # of latency over the curve; less is the queue under u = 0.2, which noise of 2 % makes equal to a line


@dataclass(frozen=True, slots=True)
class Knee:
    """A measured point of the curve; `latency_s` as measured, not smoothed."""

    index: int  # in the arrays given
    bandwidth_bytes_per_s: float
    latency_s: float


def knee(bandwidth: Floats, latency: Floats) -> Knee | None:
    """Return the knee, or None for fewer than five points or no knee. Points in any order, both arrays of shape
    (points,).
    """
    known = np.flatnonzero(np.isfinite(bandwidth) & np.isfinite(latency))
    if known.size < FEWEST:
        return None
    order = known[np.lexsort((latency[known], bandwidth[known]))]
    x, y = bandwidth[order], rising(latency[order])
    if x[-1] <= x[0] or y[-1] < y[0] * (1 + RISE):
        return None
    below = (x - x[0]) / (x[-1] - x[0]) - (y - y[0]) / (y[-1] - y[0])
    best = int(np.argmax(below))
    if below[best] < BEND:
        return None
    found = int(order[best])
    return Knee(found, float(bandwidth[found]), float(latency[found]))


def rising(values: Floats) -> Floats:
    """Return the nearest never-falling series, in least squares: neighbours that fall are pooled.

    Source: R. E. Barlow, D. J. Bartholomew, J. M. Bremner and H. D. Brunk, "Statistical Inference under Order
    Restrictions", 1972.
    """
    pools: list[tuple[float, int]] = []
    for value in values.tolist():
        mean, count = value, 1
        while pools and pools[-1][0] > mean:
            before, more = pools.pop()
            mean, count = (mean * count + before * more) / (count + more), count + more
        pools.append((mean, count))
    return np.repeat([mean for mean, _ in pools], [count for _, count in pools])
