"""What the rows of `storage` say: the most operations, the most bytes, the quickest, the knee of depth, the CPU."""

from tierscope.stats.median import Interval
from tierscope.tables import Flat, Insight, Number
from tierscope.tables.measured import left_out, sure_flat, sure_rows_flat
from tierscope.units import show_rate, show_seconds, show_size

KNEE_SHARE = 0.9  # of the most operations, from which more depth buys little but waiting
FEWEST_DEPTHS = 3  # to see a knee at all
BUSY_SHARE = 0.9  # of one CPU, from which the CPU and not the storage may be what limits
ROUNDED = 0.05  # fio rounds its shares of a CPU: more than so much above a whole is no share
APART = 1.25  # a queue that is so far from the depth was not full


def insights(rows: list[Flat]) -> list[Insight]:
    """Only what the rows show; rows of one half of a mix say nothing by themselves."""
    jobs = [row for row in rows if row["part"] in ("both", row["operation"])]
    known = [row for row, _ in sure_rows_flat(jobs, "iops", "")]
    if not known:
        return []
    rest = left_out(len(known), len(jobs), "jobs")
    found = [*_most_operations(known, rest), *_most_bytes(known, rest), *_quickest(known, jobs)]
    return found + _knees(known, jobs) + _busy(known, len(jobs)) + _not_full(known, len(jobs))


def job_name(row: Flat) -> str:
    """'random read of 4 KiB, depth 16'; a mix by its share of reads."""
    kind = f"{100 * _float(row, 'read_share'):.0f} % reads" if row["operation"] == "mix" else str(row["operation"])
    return f"{row['order']} {kind} of {show_size(int(_float(row, 'block_bytes')))}, depth {row['depth']}"


def show_iops(value: float) -> str:
    """Four digits: '103.4k', '3 623'."""
    return f"{value / 1e3:.4g}k" if value >= 1e4 else f"{value:.4g}"


def _float(row: Flat, key: str) -> float:
    value = row[key]
    return float(value) if isinstance(value, int | float) else 0.0


def _most_operations(rows: list[Flat], rest: str) -> list[Insight]:
    row, most = max(sure_rows_flat(rows, "iops", ""), key=lambda pair: pair[1].middle)
    return [
        _insight(
            "most_operations",
            f"Highest rate: {show_iops(most.middle)} operations/s, {job_name(row)}{rest}",
            most,
            "1/s",
        )
    ]


def _most_bytes(rows: list[Flat], rest: str) -> list[Insight]:
    known = sure_rows_flat(rows, "bandwidth", "bytes_per_s")
    if not known:
        return []
    row, most = max(known, key=lambda pair: pair[1].middle)
    return [_insight("most_moved", f"Highest bandwidth: {show_rate(most.middle)}, {job_name(row)}{rest}", most, "B/s")]


def _insight(name: str, text: str, found: Interval, unit: str) -> Insight:
    return Insight(name=name, text=text, value=found.middle, low=found.low, high=found.high, unit=unit)


def _quickest(rows: list[Flat], jobs: list[Flat]) -> list[Insight]:
    """Of jobs with one operation at a time, whose latency is no waiting in a queue."""
    single = sure_rows_flat([row for row in rows if row["depth"] == 1], "latency", "s")
    if not single:
        return []
    row, wait = min(single, key=lambda pair: pair[1].middle)
    tail = f", {show_seconds(_float(row, 'latency_p99_s'))} for 99 of 100" if row["latency_p99_s"] else ""
    rest = left_out(len(single), sum(one["depth"] == 1 for one in jobs), "jobs of depth 1")
    text = f"Lowest mean latency: {show_seconds(wait.middle)}{tail}, {job_name(row)}{rest}"
    return [_insight("quickest", text, wait, "s")]


def _knees(rows: list[Flat], jobs: list[Flat]) -> list[Insight]:
    """For each kind of operation the least depth that gives nearly all there is."""
    kinds = dict.fromkeys((row["operation"], row["order"], row["block_bytes"]) for row in rows)
    found = []
    for kind in kinds:
        own, every = (
            [row for row in some if (row["operation"], row["order"], row["block_bytes"]) == kind]
            for some in (rows, jobs)
        )
        own.sort(key=lambda row: _float(row, "depth"))
        if len(own) >= FEWEST_DEPTHS:
            found.append(_knee(own, left_out(len(own), len(every), "depths")))
    return found


def _knee(rows: list[Flat], rest: str) -> Insight:
    most = max(_float(row, "iops") for row in rows)
    knee = next(row for row in rows if _float(row, "iops") >= KNEE_SHARE * most)
    last = rows[-1]
    waits = [show_seconds(wait.middle) for row in (knee, last) if (wait := sure_flat(row, "latency", "s"))]
    goes = last is not knee and len(waits) == 2
    deeper = f"; from there to depth {last['depth']} the mean latency changes from {' to '.join(waits)}" if goes else ""
    return Insight(
        name=f"enough_depth {knee['order']}_{knee['operation']}",
        text=f"{knee['order']} {knee['operation']} of {show_size(int(_float(knee, 'block_bytes')))}: depth "
        f"{knee['depth']} gives {100 * KNEE_SHARE:.0f} % of the highest rate{deeper}{rest}",
        value=_float(knee, "depth"),
        unit="1",
        others=(Number(value=KNEE_SHARE, kind="share"),),
    )


def _busy(rows: list[Flat], total: int) -> list[Insight]:
    """Jobs that may have been limited by the CPUs that asked."""
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


def _used(row: Flat) -> float:
    """Share of its CPUs: fio reports that of one for each thread."""
    return (_float(row, "cpu_user") + _float(row, "cpu_system")) / max(_float(row, "threads"), 1.0)


def _not_full(rows: list[Flat], total: int) -> list[Insight]:
    """Little's law: rate x latency is what was in flight, and should be the depth."""
    held = [(row, _float(row, "in_flight") / max(_float(row, "depth"), 1)) for row in rows if row["in_flight"]]
    odd = [row for row, ratio in held if not 1 / APART <= ratio <= APART]
    if not odd:
        return []
    row = odd[0]
    return [
        Insight(
            name="queue_not_full",
            text=f"{len(odd)} of {total} jobs had a number of operations in flight other than the one requested: "
            f"{job_name(row)} had {_float(row, 'in_flight'):.3g} (operations/s x mean latency)",
            value=_float(row, "in_flight"),
            unit="1",
            others=(Number(value=float(len(odd)), whole=float(total)),),
        )
    ]
