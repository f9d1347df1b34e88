"""What the rows of the table `numa` say in words: what is remote, what is memory alone, where the firmware errs."""

from statistics import median

from tierscope.stats.compare import compare
from tierscope.tables import Insight, Row
from tierscope.tables.measured import interval_of
from tierscope.units import show_rate, show_seconds

APART = 1.25  # measured over reported, either way: tables of the firmware are rounded, and made for one model of many
LATENCY, BANDWIDTH = ("latency", "s"), ("bandwidth", "bytes_per_s")


def said(rows: list[Row]) -> list[Insight]:
    """Own memory, remote nodes, nodes without CPUs, disagreement with the firmware, pages that lie elsewhere."""
    remote = [row for row in rows if row["cpus"] and row["initiator"] != row["target"]]
    return [
        *_own(rows),
        *_farthest(rows, remote, LATENCY),
        *_farthest(rows, remote, BANDWIDTH),
        *_memory_only(rows),
        *_reported(rows),
        *_elsewhere(rows),
    ]


def local(rows: list[Row], row: Row, what: tuple[str, str]) -> Row | None:
    """The row that this one's ratio was taken over."""
    mine = (one for one in rows if one["initiator"] == row["initiator"])
    return next((one for one in mine if one[f"{what[0]}_ratio"] == 1.0), None)


def _own(rows: list[Row]) -> list[Insight]:
    """What nodes reach of their own memory, with the range over them, or the interval of the only one."""
    own = [row for row in rows if row["initiator"] == row["target"] and isinstance(row["latency_s"], float)]
    if not own:
        return []
    waits, speeds = (
        sorted(value for row in own if isinstance(value := row["_".join(what)], float)) for what in (LATENCY, BANDWIDTH)
    )
    interval = interval_of(own[0], *LATENCY)
    low, high = (interval.low, interval.high) if len(own) == 1 and interval else (waits[0], waits[-1])
    which = f"node {own[0]['initiator']}" if len(own) == 1 else f"{len(own)} nodes"
    return [
        Insight(
            name="local",
            text=f"own memory of {which}: {_span(waits, LATENCY)}"
            + (f", {_span(speeds, BANDWIDTH)}" if speeds else "")
            + _doubt(*own),
            value=median(waits),
            low=low,
            high=high,
            unit="s",
        )
    ]


def _span(values: list[float], what: tuple[str, str]) -> str:
    """The value, or the lowest and the highest."""
    ends = [_show(value, what) for value in (values[0], values[-1])]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def _farthest(rows: list[Row], remote: list[Row], what: tuple[str, str]) -> list[Insight]:
    """The remote node with CPUs that costs most, against local memory of the same initiator."""
    key = f"{what[0]}_ratio"
    known = [(value, row) for row in remote if isinstance(value := row[key], float)]
    if not known:
        return []
    row = sorted(known, key=lambda pair: pair[0])[-1 if what == LATENCY else 0][1]
    base = local(rows, row, what)
    interval, beside = interval_of(row, *what), interval_of(base, *what) if base else None
    if base is None or interval is None or beside is None:
        return []
    ratio = compare(beside, interval)
    ratios = [value for value, _ in known]
    span = f"; {len(known)} remote cells, {min(ratios):.2f} to {max(ratios):.2f} times" if len(known) > 1 else ""
    return [
        Insight(
            name=f"remote {what[0]}",
            text=f"{what[0]} from node {row['initiator']} to node {row['target']} is {ratio.middle:.2f} times ("
            f"{ratio.low:.2f} to {ratio.high:.2f}) that to {_place(row, base)}, {_show(interval.middle, what)} against "
            f"{_show(beside.middle, what)}{_slit(row, base, what)}{span}{_doubt(row, base)}",
            value=ratio.middle,
            low=ratio.low,
            high=ratio.high,
            unit="1",
        )
    ]


def _place(row: Row, base: Row) -> str:
    return "its own memory" if base["target"] == row["initiator"] else f"its nearest, node {base['target']}"


def _slit(row: Row, base: Row, what: tuple[str, str]) -> str:
    """The firmware's ratio of distances, which is meant to be that of latencies."""
    far, near = row["distance"], base["distance"]
    told = what == LATENCY and isinstance(far, int) and isinstance(near, int) and near > 0
    return f" (the firmware's distances say {int(far or 0) / int(near or 1):.2f})" if told else ""


def _show(value: float, what: tuple[str, str]) -> str:
    return show_seconds(value) if what == LATENCY else show_rate(value)


def _doubt(*rows: Row) -> str:
    return "" if all(row["conclusive"] for row in rows) else "; inconclusive"


def _memory_only(rows: list[Row]) -> list[Insight]:
    """Each node without CPUs, from the initiator that reaches it soonest."""
    found = []
    for target in dict.fromkeys(row["target"] for row in rows if row["cpus"] == 0):
        mine = [(wait, row) for row in rows if row["target"] == target and isinstance(wait := row["latency_s"], float)]
        if mine:
            found += _alone(rows, min(mine, key=lambda pair: pair[0])[1])
    return found


def _alone(rows: list[Row], row: Row) -> list[Insight]:
    wait, speed = interval_of(row, *LATENCY), interval_of(row, *BANDWIDTH)
    base = local(rows, row, LATENCY)
    beside = interval_of(base, *LATENCY) if base else None
    if wait is None:
        return []
    text = f"node {row['target']} is memory without CPUs: {show_seconds(wait.middle)} from node {row['initiator']}"
    text += f", {show_rate(speed.middle)}" if speed else ""
    ratio, part = None, row["bandwidth_ratio"]
    if base is not None and beside is not None and base is not row:
        ratio = compare(beside, wait)
        text += f"; {ratio.middle:.2f} times ({ratio.low:.2f} to {ratio.high:.2f}) the latency of node {base['target']}"
        text += f" and {part:.2f} times its bandwidth" if isinstance(part, float) else ""
    return [
        Insight(
            name=f"memory_only {row['target']}",
            text=text + _doubt(row, *([base] if base else [])),
            value=ratio.middle if ratio else None,
            low=ratio.low if ratio else None,
            high=ratio.high if ratio else None,
            unit="1",
        )
    ]


def _reported(rows: list[Row]) -> list[Insight]:
    """Where what was measured and what the firmware reports are more than APART."""
    found = []
    for row in rows:
        for what in (LATENCY, BANDWIDTH):
            told, interval = row[f"reported_{what[0]}_{what[1]}"], interval_of(row, *what)
            if isinstance(told, float) and interval and not 1 / APART <= interval.middle / told <= APART:
                found.append(
                    Insight(
                        name=f"reported {what[0]} {row['initiator']} {row['target']}",
                        text=f"the firmware reports {_show(told, what)} from node {row['initiator']} to node "
                        f"{row['target']}, measured is {_show(interval.middle, what)}: "
                        f"{interval.middle / told:.2f} times{_doubt(row)}",
                        value=interval.middle / told,
                        low=interval.low / told,
                        high=interval.high / told,
                        unit="1",
                    )
                )
    return found


def _elsewhere(rows: list[Row]) -> list[Insight]:
    """Cells whose pages did not all lie on their target: they measure something else."""
    strayed = [(share, row) for row in rows if isinstance(share := row["on_target_share"], float) and share < 1]
    if not strayed:
        return []
    share, row = min(strayed, key=lambda pair: pair[0])
    return [
        Insight(
            name="placement",
            text=f"{len(strayed)} of {len(rows)} cells had pages on other nodes than their target; the worst, from "
            f"node {row['initiator']} to node {row['target']}, had {100 * share:.0f} % on it",
            value=share,
            unit="1",
        )
    ]
