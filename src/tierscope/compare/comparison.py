"""Two runs side by side: the ratio of each point that both have, with its interval, and a verdict in words.

Points are matched by what was asked (kernel, threads, footprint, pages, mix, delay), not by their order. Intervals are
widened for the number of points compared together, see `stats.compare`.
"""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from tierscope.compare.footprints import AFTER, BEFORE, comparable, footprint_of
from tierscope.compare.measures import Measure, measures
from tierscope.errors import UsageError
from tierscope.printable import printable
from tierscope.record.experiment import Label, real
from tierscope.record.origin import banner, named, timeless
from tierscope.record.result import Run
from tierscope.sound import reads
from tierscope.stats.compare import Comparison, compare_all
from tierscope.tables import Column, Flat, Plain, tables
from tierscope.units import show_bytes

ORDER = ("slower", "faster", "inconclusive", "no difference shown")
"""Verdicts in the order in which they are shown."""

NO_HARDWARE = ": a ratio of the two shows nothing about hardware"


@reads("the comparison")
def compare_runs(
    before: Run, after: Run, least: float, *, across: bool = False, targets: bool = False
) -> list[dict[str, Any]]:
    """Return one row per common point; UsageError when the runs share no point.

    across: runs of different origin are compared too, else refused. Each row then states both origins. Keys that name a
    target do not count where each run has only one. targets: they do not count between runs of one origin either.
    """
    refuse_apart(before, after, across=across)
    rows: list[dict[str, Any]] = []
    for measure in measures().values():
        rows += _rows(measure, before, after, least, (across, targets))
    if not rows:
        raise UsageError(f"{before.path} and {after.path} have no point in common{_apart(before, after)}")
    return rows


def refuse_apart(before: Run, after: Run, *, across: bool) -> None:
    """Raise UsageError for two origins, unless they are wanted; what is imported and what is real are both hardware."""
    origins = (before.result.origin, after.result.origin)
    if origins[0] != origins[1] and set(origins) != {"real", "imported"} and not across:
        raise UsageError(
            f"one run is {origins[0]}, the other {origins[1]}: their numbers are not comparable; "
            "--across-origins compares them anyway, with both origins next to each number"
        )


@reads("the comparison")
def _apart(before: Run, after: Run) -> str:
    """Return ': rows of maps differ in operations of a round', of tables that both have; "" where there is none."""
    told = []
    for name, table in {one.table.name: one.table for one in measures().values()}.items():
        sides, keys = [table.flat(run) for run in (before, after)], table.keys
        if all(sides):
            titles = {column.name: column.title for column in table.columns}
            values = [{key: {row[key] for row in rows} for key in keys} for rows in sides]
            differ = [titles[key] for key in keys if values[0][key].isdisjoint(values[1][key])]
            only = [key for key in keys if values[0][key].isdisjoint(values[1][key])]
            hint = "; --across-targets compares them anyway" if only and set(only) <= _tiers(table) else ""
            told.append(f"rows of {name} differ in {', '.join(differ) or 'several keys together'}{hint}")
    return f": {'; '.join(told)}" if told else ""


def apart_in_time(rows: list[dict[str, Any]]) -> str:
    """Return other sources of a difference than the thing compared; "" where none was called."""
    if not {"slower", "faster"} & {row["verdict"] for row in rows}:
        return ""
    return (
        "Note: the runs were measured one after the other: what else changed on the machine counts as a difference. "
        "--rerun 5 measures both again, alternately."
    )


def doubt(before: Run, after: Run) -> str:
    """Return what may differ other than the thing compared; "" where both come from one machine, set up alike."""
    one, other = (run.result.machine for run in (before, after))
    if one.identity.digest() == other.identity.digest():
        return ""
    return f"Note: the runs come from {one.hostname} and {other.hostname}, whose hardware, kernel or CPUs differ."


def origins_of(before: Run, after: Run) -> str:
    """Return what each side of the ratios is; "" for one origin, unless none of its times is one of a memory."""
    if before.result.origin == after.result.origin:
        return banner(after.result.origin, after.result.origin_by) if timeless(after.result.origin_by) else ""
    one, other = (named(run.result.origin, run.result.origin_by) for run in (before, after))
    said = "" if {before.result.origin, after.result.origin} == {"real", "imported"} else NO_HARDWARE
    return f"Before is {one}; after is {other}{said}."


def _tiers(table: Plain) -> set[str]:
    """Return the columns that name a target."""
    return {column.name for column in table.columns if column.tier}


def _keys(table: Plain, sides: list[list[Flat]], across: bool) -> tuple[str, ...]:
    """Compare across origins or targets, without targets that are alone on their side."""
    single = [{key for key in table.keys if len({row[key] for row in rows}) <= 1} for rows in sides]
    left_out = _tiers(table).intersection(*single) if across else set()
    return tuple(key for key in table.keys if key not in left_out)


