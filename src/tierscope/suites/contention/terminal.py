"""Contention in a terminal: a line per split, per number of threads, and per group instead of per thread."""

from statistics import median

from tierscope.draw import cells, vega
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.tables import Flat

LINES = 40  # of splits: of more, every second, third ... with both ends of each mode


def contention(rows: list[Flat]) -> Grid:
    """Both groups and their sum, from all threads in A to all in B."""
    heads = [("mode", False), ("A:B", True), ("A, GB/s", True), ("B, GB/s", True), ("sum, GB/s", True)]
    step = -(-len(rows) // LINES)
    lines = []
    for mode in dict.fromkeys(row["mode"] for row in rows):
        mine = sorted((row for row in rows if row["mode"] == mode), key=_place)
        shown = mine[::step] if mine[-1] in mine[::step] else [*mine[::step], mine[-1]]
        lines += [[str(mode) if row is mine[0] else "", _split(row), *_both(row)] for row in shown]
    rest = "" if step < 2 else f"; 1 of {step} splits, the report has all"
    return f"Contention (program bytes, 95 % interval{rest})", heads, lines


def _place(row: Flat) -> tuple[float, int]:
    a, b = int(row["a_threads"] or 0), int(row["b_threads"] or 0)
    return b / (a + b), a + b


def _split(row: Flat) -> str:
    return f"{row['a_threads']}:{row['b_threads']}"


def _both(row: Flat) -> list[str]:
    """A group without threads is a dash."""
    sides = [_rate(row, f"{side}_bandwidth") if row[f"{side}_threads"] else cells.NOTHING for side in ("a", "b")]
    return [*sides, _rate(row, "sum") + ("" if row["conclusive"] else " ?")]


def _rate(row: Flat, stem: str) -> str:
    """'35.99 ±0.2%', the half-width of the interval."""
    middle, low, high = (row[key] for key in (f"{stem}_bytes_per_s", f"{stem}_low", f"{stem}_high"))
    if not middle or low is None or high is None:
        return cells.NOTHING
    return cells.within(f"{vega.gb(middle):.2f}", low, middle, high)


def targets(rows: list[Flat]) -> Grid:
    """Bandwidth of both and b as a share of a."""
    names = [str(rows[0][key]) for key in ("a_target", "b_target")]
    heads = [("threads", True), ("a, GB/s", True), ("b, GB/s", True), ("b / a", True)]
    lines = [[str(row["threads"]), _rate(row, "a_bandwidth"), _rate(row, "b_bandwidth"), _ratio(row)] for row in rows]
    return f"Alone: a = {names[0]}, b = {names[1]} (95 % interval)", heads, lines


def _ratio(row: Flat) -> str:
    if not row["ratio"]:
        return cells.NOTHING
    middle, low, high = (100 * float(row[key] or 0) for key in ("ratio", "ratio_low", "ratio_high"))
    return f"{middle:.1f}% ({low:.1f} to {high:.1f}){'' if row['conclusive'] else ' ?'}"


def threads(rows: list[Flat]) -> Grid:
    """How even the threads of each group of a mode are, over all splits; the report has each of them."""
    found: dict[tuple[str, str], list[Flat]] = {}
    for row in rows:
        if row["variation"] is not None:
            found.setdefault((str(row["mode"]), str(row["group"])), []).append(row)
    heads = [("mode", False), ("group", False), ("threads", True), ("variation: median, %", True)]
    heads += [("most, %", True), ("that flutter", True)]
    lines = [[*key, *_evenness(mine)] for key, mine in found.items()]
    return "Threads, all splits of a mode together", heads, lines


def _evenness(rows: list[Flat]) -> list[str]:
    spread = [100 * float(row["variation"] or 0) for row in rows]
    dipping = sum(1 for row in rows if row["flutters"])
    return [str(len(rows)), f"{median(spread):.1f}", f"{max(spread):.1f}", str(dipping)]


forms.add(of_rows("contention", lambda rows: [contention(rows)]))
forms.add(of_rows("targets", lambda rows: [targets(rows)]))
forms.add(of_rows("threads", lambda rows: [threads(rows)]))
