"""The small row of key numbers under the headline."""

from collections.abc import Callable
from dataclasses import dataclass

from tierscope.draw.words import load_name, threads_name
from tierscope.report.content import Content
from tierscope.report.picks import (
    fastest,
    idle,
    judged,
    most_loaded,
    rate,
    rate_span,
    reaches_memory,
    seconds,
    time_span,
)  # fmt: skip
from tierscope.tables import Flat, Insight
from tierscope.units import show_bytes, show_rate

TOLD = {
    "most_in_total": "most in total",
    "most_throughput": "most throughput",
    "block_efficiency": "strong scaling",
    "slowdown": "largest slowdown",
    "handover": "hand-over of a line",
    "farthest": "farthest CPUs",
    "remote": "remote over local",
}
"""Insights by the first word of their name -> what the tile is called; those of one table stand in this order."""

MOST_TOLD = 4
SHOWN: dict[str, Callable[[float], str]] = {
    "B/s": rate, "s": seconds, "B": show_bytes,
    "1": lambda ratio: f"{ratio:.3f} times" if ratio >= 0.1 else f"{ratio:.3g} times",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tile:
    """One key number."""

    name: str
    value: str
    unit: str
    under: str


def tiles(content: Content) -> tuple[Tile, ...]:
    """As many as the run has numbers for."""
    speed = fastest(content)
    found = (
        _speed_tile(speed),
        _wait_tile(idle(content), content),
        _load_tile(most_loaded(content)),
        _peak_tile(speed, content),
        *_told(content.conclusions),
        _sure_tile(content),
    )
    return tuple(tile for tile in found if tile)


def _told(insights: list[Insight]) -> list[Tile]:
    """Of each kind in TOLD the insight of the highest number; at most MOST_TOLD. insights: conclusive ones."""
    most: dict[str, Insight] = {}
    for insight in insights:
        kind = insight.name.split()[0]
        if (
            kind in TOLD
            and insight.conclusive
            and insight.value is not None
            and insight.value > (most[kind].value or 0 if kind in most else -1)
        ):
            most[kind] = insight
    return [_insight_tile(TOLD[kind], most[kind]) for kind in TOLD if kind in most][:MOST_TOLD]


def _insight_tile(title: str, insight: Insight) -> Tile:
    about = insight.name.partition(" ")[2].replace("_", " ")
    ends = [SHOWN[insight.unit](end) for end in (insight.low, insight.value, insight.high) if end is not None]
    value, unit = _split(SHOWN[insight.unit](insight.value or 0.0))
    span = f"{ends[0].partition(' ')[0]} to {ends[-1]}" if len(ends) == 3 else ""
    return Tile(title, value, unit, ", ".join(part for part in (about, span) if part))


def _speed_tile(row: Flat | None) -> Tile | None:
    if row is None:
        return None
    team = threads_name(int(row["threads"] or 0))
    under = f"{row['kernel']}, {team}{rate_span(row['bandwidth_low'], row['bandwidth_high'])}"
    return Tile("peak bandwidth", *_split(rate(row["bandwidth_bytes_per_s"])), under)


def _wait_tile(row: Flat | None, content: Content) -> Tile | None:
    if row is None:
        return None
    pages = f", {show_bytes(float(row['page_bytes']))} pages" if row["page_bytes"] else ""
    under = f"{show_bytes(float(row['footprint_bytes'] or 0))}{pages}{time_span(row)}"
    return Tile(
        "idle memory latency" if reaches_memory(content) else "idle latency", *_split(seconds(row["latency_s"])), under
    )


def _load_tile(row: Flat | None) -> Tile | None:
    if row is None:
        return None
    load = load_name(float(row["read_share"] or 0), str(row["store"]))
    under = f"at {rate(row['bandwidth_bytes_per_s'])}, {load}{time_span(row)}"
    return Tile("latency at the highest load", *_split(seconds(row["latency_s"])), under)


def _peak_tile(row: Flat | None, content: Content) -> Tile | None:
    machine = content.run.result.machine
    if row is None:
        return None
    name, share = "share of theoretical peak", row.get("peak_share")
    if not isinstance(share, int | float) or machine.peak_bytes_per_s is None:
        return Tile(name, "unknown", "", machine.peak_source.removeprefix("unknown: "))
    under = f"of {show_rate(machine.peak_bytes_per_s)}, {machine.peak_source}"
    if share > 1:
        return Tile(name, "not known", "", f"more than all {under}")
    return Tile(name, f"{100 * share:.1f}", "%", under)


def _sure_tile(content: Content) -> Tile | None:
    rows = judged(content)
    if not rows:
        return None
    sure = sum(1 for row in rows if row["conclusive"])
    shares = sorted(min(float(row.get("left_out_share") or 0), 1.0) for row in rows)
    out = f"left out: {100 * shares[len(shares) // 2]:.1f} % of the time, at most {100 * shares[-1]:.0f} %"
    return Tile("conclusive points", str(sure), f"of {len(rows)}", out)


def _split(text: str) -> tuple[str, str]:
    value, _, unit = text.partition(" ")
    return value, unit
