"""The most that a tier can change the time of a program, by the lines that it moves: on any core, and on none.

    n        lines that the memory here reads and writes, with hits that gaps of the trace may hide         [1]
    slower   what the tier adds to a line at most: of a load or a store, and of its way at full bandwidth   [s]
    faster   the same of what it saves
    time     from M - n faster to M + n slower

A program is a graph of operations that wait for each other. If each of n operations takes longer by at most d, its
longest path grows by at most n d, whatever runs at the same time. So this needs no model of a core: only the lines are
from the trace. It is an answer where n slower and n faster are at most HARDLY of M: a program that computes, and that
no core explains. SAMPLED is the factor on n of a trace with gaps, which may miss a part with more lines.
Blind to: accesses of a path that the program does not take in the tracer; other lines in the caches, if it takes others
there.
Source: J. E. Kelley, "Critical-Path Planning and Scheduling: Mathematical Basis", Operations Research 9, 1961.
"""

from dataclasses import dataclass

from tierscope.simulated.replay import Traced

HARDLY = 0.10  # of the time here
SAMPLED = 2.0
READS, WRITES = ".reads", ".writes"


@dataclass(frozen=True, slots=True)
class OfLine:
    """The most that a tier adds to the time of a line, and the most that it saves; in seconds, both at least 0."""

    slower_s: float
    faster_s: float


def lines_of(own: Traced, memory: str = "memory") -> float | None:
    """Return n, of the whole program; None where the counters do not state it.

    own: the first machine of the trace, whose counters contain the warming between timed parts, too.
    """
    moved = own.counters.get(memory + READS, 0) + own.counters.get(memory + WRITES, 0)
    traced = own.instructions
    if not traced or memory + READS not in own.counters:
        return None
    factor = SAMPLED if own.untraced_instructions else 1.0
    return factor * (moved + own.in_doubt[2]) * (traced + own.untraced_instructions) / traced


def reach(lines: float | None, each: OfLine | None, here_s: float) -> tuple[float, float] | None:
    """Return the least and the most time of the program over M; None where it may move too many lines, or where one
    of the three is not known. lines: n; here_s: M.
    """
    if lines is None or each is None or here_s <= 0:
        return None
    down, up = lines * each.faster_s / here_s, lines * each.slower_s / here_s
    return (1 - down, 1 + up) if max(down, up) <= HARDLY else None


def of_line(
    there_s: tuple[float, float], here_s: float, share: float, rates: tuple[float | None, float | None], line_bytes: int
) -> OfLine | None:
    """Return what a tier adds to each line; None where one bandwidth alone is known.

    there_s: latency of a load and of a store there; here_s: latency here; share: half of its interval, over it. rates:
    bandwidths there and here in bytes/s, None where they are not known.
    """
    there, here = rates
    if (there is None) != (here is None):
        return None
    moved = line_bytes / there - line_bytes / here if there and here else 0.0
    slower = max(max(there_s) - here_s * (1 - share), 0.0) + max(moved, 0.0)
    faster = max(here_s * (1 + share) - min(there_s), 0.0) + max(-moved, 0.0)
    return OfLine(slower, faster)
