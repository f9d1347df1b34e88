"""Accesses to the last cache that a gap of the trace may have changed (core/simulate/doubts.hpp).

    cold      reads from memory into a set that has lines of before a gap / all reads from memory
              lines of the last cache / reads from memory in the trace, with those that warm it, if this is larger
    gone      hits of lines that the program may have replaced in a gap / all reads from memory
    time      T - cold (T - T0)             if the former were hits
              T + gone (T - T0)             if the latter were reads from memory

T: model time; T0: the same with a memory that answers immediately. A gap brings lines into the cache of the program,
and not into that of the trace. So a read may be of a line that the program had there, and a hit of a line that it no
longer had. The trace states the lines of the last part of a gap. If that is the whole gap, nothing is in doubt.

The time here, M, limits both shares. With them, the time of each core changes by about the same factor as T, and one
of the cores explains M to a quarter. S, F: times of the slowest and of the fastest core here.

    cold      <= (T - T (3/4 M / S)) / (T - T0)
    gone      <= (T (5/4 M / F) - T) / (T - T0)
Blind to: lines that a program removes from the cache in a gap.
Sources: S. Laha, J. H. Patel, R. K. Iyer, "Accurate Low-Cost Methods for Performance Evaluation of Cache Memory
Systems", IEEE Transactions on Computers 37(11), 1988; D. A. Wood, M. D. Hill, R. E. Kessler, "A Model for Estimating
Trace-Sample Miss Ratios", SIGMETRICS 1991.
"""

from tierscope.simulated.replay import Traced
from tierscope.simulated.trace import levels

Doubt = tuple[float, float]
"""cold, gone"""
NONE: Doubt = (0.0, 0.0)


def doubt(own: Traced, lines: float) -> Doubt:
    """Return the shares of accesses in doubt, each of the reads from memory; NONE without a read or a gap.

    lines: of the last cache. Each is empty once. 0: not known.
    """
    reads, cold, gone = own.in_doubt
    traced = sum(level.loads for level in levels(own) if level.load_misses is None)
    if reads <= 0 or not traced:
        return NONE
    return min(max(cold / reads, lines / traced), 1.0), gone / reads


def explained(shares: Doubt, seconds: float, instant_s: float, factors: tuple[float, float]) -> Doubt:
    """Return the shares, limited to those that change the model's time here by a factor between these two.

    seconds, instant_s: as of `extremes`, here. A limit that the model exceeds without them leaves nothing in doubt.
    """
    waits = seconds - instant_s
    if waits <= 0:
        return shares
    least, most = (factor * seconds for factor in factors)
    cold, gone = shares
    return min(cold, max(seconds - least, 0.0) / waits), min(gone, max(most - seconds, 0.0) / waits)


def extremes(seconds: float, instant_s: float, shares: Doubt) -> tuple[float, float]:
    """Return the shortest and the longest model time that accesses in doubt allow.

    instant_s: with a memory that answers immediately.
    """
    waits = max(seconds - instant_s, 0.0)
    cold, gone = shares
    return seconds - cold * waits, seconds + gone * waits
