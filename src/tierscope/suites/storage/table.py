"""Storage: one row for each job; a mix has one more for its reads and one for its writes.

    iops = operations / seconds of a repeat, median over the repeats               [1/s]
    bandwidth = iops * block                                                      [B/s]
    latency = mean over the operations of a repeat, median over the repeats         [s]
    in flight = operations / seconds * mean latency of a repeat, median             [1]
                (Little's law; it is the depth where the queue was full)

Percentiles are those of all operations of all repeats together, from fio's bins. CPU times are shares of one CPU.
A repeat in which fio finished no operation of a side is left out for that side.
Blind to what happens within a repeat. Repeats that were cut as a warm-up are left out.
Sources: J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9, 1961; document 003 for
the columns.
"""

from typing import ClassVar

import numpy as np

from tierscope.record.program import SIDES, Bins, Moved, Program, Repeat
from tierscope.record.result import Record, Run
from tierscope.record.work.job import JobWork
from tierscope.stats.median import Interval, median
from tierscope.stats.point import Point
from tierscope.suites.storage.bins import percentiles
from tierscope.suites.storage.findings import insights
from tierscope.suites.storage.labels import StorageLabels
from tierscope.suites.storage.row import StorageRow
from tierscope.tables import Asked, Audited, Insight, Main, tables
from tierscope.tables.measured import closing, measured, records

PERCENTILES = {"latency_p50_s": 50.0, "latency_p90_s": 90.0, "latency_p99_s": 99.0, "latency_p999_s": 99.9}


class Storage:
    """One row for each job; a mix has two more, for its reads and its writes. Rows are in the order of the jobs.

    `conclusive` and `blocks` are those of the job; a block is one repeat.
    """

    name: ClassVar[str] = "storage"
    title: ClassVar[str] = "Storage"
    asked: ClassVar[Asked] = Asked(
        question="How fast is this storage?",
        answers=("most_moved", "most_operations", "quickest", "enough_depth", "cpu_bound"),
        keys={"most_operations": "most operations", "most_moved": "most bandwidth", "quickest": "lowest mean latency"},
    )
    topics: ClassVar[tuple[str, ...]] = ()  # of a device, not of memory
    audited: ClassVar[Audited] = Audited(binned=tuple(PERCENTILES))
    keys: ClassVar[tuple[str, ...]] = (
        "operation",
        "part",
        "order",
        "block_bytes",
        "depth",
        "read_share",
        "access",
        "file_bytes",
        "engine",
    )
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"),)
    row: ClassVar[type[StorageRow]] = StorageRow
    says: ClassVar[dict[str, str]] = {
        "most_operations": "operations per second of the job with the most",
        "most_moved": "bandwidth of the job with the most",
        "quickest": "least mean latency of the jobs with one operation in flight",
        "enough_depth JOB": "least depth that gives 90 % of the most operations",
        "cpu_bound": "share of its CPUs that the busiest job took, where that may limit",
        "queue_not_full": "operations in flight of the first job that did not keep its depth",
    }

    def rows(self, run: Run) -> list[StorageRow]:
        return [row for record in records(run, self.name) for row in _rows(run, record)]

    def insights(self, run: Run, rows: list[StorageRow]) -> list[Insight]:
        del run
        return insights(rows)


def _rows(run: Run, record: Record) -> list[StorageRow]:
    program, point = record.program, measured(run, record)
    if program is None:
        return []
    cut = point.groups[0].start
    bins = run.bins(record)
    bins = bins[bins["batch"] >= cut]
    mix = StorageLabels.read(record.experiment).mix
    parts = ("both", *SIDES) if mix == "mix" else (mix,)
    found = [(part, _moved(program.repeats[cut:], part)) for part in parts]
    return [_row(record, program, point, moved, bins, part) for part, moved in found if moved]


def _moved(repeats: tuple[Repeat, ...], part: str) -> list[tuple[Repeat, list[Moved]]]:
    """Return each repeat with what it moved of this part, without those in which fio finished no such operation."""
    pairs = [(one, [moved for moved in one.moved if part in ("both", moved.side)]) for one in repeats]
    return [(one, moved) for one, moved in pairs if any(each.operations for each in moved)]


def _row(
    record: Record, program: Program, point: Point, pairs: list[tuple[Repeat, list[Moved]]], bins: Bins, part: str
) -> StorageRow:
    facts, labels = record.groups[0], StorageLabels.read(record.experiment)
    repeats, moved = [one for one, _ in pairs], [sides for _, sides in pairs]
    iops = _median([_rate(sides) for sides in moved])
    p50, p90, p99, p999 = _tail(bins, part)
    return StorageRow(
        operation=labels.mix,
        part=part,
        order=record.experiment.groups[0].workload.of(JobWork).order,
        block_bytes=facts.element_bytes,
        depth=labels.depth,
        iops=iops,
        bandwidth=iops.times(facts.element_bytes),
        latency=_median([_mean_latency(sides) for sides in moved]),
        latency_p50_s=p50,
        latency_p90_s=p90,
        latency_p99_s=p99,
        latency_p999_s=p999,
        latency_most_s=max(one.latency_most_s for sides in moved for one in sides),
        in_flight=_median([_rate(sides) * _mean_latency(sides) for sides in moved]).middle,
        cpu_user=_median([one.cpu_user for one in repeats]).middle,
        cpu_system=_median([one.cpu_system for one in repeats]).middle,
        read_share=labels.read_share,
        engine=program.engine,
        threads=program.threads,
        access="direct" if program.direct else "buffered",
        file_system=program.file_system,
        source=program.source,
        file_bytes=facts.footprint_bytes,
        target=facts.target,
        repeats=len(repeats),
        **closing(record, point),
    )


def _median(values: list[float]) -> Interval:
    return median(np.array(values, dtype=float))


def _rate(sides: list[Moved]) -> float:
    """Return operations/s of a repeat, each side over its own time, as fio counts."""
    return sum(one.operations / one.seconds for one in sides if one.seconds)


def _mean_latency(sides: list[Moved]) -> float:
    """Return the mean latency of all operations of a repeat, in s."""
    return sum(one.operations * one.latency_mean_s for one in sides) / sum(one.operations for one in sides)


def _tail(bins: Bins, part: str) -> list[float | None]:
    """Return the percentiles, in s."""
    own = bins if part == "both" else bins[bins["side"] == SIDES.index(part)]
    values, counts = own["nanoseconds"].astype(np.int64), own["operations"].astype(np.int64)
    found = percentiles(values, counts, list(PERCENTILES.values()))
    return [None if value is None else value / 1e9 for value in found]


tables.add(Storage())
