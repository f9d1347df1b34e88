"""What the rows of `storage` say: the most operations, the most bytes, the quickest, the knee of depth, the CPU."""

from tierscope.tables import Insight, Row
from tierscope.units import show_rate, show_seconds, show_size

KNEE_SHARE = 0.9  # of the most operations, from which more depth buys little but waiting
FEWEST_DEPTHS = 3  # to see a knee at all
BUSY_SHARE = 0.9  # of one CPU, from which the CPU and not the storage may be what limits
APART = 1.25  # a queue that is so far from the depth was not full


def insights(rows: list[Row]) -> list[Insight]:
    """Only what the rows show; rows of one half of a mix say nothing by themselves."""
    whole = [row for row in rows if row["part"] in ("both", row["operation"]) and row["iops"]]
    if not whole:
        return []
    found = [_most_operations(whole), _most_bytes(whole), *_quickest(whole), *_knees(whole)]
    return found + _busy(whole) + _not_full(whole)


def job_name(row: Row) -> str:
    """'random read of 4 KiB, depth 16'; a mix by its share of reads."""
    kind = f"{100 * _float(row, 'read_share'):.0f} % reads" if row["operation"] == "mix" else str(row["operation"])
    return f"{row['order']} {kind} of {show_size(int(_float(row, 'block_bytes')))}, depth {row['depth']}"


def show_iops(value: float) -> str:
    """Four digits: '103.4k', '3 623'."""
    return f"{value / 1e3:.4g}k" if value >= 1e4 else f"{value:.4g}"


def _float(row: Row, key: str) -> float:
    value = row[key]
    return float(value) if isinstance(value, int | float) else 0.0


def _sure(row: Row) -> str:
    return "" if row["conclusive"] else " (inconclusive)"


def _most_operations(rows: list[Row]) -> Insight:
    row = max(rows, key=lambda row: _float(row, "iops"))
    return Insight(
        name="most_operations",
        text=f"{show_iops(_float(row, 'iops'))} operations/s at most: {job_name(row)}{_sure(row)}",
        value=_float(row, "iops"),
        low=_float(row, "iops_low"),
        high=_float(row, "iops_high"),
        unit="1/s",
    )


def _most_bytes(rows: list[Row]) -> Insight:
    row = max(rows, key=lambda row: _float(row, "bandwidth_bytes_per_s"))
    return Insight(
        name="most_moved",
        text=f"{show_rate(_float(row, 'bandwidth_bytes_per_s'))} at most: {job_name(row)}{_sure(row)}",
        value=_float(row, "bandwidth_bytes_per_s"),
        low=_float(row, "bandwidth_low"),
        high=_float(row, "bandwidth_high"),
        unit="B/s",
    )


def _quickest(rows: list[Row]) -> list[Insight]:
    """Of jobs with one operation at a time, whose latency is no waiting in a queue."""
    single = [row for row in rows if row["depth"] == 1 and row["latency_s"]]
    if not single:
        return []
    row = min(single, key=lambda row: _float(row, "latency_s"))
    tail = f", {show_seconds(_float(row, 'latency_p99_s'))} for 99 of 100" if row["latency_p99_s"] else ""
    return [
        Insight(
            name="quickest",
            text=f"one operation takes {show_seconds(_float(row, 'latency_s'))} in the mean{tail}: "
            f"{job_name(row)}{_sure(row)}",
            value=_float(row, "latency_s"),
            low=_float(row, "latency_low"),
            high=_float(row, "latency_high"),
            unit="s",
        )
    ]


def _knees(rows: list[Row]) -> list[Insight]:
    """For each kind of operation the least depth that gives nearly all there is."""
    kinds = dict.fromkeys((row["operation"], row["order"], row["block_bytes"]) for row in rows)
    found = []
    for kind in kinds:
        own = [row for row in rows if (row["operation"], row["order"], row["block_bytes"]) == kind]
        own.sort(key=lambda row: _float(row, "depth"))
        if len(own) >= FEWEST_DEPTHS:
            found.append(_knee(own))
    return found


def _knee(rows: list[Row]) -> Insight:
    most = max(_float(row, "iops") for row in rows)
    knee = next(row for row in rows if _float(row, "iops") >= KNEE_SHARE * most)
    last = rows[-1]
    waits = (show_seconds(_float(row, "latency_s")) for row in (knee, last))
    deeper = f"; from there to depth {last['depth']} the mean wait goes from {' to '.join(waits)}"
    return Insight(
        name=f"enough_depth {knee['order']}_{knee['operation']}",
        text=f"{knee['order']} {knee['operation']} of {show_size(int(_float(knee, 'block_bytes')))}: depth "
        f"{knee['depth']} gives {100 * KNEE_SHARE:.0f} % of the most operations{deeper if last is not knee else ''}",
        value=_float(knee, "depth"),
        unit="1",
    )


def _busy(rows: list[Row]) -> list[Insight]:
    """Jobs that may have been limited by the CPU that asked."""
    busy = [row for row in rows if _used(row) >= BUSY_SHARE * _float(row, "threads")]
    if not busy:
        return []
    row = max(busy, key=_used)
    return [
        Insight(
            name="cpu_bound",
            text=f"{len(busy)} job{'s' if len(busy) > 1 else ''} took {100 * BUSY_SHARE:.0f} % of a CPU or more: fio "
            f"and not the storage may be what limits: {job_name(row)} took {100 * _used(row):.0f} %",
            value=_used(row),
            unit="1",
        )
    ]


def _used(row: Row) -> float:
    return _float(row, "cpu_user") + _float(row, "cpu_system")


def _not_full(rows: list[Row]) -> list[Insight]:
    """Little's law: rate x latency is what was in flight, and should be the depth."""
    odd = [row for row in rows if not 1 / APART <= _float(row, "in_flight") / max(_float(row, "depth"), 1) <= APART]
    if not odd:
        return []
    row = odd[0]
    return [
        Insight(
            name="queue_not_full",
            text=f"{len(odd)} job{'s' if len(odd) > 1 else ''} had another number of operations in flight than asked: "
            f"{job_name(row)} had {_float(row, 'in_flight'):.3g} (operations/s x mean latency)",
            value=_float(row, "in_flight"),
            unit="1",
        )
    ]
