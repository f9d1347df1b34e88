"""The small row of key numbers under the headline."""

from collections.abc import Callable
from dataclasses import dataclass

from tierscope.draw.words import load_name, threads_name
from tierscope.report.content import Content
from tierscope.report.picks import (
    Load,
    Speed,
    Wait,
    fastest,
    idle,
    judged,
    most_loaded,
    rate_span,
    reaches_memory,
    time_span,
)  # fmt: skip
from tierscope.tables import Insight
from tierscope.units import show_bytes, show_rate, show_seconds

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
    "B/s": show_rate, "s": show_seconds, "B": show_bytes,
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


def _speed_tile(speed: Speed | None) -> Tile | None:
    if speed is None:
        return None
    row, bandwidth = speed
    under = f"{row.kernel}, {threads_name(row.threads)}{rate_span(bandwidth)}"
    return Tile("peak bandwidth", *_split(show_rate(bandwidth.middle)), under)


def _wait_tile(wait: Wait | None, content: Content) -> Tile | None:
    if wait is None:
        return None
    row, latency = wait
    pages = f", {show_bytes(row.page_bytes)} pages" if row.page_bytes else ""
    under = f"{show_bytes(row.footprint_bytes)}{pages}{time_span(latency)}"
    name = "idle memory latency" if reaches_memory(content) else "idle latency"
    return Tile(name, *_split(show_seconds(latency.middle)), under)


def _load_tile(load: Load | None) -> Tile | None:
    if load is None:
        return None
    name = load_name(load.row.read_share or 0.0, load.row.store)
    under = f"at {show_rate(load.bandwidth.middle)}, {name}{time_span(load.latency)}"
    return Tile("latency at the highest load", *_split(show_seconds(load.latency.middle)), under)


def _peak_tile(speed: Speed | None, content: Content) -> Tile | None:
    machine = content.run.result.machine
    if speed is None:
        return None
    name, share = "share of theoretical peak", speed.row.peak_share
    if share is None or machine.peak_bytes_per_s is None:
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
