"""Sentences from the rows of `storage`: the most operations and bytes, the quickest job, the knee of depth, the CPU."""

from typing import NamedTuple

from tierscope.stats.median import Interval
from tierscope.suites.storage.row import StorageRow
from tierscope.tables import Insight, Number
from tierscope.tables.measured import left_out, sure, sure_rows
from tierscope.units import show_rate, show_seconds, show_size

KNEE_SHARE = 0.9  # of the most operations, from which more depth buys little but waiting
FEWEST_DEPTHS = 3  # to see a knee at all
BUSY_SHARE = 0.9  # of one CPU, from which the CPU and not the storage may be what limits
ROUNDED = 0.05  # fio rounds its shares of a CPU: a value farther above a whole CPU is invalid
APART = 1.25  # a queue that is this factor or more from the depth was not full


class Job(NamedTuple):
    """A conclusive row of a whole job."""

    row: StorageRow
    iops: float


def insights(rows: list[StorageRow]) -> list[Insight]:
    """Return only what the rows show; rows of one half of a mix show nothing by themselves."""
    every = [row for row in rows if row.whole]
    known = sure_rows(every, lambda row: row.iops)
    if not known:
        return []
    conclusive, jobs = [row for row, _ in known], [Job(row, iops.middle) for row, iops in known]
    rest = left_out(len(known), len(every), "jobs")
    most = max(known, key=lambda pair: pair[1].middle)
    found = [_most_operations(*most, rest), *_most_bytes(conclusive, rest), *_quickest(conclusive, every)]
    return found + _knees(jobs, every) + _busy(conclusive, len(every)) + _not_full(conclusive, len(every))


def job_name(row: StorageRow) -> str:
    """Return 'random read of 4 KiB, depth 16'; a mix by its share of reads."""
    kind = f"{100 * row.read_share:.0f} % reads" if row.operation == "mix" else row.operation
    return f"{row.order} {kind} of {show_size(row.block_bytes)}, depth {row.depth}"


def show_iops(value: float) -> str:
    """Return four digits: '103.4k', '3 623'."""
    return f"{value / 1e3:.4g}k" if value >= 1e4 else f"{value:.4g}"


def _most_operations(row: StorageRow, most: Interval, rest: str) -> Insight:
    text = f"Highest rate: {show_iops(most.middle)} operations/s, {job_name(row)}{rest}"
    return _insight("most_operations", text, most, "1/s")


def _most_bytes(rows: list[StorageRow], rest: str) -> list[Insight]:
    known = sure_rows(rows, lambda row: row.bandwidth)
    if not known:
        return []
    row, most = max(known, key=lambda pair: pair[1].middle)
    return [_insight("most_moved", f"Highest bandwidth: {show_rate(most.middle)}, {job_name(row)}{rest}", most, "B/s")]


def _insight(name: str, text: str, found: Interval, unit: str) -> Insight:
    return Insight.of(found, name=name, text=text, unit=unit)


def _quickest(rows: list[StorageRow], every: list[StorageRow]) -> list[Insight]:
    """Return the quickest of the jobs with one operation at a time, whose latency includes no wait in a queue."""
    single = sure_rows([row for row in rows if row.depth == 1], lambda row: row.latency)
    if not single:
        return []
    row, wait = min(single, key=lambda pair: pair[1].middle)
    tail = f", {show_seconds(row.latency_p99_s)} for 99 of 100" if row.latency_p99_s else ""
    rest = left_out(len(single), sum(one.depth == 1 for one in every), "jobs of depth 1")
    text = f"Lowest mean latency: {show_seconds(wait.middle)}{tail}, {job_name(row)}{rest}"
    return [_insight("quickest", text, wait, "s")]


def _knees(jobs: list[Job], every: list[StorageRow]) -> list[Insight]:
    """Return for each kind of operation the least depth that reaches KNEE_SHARE of the most operations."""
    found = []
    for kind in dict.fromkeys(_kind(job.row) for job in jobs):
        own = sorted((job for job in jobs if _kind(job.row) == kind), key=lambda job: job.row.depth)
        if len(own) >= FEWEST_DEPTHS:
            total = sum(_kind(row) == kind for row in every)
            found.append(_knee(own, left_out(len(own), total, "depths")))
    return found


def _kind(row: StorageRow) -> tuple[str, str, int]:
    return row.operation, row.order, row.block_bytes


def _knee(jobs: list[Job], rest: str) -> Insight:
    most = max(job.iops for job in jobs)
    knee, last = next(job.row for job in jobs if job.iops >= KNEE_SHARE * most), jobs[-1].row
    waits = [show_seconds(wait.middle) for row in (knee, last) if (wait := sure(row, row.latency))]
    goes = last is not knee and len(waits) == 2
    deeper = f"; from there to depth {last.depth} the mean latency changes from {' to '.join(waits)}" if goes else ""
    return Insight(
        name=f"enough_depth {knee.order}_{knee.operation}",
        text=f"{knee.order} {knee.operation} of {show_size(knee.block_bytes)}: depth {knee.depth} gives "
        f"{100 * KNEE_SHARE:.0f} % of the highest rate{deeper}{rest}",
        value=float(knee.depth),
        unit="1",
        others=(Number(value=KNEE_SHARE, kind="share"),),
    )


def _busy(rows: list[StorageRow], total: int) -> list[Insight]:
    """Return the jobs that the CPUs of the requests may have limited."""
    busy = [row for row in rows if BUSY_SHARE <= _used(row) <= 1 + ROUNDED]
    if not busy:
        return []
    row = max(busy, key=_used)
    used = min(_used(row), 1.0)
    return [
        Insight(
            name="cpu_bound",
            text=f"{len(busy)} of {total} jobs took {100 * BUSY_SHARE:.0f} % of their CPUs or more: the limit may be "
            f"fio, not the storage; {job_name(row)} took {100 * used:.0f} %",
            value=used,
            unit="1",
            kind="share",
            others=(Number(value=BUSY_SHARE, kind="share"), Number(value=float(len(busy)), whole=float(total))),
        )
    ]


def _used(row: StorageRow) -> float:
    """Return the used share of its CPUs: fio reports the share of one CPU for each thread."""
    return (row.cpu_user + row.cpu_system) / max(row.threads, 1)


def _not_full(rows: list[StorageRow], total: int) -> list[Insight]:
    """Return jobs whose operations in flight differ from the depth. Little's law: rate x latency is in flight."""
    odd = [row for row in rows if row.in_flight and not 1 / APART <= row.in_flight / max(row.depth, 1) <= APART]
    if not odd:
        return []
    row = odd[0]
    return [
        Insight(
            name="queue_not_full",
            text=f"{len(odd)} of {total} jobs had a number of operations in flight other than the one requested: "
            f"{job_name(row)} had {row.in_flight:.3g} (operations/s x mean latency)",
            value=row.in_flight,
            unit="1",
            others=(Number(value=float(len(odd)), whole=float(total)),),
        )
    ]
