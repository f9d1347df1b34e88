"""Two runs side by side: the ratio of each point that both hold, with its interval, and a verdict in words.

Points are matched by what was asked (kernel, threads, footprint, pages, mix, delay), not by their order. Intervals
are widened for the number of points compared at once, see `stats.compare`.
"""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from tierscope.errors import UsageError
from tierscope.printable import printable
from tierscope.record.experiment import Label
from tierscope.record.origin import named
from tierscope.record.result import Run
from tierscope.sound import reads
from tierscope.stats.compare import compare_all
from tierscope.stats.median import Interval
from tierscope.tables import Column, Row, tables
from tierscope.tables.measured import interval_of
from tierscope.units import show_bytes

KEYS = {
    "stream": ("kernel", "threads", "target", "page_bytes"),
    "latency": ("footprint_bytes", "page_bytes", "probe", "order", "target", "element_bytes"),
    "loaded_latency": ("read_share", "store", "delay_cycles", "load_threads", "target"),
    "groups": ("experiment", "group", "kernel", "threads", "target"),
    "blocks": ("operation", "block_bytes", "threads", "target", "page_bytes"),
    "neighbors": (
        "victim",
        "size",
        "command",
        "victims",
        "aggressors",
        "aggressor_kernel",
        "aggressor_target",
        "aggressor_chunk_bytes",
        "aggressor_fence",
    ),
    "contention": ("mode", "a_threads", "b_threads", "kernel", "a_target", "b_source", "b_target"),
    "targets": ("threads", "kernel", "a_target", "b_target"),
    "core_to_core": ("a_cpu", "b_cpu", "target"),
    "flush": ("instruction", "chunk_bytes", "fence", "order", "target"),
    "regions": ("operation", "region_bytes", "block_bytes", "scattered", "target", "page_bytes"),
    "numa": ("initiator", "target", "kernel", "page_bytes"),
    "stride": ("op", "store", "order", "threads", "access_bytes", "stride_bytes", "target"),
    "tlb": ("page_bytes", "touched", "target"),
    "maps": ("structure", "operation", "keys", "count", "operations", "value_bytes", "threads", "sharing", "target"),
    "storage": ("operation", "part", "order", "block_bytes", "depth", "read_share", "access", "file_bytes", "engine"),
}
VALUES = {
    "stream": ("bandwidth", "bytes_per_s"),
    "latency": ("latency", "s"),
    "loaded_latency": ("latency", "s"),
    "groups": ("bandwidth", "bytes_per_s"),
    "blocks": ("throughput", "bytes_per_s"),
    "neighbors": ("seconds", ""),
    "contention": ("sum", "bytes_per_s"),
    "targets": ("b_bandwidth", "bytes_per_s"),
    "core_to_core": ("latency", "s"),
    "flush": ("line", "s"),
    "regions": ("latency", "s"),
    "numa": ("latency", "s"),
    "maps": ("seconds", ""),
    "stride": ("bandwidth", "bytes_per_s"),
    "tlb": ("latency", "s"),
    "storage": ("bandwidth", "bytes_per_s"),
}
UNITS = {"bytes_per_s": "B/s", "s": "s", "": "s"}
"""Of the endings of keys; "" is a time whose name has none."""


ORDER = ("slower", "faster", "inconclusive", "no difference shown")
"""Verdicts in the order in which they are shown."""

NO_HARDWARE = ": a ratio of the two says nothing of hardware"

TARGETS = ("target", "a_target", "b_target", "b_source", "aggressor_target")
"""Keys that name a tier: across origins its word is another one, and the point may yet be the same."""


@reads("the comparison")
def compare_runs(
    before: Run, after: Run, least: float, *, across: bool = False, targets: bool = False
) -> list[dict[str, Any]]:
    """One row per common point; UsageError when the runs share no point.

    across: runs of different origin are compared too, else refused; then each row bears both origins, and keys that
    name a target do not count where each run has but one. targets: they do not count between runs of one origin either.
    """
    refuse_apart(before, after, across=across)
    rows: list[dict[str, Any]] = []
    for name in VALUES:
        rows += _table(name, before, after, least, (across, targets))
    if not rows:
        raise UsageError(f"{before.path} and {after.path} have no point in common{_apart(before, after)}")
    return rows


def refuse_apart(before: Run, after: Run, *, across: bool) -> None:
    """UsageError for two origins, unless they are wanted; what is imported and what is real are both hardware."""
    origins = (before.result.origin, after.result.origin)
    if origins[0] != origins[1] and set(origins) != {"real", "imported"} and not across:
        raise UsageError(
            f"one run is {origins[0]}, the other {origins[1]}: their numbers do not compare; "
            "--across-origins does it all the same, with both origins beside each number"
        )


@reads("the comparison")
def _apart(before: Run, after: Run) -> str:
    """': rows of maps differ in operations of a round', of tables that both have; "" where there is none."""
    told = []
    for name, keys in KEYS.items():
        sides = [tables[name].rows(run) for run in (before, after)]
        if all(sides):
            titles = {column.name: column.title for column in tables[name].columns}
            values = [{key: {row[key] for row in rows} for key in keys} for rows in sides]
            differ = [titles[key] for key in keys if values[0][key].isdisjoint(values[1][key])]
            only = [key for key in keys if values[0][key].isdisjoint(values[1][key])]
            hint = "; --across-targets compares them all the same" if only and set(only) <= set(TARGETS) else ""
            told.append(f"rows of {name} differ in {', '.join(differ) or 'several keys together'}{hint}")
    return f": {'; '.join(told)}" if told else ""