def _degrees(before: Flat, after: Flat) -> float | None:
    """Return the degrees of freedom of a ratio: those of the side that has fewer; None where both have many."""
    return min((n for row in (before, after) if (n := real(row.get("degrees"))) is not None), default=None)


def _rows(measure: Measure, before: Run, after: Run, least: float, over: tuple[bool, bool]) -> list[dict[str, Any]]:
    """Return a row for each point that both runs have.

    over: across origins, and across targets.
    """
    across, targets = over
    sides = [measure.rows(run) for run in (before, after)]
    keys = _keys(measure.table, sides, targets or (across and before.result.origin != after.result.origin))
    old, new = (_numbered(keys, rows) for rows in sides)
    pairs = [(key, old[key, number], row) for (key, number), row in new.items() if (key, number) in old]
    known = [
        (key, a, b, old_one, new_one)
        for key, a, b in pairs
        if (old_one := measure.interval(a)) and (new_one := measure.interval(b))
    ]
    intervals = [(old_one, new_one) for *_, old_one, new_one in known]
    degrees = [_degrees(a, b) for _, a, b, *_ in known]
    found = compare_all(intervals, less_is_faster=measure.main.less_is_better, least=least, degrees=degrees)
    return [
        {
            "table": measure.table.name,
            "value": measure.main.name,
            **dict(zip(keys, key, strict=True)),
            "before": old_one.middle,
            "after": new_one.middle,
            "unit": measure.unit,
            "ratio": one.middle,
            "ratio_low": one.low,
            "ratio_high": one.high,
            **_verdict(one, (a, b), (before, after)),
            **({"before_origin": a["origin"], "after_origin": b["origin"]} if across else {}),
        }
        for (key, a, b, old_one, new_one), one in zip(known, found, strict=True)
    ]


def _verdict(one: Comparison, points: tuple[Flat, Flat], runs: tuple[Run, Run]) -> dict[str, Any]:
    """Return the verdict on a ratio, and both footprints if they differ."""
    sure = all(point.get("conclusive") is not False for point in points)
    verdict = one.verdict if sure or one.verdict != "no difference shown" else "inconclusive"
    sizes = tuple(map(footprint_of, points))
    if not comparable(sizes, runs):
        verdict = "inconclusive"
    return {
        "verdict": verdict,
        **(dict(zip((BEFORE, AFTER), sizes, strict=True)) if len({*sizes} - {None}) > 1 else {}),
    }


def _numbered(keys: tuple[str, ...], rows: list[Flat]) -> dict[tuple[tuple[Any, ...], int], Flat]:
    """Return rows by key and turn: a run may measure one point twice, and the first compares with the first."""
    found: dict[tuple[tuple[Any, ...], int], Flat] = {}
    turns: Counter[tuple[Any, ...]] = Counter()
    for row in rows:
        key = tuple(row[part] for part in keys)
        found[key, turns[key]] = row
        turns[key] += 1
    return found


def point(table: str, row: Mapping[str, Label]) -> str:
    """Return the keys of a point, named where their value alone is ambiguous: 'read, region 64 B, scattered'."""
    columns = {column.name: column for column in tables[table].columns}
    return ", ".join(_said(columns[key], row[key]) for key in tables[table].keys if row.get(key) not in (None, ""))


def _said(column: Column, value: Label) -> str:
    if isinstance(value, bool):
        return column.title if value else f"not {column.title}"
    if not column.unit:
        return str(value)
    size = real(value) if column.unit == "B" else None
    return f"{column.title} {value if size is None else show_bytes(size)}"


def show(rows: list[dict[str, Any]], console: Console) -> None:
    """Print one line per point, differences first; then a sentence."""
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
    """Return '0.951 to 1.012'; "none" of a ratio without an interval."""
    if math.isnan(row["ratio_low"]):
        return "none"
    return f"{row['ratio_low']:.3f} to {row['ratio_high']:.3f}"


def counted(rows: list[dict[str, Any]]) -> str:
    """Return 'after / before over 3 points: 1 slower, 2 no difference shown'."""
    counts = ", ".join(f"{n} {word}" for word in ORDER if (n := sum(r["verdict"] == word for r in rows)))
    return f"after / before over {len(rows)} points: {counts}"


def named_point(row: Mapping[str, Label]) -> str:
    """Return 'stream: read, threads 2' of a row of `compare_runs`."""
    table, value = str(row["table"]), row.get("value")
    name = next((one.name for one in measures().values() if (one.table.name, one.main.name) == (table, value)), table)
    return f"{name}: {row.get('point') or point(table, row)}"
