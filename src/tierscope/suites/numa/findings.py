"""What the rows of the table `numa` say in words: what is remote, what is memory alone, where the firmware errs."""

from statistics import median

from tierscope.record.experiment import real
from tierscope.stats.compare import compare
from tierscope.stats.median import Interval
from tierscope.tables import Flat, Insight, Number
from tierscope.tables.measured import left_out, ratio_word, sure_flat, sure_rows_flat
from tierscope.units import show_rate, show_seconds

APART = 1.25  # measured over reported, either way: tables of the firmware are rounded, and made for one model of many
LATENCY, BANDWIDTH = ("latency", "s"), ("bandwidth", "bytes_per_s")


def said(rows: list[Flat]) -> list[Insight]:
    """Own memory, remote nodes, nodes without CPUs, disagreement with the firmware, pages that lie elsewhere."""
    return [
        *_own(rows),
        *_farthest(rows, LATENCY),
        *_farthest(rows, BANDWIDTH),
        *_memory_only(rows),
        *_reported(rows),
        *_elsewhere(rows),
    ]


def local(rows: list[Flat], row: Flat, what: tuple[str, str]) -> Flat | None:
    """The row that this one's ratio was taken over."""
    mine = (one for one in rows if one["initiator"] == row["initiator"])
    return next((one for one in mine if one[f"{what[0]}_ratio"] == 1.0), None)