def apart_in_time(rows: list[dict[str, Any]]) -> str:
    """What a difference may come from besides the thing compared; "" where none was called."""
    if not {"slower", "faster"} & {row["verdict"] for row in rows}:
        return ""
    return (
        "Note: the runs were measured one after the other: what else changed on the machine counts as a difference. "
        "--rerun 5 measures both again in turns."
    )


def doubt(before: Run, after: Run) -> str:
    """What besides the thing compared may differ; "" where both come from one machine, set up alike."""
    one, other = (run.result.machine for run in (before, after))
    if one.identity.digest() == other.identity.digest():
        return ""
    return f"Note: the runs come from {one.hostname} and {other.hostname}, whose hardware, kernel or CPUs differ."


def origins_of(before: Run, after: Run) -> str:
    """What each side of the ratios is; "" where both are of one origin."""
    if before.result.origin == after.result.origin:
        return ""
    one, other = (named(run.result.origin, run.result.origin_by) for run in (before, after))
    said = "" if {before.result.origin, after.result.origin} == {"real", "imported"} else NO_HARDWARE
    return f"Before is {one}; after is {other}{said}."


def _keys(name: str, sides: list[list[Row]], across: bool) -> tuple[str, ...]:
    """Across origins or targets, without the targets of which each side has one at most."""
    single = [{key for key in KEYS[name] if len({row[key] for row in rows}) <= 1} for rows in sides]
    left_out = set(TARGETS).intersection(*single) if across else set()
    return tuple(key for key in KEYS[name] if key not in left_out)


def _table(name: str, before: Run, after: Run, least: float, over: tuple[bool, bool]) -> list[dict[str, Any]]:
    """over: across origins, and across targets."""
    across, targets = over
    sides = [tables[name].rows(run) for run in (before, after)]
    keys = _keys(name, sides, targets or (across and before.result.origin != after.result.origin))
    old, new = (_numbered(keys, rows) for rows in sides)
    pairs = [(key, old[key, number], row) for (key, number), row in new.items() if (key, number) in old]
    value, unit = VALUES[name]
    known = [(k, a, b) for k, a, b in pairs if interval_of(a, value, unit) and interval_of(b, value, unit)]
    intervals = [(_interval(name, a), _interval(name, b)) for _, a, b in known]
    found = compare_all(intervals, less_is_faster=UNITS[unit] == "s", least=least)
    rows = []
    for (key, a, b), one in zip(known, found, strict=True):
        sure = a["conclusive"] and b["conclusive"]
        verdict = one.verdict if sure or one.verdict != "no difference shown" else "inconclusive"
        rows.append(
            {
                "table": name,
                **dict(zip(keys, key, strict=True)),
                "before": _interval(name, a).middle,
                "after": _interval(name, b).middle,
                "unit": UNITS[unit],
                "ratio": one.middle,
                "ratio_low": one.low,
                "ratio_high": one.high,
                "verdict": verdict,
                **({"before_origin": a["origin"], "after_origin": b["origin"]} if across else {}),
            }
        )
    return rows


def _numbered(keys: tuple[str, ...], rows: list[Row]) -> dict[tuple[tuple[Any, ...], int], Row]:
    """By key and turn: a run may measure one point twice, and the first compares with the first."""
    found: dict[tuple[tuple[Any, ...], int], Row] = {}
    turns: Counter[tuple[Any, ...]] = Counter()
    for row in rows:
        key = tuple(row[part] for part in keys)
        found[key, turns[key]] = row
        turns[key] += 1
    return found


def _interval(name: str, row: Row) -> Interval:
    found = interval_of(row, *VALUES[name])
    assert found is not None
    return found


def point(table: str, row: Mapping[str, Label]) -> str:
    """'read, region 64 B, block 64 B, scattered': the keys of a point, named where their value alone does not tell."""
    columns = {column.name: column for column in tables[table].columns}
    return ", ".join(_said(columns[key], row[key]) for key in KEYS[table] if row.get(key) not in (None, ""))


def _said(column: Column, value: Label) -> str:
    if isinstance(value, bool):
        return column.title if value else f"not {column.title}"
    if not column.unit:
        return str(value)
    return f"{column.title} {show_bytes(float(value or 0)) if column.unit == 'B' else value}"


def show(rows: list[dict[str, Any]], console: Console) -> None:
    """One line per point, differences first; then a sentence."""
    table = RichTable(box=None, pad_edge=False, header_style="dim")
    across = any("before_origin" in row for row in rows)
    heads = [("point", False), ("ratio", True), ("95 % interval", True), ("verdict", False)]
    for name, right in [*heads, *([("after / before", False)] if across else [])]:
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for row in sorted(rows, key=lambda r: ORDER.index(r["verdict"])):
        interval = span(row)
        origins = [f"{row['after_origin']} / {row['before_origin']}"] if across else []
        table.add_row(
            Text(printable(named_point(row))),
            f"{row['ratio']:.3f}",
            interval,
            row["verdict"],
            *origins,
        )
    console.print(table)
    console.print(f"\n{counted(rows)}", highlight=False)


def span(row: Mapping[str, Any]) -> str:
    """'0.951 to 1.012'; "none" of a ratio without an interval."""
    if math.isnan(row["ratio_low"]):
        return "none"
    return f"{row['ratio_low']:.3f} to {row['ratio_high']:.3f}"


def counted(rows: list[dict[str, Any]]) -> str:
    """'after / before over 3 points: 1 slower, 2 no difference shown'."""
    counts = ", ".join(f"{n} {word}" for word in ORDER if (n := sum(r["verdict"] == word for r in rows)))
    return f"after / before over {len(rows)} points: {counts}"


def named_point(row: Mapping[str, Label]) -> str:
    """'stream: read, threads 2' of a row of `compare_runs`."""
    return f"{row['table']}: {row.get('point') or point(str(row['table']), row)}"
