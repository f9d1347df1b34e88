"""How many operations a queue kept on average, at most and at least, from what a program states about its runs.

    rate * latency * seconds = time that all operations of a run spent in the queue        [operations x seconds]

Each operation has one of `depth` places from its submission until the program takes its completion. So

    at most    depth * (seconds + CLOCK_S + most_s)

since operations in flight when the clock began (after a ramp) include the time that they waited before: no longer than
the longest latency. A program that waits for its CPU takes completions late, and their latencies grow: this bound is
true under any load. The other bound is true if one process takes completions one by one and fills each place again
immediately. fio does so with asynchronous engines, unless iodepth_batch_complete or iodepth_low change it:

    at least   (depth - 1) * (seconds - CLOCK_S - drains * most_s) * operations / (operations + depth)

drains: how often the queue was not full: when it was filled, at the end of a run, and wherever fio began again. The
last factor accounts for operations that the rate counts by their submission and the latency by their completion.
A program may leave its reads of the clock out of its rate, and not out of its latencies, as pmembench does. They take
`clock_s` of each operation at most, and add rate * clock_s to the upper bound.

Blind to a program that does not keep to its depth.
Source: fio 3.33, HOWTO, "I/O depth", "Measurements and reporting"; backend.c (do_io), stat.c; seen with fio 3.33.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tierscope.audit.statement import Quantity

CLOCK_S = 1e-3  # the step in which fio reports how long it ran
READS_S = 2e-6  # of the clock for one operation, at most: in a guest, one read may cost a call of the host
ENDS = 2.0  # times that no queue is full: when it is filled, and when a run ends


@dataclass(frozen=True, slots=True)
class Span:
    """One run of a program."""

    operations: float
    seconds: float
    most_s: float  # longest latency of all its operations
    drains: float | None = None  # how often its queue was filled or emptied, at most; None: it may never have been full


def under_way(depth: float, spans: Sequence[Span], reads: float = 0.0) -> Quantity:
    """Return the depth, bounded by what the mean over all runs may have been.

    spans: one or more, of some length; reads: rate * clock_s, where the rate leaves these out.
    """
    total = sum(one.seconds for one in spans)
    most = depth * sum(one.seconds + CLOCK_S + one.most_s for one in spans) / total + reads
    return Quantity(depth, bounds=(min(_least(depth, spans, total), depth), most))


def _least(depth: float, spans: Sequence[Span], total: float) -> float:
    drained = [(one, one.drains) for one in spans if one.drains is not None]
    if len(drained) < len(spans):
        return 0.0
    full = sum(max(one.seconds - CLOCK_S - drains * one.most_s, 0.0) for one, drains in drained)
    operations = sum(one.operations for one in spans)
    return max(depth - 1, 0.0) * full / total * operations / (operations + depth * len(spans))
