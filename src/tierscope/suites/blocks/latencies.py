"""Latencies of single operations in blocks: percentiles over all visits of a point."""

from collections.abc import Sequence
from typing import NamedTuple

from tierscope.record.result import Record, Run
from tierscope.stats.judged import share_cpus
from tierscope.stats.median import Interval
from tierscope.stats.percentiles import operation_times, percentiles, rounded
from tierscope.stats.together import SHARED, UNCLEAN
from tierscope.suites.blocks.labels import BlocksLabels
from tierscope.tables.measured import over_visits, visits_of

SHARES = (0.5, 0.9, 0.99, 0.999)  # shares of the operations; a percentile is the longest time of this share


class Latency(NamedTuple):
    """Latencies of the single operations of a point."""

    percentiles: Sequence[Interval | None]  # s, one for each of SHARES; None if too few operations support it
    batched: int  # operations in one timed block
    blocks: int
    left_out: int


class Latencies:
    """Latencies of all points of a run; each visit is read once."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._known: dict[tuple[int, int], Latency] = {}

    def of(self, record: Record) -> Latency:
        """Return the percentiles of a point over all its visits."""
        visits = [self._alone(visit) for visit in visits_of(self._run, record)]
        found = [self._percentile(record, number) for number in range(len(SHARES))]
        return Latency(found, visits[0].batched, sum(one.blocks for one in visits), sum(one.left_out for one in visits))

    def _percentile(self, record: Record, number: int) -> Interval | None:
        def alone(visit: Record) -> Interval | None:
            single = BlocksLabels.read(visit.experiment).part != "throughput"
            return self._alone(visit).percentiles[number] if single else None

        found = over_visits(self._run, record, f"p{SHARES[number]}", alone)
        return found and rounded(found, 1 / record.clock.hz / _batched(record))

    def _alone(self, visit: Record) -> Latency:
        key = visit.number, visit.visit
        if key not in self._known:
            unclean = SHARED if share_cpus(visit.groups) else UNCLEAN
            times = operation_times(self._run.blocks(visit), visit.clock.hz, visit.clock.read_cost_s, unclean)
            found = percentiles(times.seconds, SHARES, visit.experiment.schedule.confidence)
            self._known[key] = Latency(found, _batched(visit), int(times.seconds.size), times.left_out)
        return self._known[key]


def _batched(record: Record) -> int:
    return max(1, record.experiment.groups[0].workload.per_block)
