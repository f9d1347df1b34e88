"""Misses that only the trace has: its last cache is empty at first, and misses the lines that gaps brought into it.

    cold      lines of the last cache / lines that the trace read from memory, at most 1
    time      T - cold (T - T0)

T: model time; T0: the same with a memory that answers immediately. Each line of the cache is empty once. Until it is
filled, a read from memory may be of a line that the program had there, since it used the line in a gap. So at most as
many reads as the cache has lines are in doubt. A trace without gaps has no such reads.
Blind to: lines that the trace still has in its cache, and that the program replaced in a gap.
Sources: S. Laha, J. H. Patel, R. K. Iyer, "Accurate Low-Cost Methods for Performance Evaluation of Cache Memory
Systems", IEEE Transactions on Computers 37(11), 1988; D. A. Wood, M. D. Hill, R. E. Kessler, "A Model for Estimating
Trace-Sample Miss Ratios", SIGMETRICS 1991.
"""

from tierscope.simulated.replay import Traced
from tierscope.simulated.trace import levels


def cold_share(own: Traced, lines: float) -> float:
    """Return the share of the reads from memory in a trace that may be hits. lines: of the last cache; 0: not known."""
    if not own.untraced_instructions:
        return 0.0
    reads = sum(level.loads for level in levels(own) if level.load_misses is None)
    return min(lines / reads, 1.0) if reads else 0.0


def without(seconds: float, instant_s: float, share: float) -> float:
    """Return a model time if this share of its reads from memory were hits. instant_s: with an immediate memory."""
    return seconds - share * max(seconds - instant_s, 0.0)