def _own(rows: list[Flat]) -> list[Insight]:
    """What nodes reach of their own memory, with the range over them, or the interval of the only one."""
    every = [row for row in rows if row["initiator"] == row["target"]]
    own = sure_rows_flat(every, *LATENCY)
    if not own:
        return []
    waits = sorted(interval.middle for _, interval in own)
    speeds = sorted(interval.middle for _, interval in sure_rows_flat(every, *BANDWIDTH))
    first, interval = own[0]
    low, high = (interval.low, interval.high) if len(own) == 1 else (waits[0], waits[-1])
    which = f"node {first['initiator']}" if len(own) == 1 else f"{len(own)} nodes"
    return [
        Insight(
            name="local",
            text=f"Local memory of {which}: {_span(waits, LATENCY)}"
            + (f", {_span(speeds, BANDWIDTH)}" if speeds else "")
            + left_out(len(own), len(every), "nodes"),
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


def _farthest(rows: list[Flat], what: tuple[str, str]) -> list[Insight]:
    """The remote node with CPUs that costs most, against local memory of the same initiator; both conclusive."""
    remote = [row for row in rows if row["cpus"] and row["initiator"] != row["target"]]
    known = []
    for row, interval in sure_rows_flat(remote, *what):
        base = local(rows, row, what)
        beside = sure_flat(base, *what) if base else None
        if base is not None and beside is not None:
            known.append((compare(beside, interval), row, base, interval, beside))
    if not known:
        return []
    known.sort(key=lambda one: one[0].middle, reverse=what == LATENCY)
    ratio, row, base, interval, beside = known[0]
    low, middle, high = map(ratio_word, (ratio.low, ratio.middle, ratio.high))
    ends = sorted(one[0].middle for one in known)
    cells = f"{len(known)} remote cells, {ratio_word(ends[0])}x to {ratio_word(ends[-1])}x"
    span = f"; {cells}" if len(known) > 1 else ""
    slit, firmware = _slit(row, base, what)
    return [
        Insight(
            name=f"remote {what[0]}",
            text=f"{what[0].capitalize()} from node {row['initiator']} to node {row['target']}: {middle}x that to "
            f"{_place(row, base)} ({low} to {high}), {_show(interval.middle, what)} compared with "
            f"{_show(beside.middle, what)}"
            f"{slit}{span}{left_out(len(known), len(remote), 'remote cells')}",
            value=ratio.middle,
            low=ratio.low,
            high=ratio.high,
            unit="1",
            others=(*(Number(value=end) for end in ends), *firmware),
        )
    ]


def _place(row: Flat, base: Flat) -> str:
    return "its own memory" if base["target"] == row["initiator"] else f"its nearest, node {base['target']}"


def _slit(row: Flat, base: Flat, what: tuple[str, str]) -> tuple[str, tuple[Number, ...]]:
    """The firmware's ratio of distances, which is meant to be that of latencies."""
    far, near = row["distance"], base["distance"]
    if what != LATENCY or not isinstance(far, int) or not isinstance(near, int) or near <= 0:
        return "", ()
    return f" (the firmware's distances: {far / near:.2f})", (Number(value=far / near),)


def _show(value: float, what: tuple[str, str]) -> str:
    return show_seconds(value) if what == LATENCY else show_rate(value)


def _memory_only(rows: list[Flat]) -> list[Insight]:
    """Each node without CPUs, from the initiator that is shown to reach it soonest."""
    found = []
    for target in dict.fromkeys(row["target"] for row in rows if row["cpus"] == 0):
        mine = sure_rows_flat([row for row in rows if row["target"] == target], *LATENCY)
        if mine:
            found += _alone(rows, *min(mine, key=lambda pair: pair[1].middle))
    return found


def _alone(rows: list[Flat], row: Flat, wait: Interval) -> list[Insight]:
    speed = sure_flat(row, *BANDWIDTH)
    base = local(rows, row, LATENCY)
    beside = sure_flat(base, *LATENCY) if base else None
    text = f"Node {row['target']} is memory without CPUs: {show_seconds(wait.middle)} from node {row['initiator']}"
    text += f", {show_rate(speed.middle)}" if speed else ""
    ratio, others = None, []
    if base is not None and beside is not None and base is not row:
        ratio, near = compare(beside, wait), sure_flat(base, *BANDWIDTH)
        low, middle, high = map(ratio_word, (ratio.low, ratio.middle, ratio.high))
        text += f"; {middle}x the latency of node {base['target']} ({low} to {high})"
        if speed and near:
            others.append(Number(value=speed.middle / near.middle))
            text += f" and {ratio_word(speed.middle / near.middle)}x its bandwidth"
    return [
        Insight(
            name=f"memory_only {row['target']}",
            text=text,
            value=ratio.middle if ratio else None,
            low=ratio.low if ratio else None,
            high=ratio.high if ratio else None,
            unit="1",
            others=tuple(others),
        )
    ]


def _reported(rows: list[Flat]) -> list[Insight]:
    """Where what was measured and what the firmware reports are more than APART."""
    found = []
    for row in rows:
        for what in (LATENCY, BANDWIDTH):
            told, interval = real(row[f"reported_{what[0]}_{what[1]}"]), sure_flat(row, *what)
            if told is not None and told > 0 and interval and not 1 / APART <= interval.middle / told <= APART:
                found.append(
                    Insight(
                        name=f"reported {what[0]} {row['initiator']} {row['target']}",
                        text=f"The firmware reports {_show(told, what)} from node {row['initiator']} to node "
                        f"{row['target']}; measured: {_show(interval.middle, what)}, "
                        f"{ratio_word(interval.middle / told)}x the reported value",
                        value=interval.middle / told,
                        low=interval.low / told,
                        high=interval.high / told,
                        unit="1",
                    )
                )
    return found


def _elsewhere(rows: list[Flat]) -> list[Insight]:
    """Cells whose pages did not all lie on their target: they measure something else."""
    strayed = [(share, row) for row in rows if (share := real(row["on_target_share"])) is not None and share < 1]
    if not strayed:
        return []
    share, row = min(strayed, key=lambda pair: pair[0])
    return [
        Insight(
            name="placement",
            text=f"{len(strayed)} of {len(rows)} cells had pages on nodes other than their target; the worst, from "
            f"node {row['initiator']} to node {row['target']}, had {100 * share:.0f} % on it",
            value=share,
            unit="1",
            kind="share",
            conclusive=bool(row["conclusive"]),
            others=(Number(value=float(len(strayed)), whole=float(len(rows))),),
        )
    ]
