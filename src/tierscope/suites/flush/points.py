"""The common parts of the two figures of the table `flush`: points, charts, colours and notes."""

from tierscope.draw import theme, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.suites.flush.row import FlushRow
from tierscope.units import show_seconds, show_size

ROOM = 1.5  # times the fastest and the slowest: the points keep clear of the edges
FENCES = {"chunk": "a fence after each chunk", "line": "a fence after each line", "never": "no fence"}
TIPS = vega.tips(
    ("instruction", "instruction"), ("size", "chunk"), ("kind", "ordering"), ("ns", "time per line, ns"),
    ("low", "95 % interval from, ns"), ("high", "to, ns"), ("ticks", "clock ticks per line"),
    ("gb", "bandwidth, GB/s"), ("ratio", "times as long"), ("against", "as"), ("ratio_low", "ratio from"),
    ("ratio_high", "ratio to"), ("seconds", "time of all"), ("total", "all"), ("written", "really written"),
    ("rounds", "rounds"), ("verdict", "verdict"),
)  # fmt: skip


def point(row: FlushRow) -> Point:
    """Return one datum, for both figures of the table."""
    return {
        "instruction": row.instruction,
        "bytes": row.chunk_bytes,
        "size": show_size(row.chunk_bytes),
        "kind": kind_name(row),
        **vega.bar("ns", row.line, vega.ns),
        "ticks": None if row.line_ticks is None else round(row.line_ticks, 1),
        "gb": vega.gb(row.bandwidth.middle if row.bandwidth else None),
        **vega.ends("ratio", row.ratio, lambda value: vega.digits(value, 4)),
        "against": row.against,
        "seconds": show_seconds(row.seconds.middle) if row.seconds else None,
        "total": show_size(row.total_bytes),
        "written": f"{row.written_bytes / 1e9:.3g} GB",
        "rounds": row.rounds,
        "verdict": row.verdict,
    }


def kind_name(row: FlushRow) -> str:
    """Return 'a fence after each chunk', 'no fence, random order'."""
    return FENCES[row.fence] + ("" if row.order == "sequential" else ", random order")


def foreign(rows: list[FlushRow]) -> str:
    """Return a note where flushing does not make bytes survive."""
    known = {row.persistence for row in rows} & {"none", "msync"}
    if "none" in known:
        return "The target keeps nothing without power: what is timed is the way of the lines out of the caches."
    if not known:
        return ""
    if any(row.instruction == "msync" for row in rows):
        return "The target's bytes survive only after msync; the other instructions bring lines out of the caches."
    return "The target's bytes survive only after msync, which is not timed."


def charts(points: list[Point], marks: list[Spec]) -> Spec:
    """Return a chart for each kind of fence and order."""
    kinds = list(dict.fromkeys(str(one["kind"]) for one in points))
    data: Spec = {"values": points}
    if len(kinds) == 1:
        return {"data": data, "layer": marks}
    inner = {"layer": marks, "width": 330, "height": 260}
    return {"data": data, "facet": vega.field("kind", "n", None, sort=kinds), "columns": 2, "spec": inner}


def hue(names: list[str], own: list[str]) -> Spec:
    """Return the colour of an instruction, with a legend of `own`.

    names: all of the table, so that every figure uses the same colours.
    """
    colours = dict(zip(names, theme.hues(len(names)), strict=True))
    return vega.field(
        "instruction", "n", None, sort=own, scale={"domain": own, "range": [colours[name] for name in own]}
    )
