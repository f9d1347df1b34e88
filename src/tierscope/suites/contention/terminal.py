"""Contention in a terminal: a line per split, per number of threads, and per group instead of per thread."""

from statistics import median

from tierscope.draw import cells, vega
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.stats.median import Interval
from tierscope.suites.contention.table import ContentionRow
from tierscope.suites.contention.table_targets import TargetsRow
from tierscope.suites.contention.table_threads import ThreadsRow

LINES = 40  # of splits; with more, every second, third ... is shown, with both ends of each mode


def contention(rows: list[ContentionRow]) -> Grid:
    """Return both groups and their sum, from all threads in A to all in B."""
    heads = [("mode", False), ("A:B", True), ("A, GB/s", True), ("B, GB/s", True), ("sum, GB/s", True)]
    step = -(-len(rows) // LINES)
    lines = []
    for mode in dict.fromkeys(row.mode for row in rows):
        mine = sorted((row for row in rows if row.mode == mode), key=lambda row: row.place)
        shown = mine[::step] if mine[-1] in mine[::step] else [*mine[::step], mine[-1]]
        lines += [[mode if row is mine[0] else "", row.split, *_both(row)] for row in shown]
    rest = "" if step < 2 else f"; 1 of {step} splits, the report has all"
    return f"Contention (program bytes, 95 % interval{rest})", heads, lines


def _both(row: ContentionRow) -> list[str]:
    """Return the bandwidth of both groups; a dash for a group without threads."""
    sides = [_rate(row.a_bandwidth), _rate(row.b_bandwidth)]
    return [*sides, _rate(row.sum) + ("" if row.conclusive else " ?")]


def _rate(found: Interval | None) -> str:
    """Return '35.99 ±0.2%', with the half-width of the interval."""
    if found is None or not found.middle:
        return cells.NOTHING
    return cells.within(f"{vega.gb(found.middle):.2f}", found.low, found.middle, found.high)


def targets(rows: list[TargetsRow]) -> Grid:
    """Return the bandwidth of both, and b as a share of a."""
    heads = [("threads", True), ("a, GB/s", True), ("b, GB/s", True), ("b / a", True)]
    lines = [[str(row.threads), _rate(row.a_bandwidth), _rate(row.b_bandwidth), _ratio(row)] for row in rows]
    return f"Alone: a = {rows[0].a_target}, b = {rows[0].b_target} (95 % interval)", heads, lines


def _ratio(row: TargetsRow) -> str:
    if row.ratio is None:
        return cells.NOTHING
    low, middle, high = (100 * end for end in (row.ratio.low, row.ratio.middle, row.ratio.high))
    return f"{middle:.1f}% ({low:.1f} to {high:.1f}){'' if row.conclusive else ' ?'}"


def threads(rows: list[ThreadsRow]) -> Grid:
    """Return how even the threads of each group of a mode are, over all splits; the report shows each of them."""
    found: dict[tuple[str, str], list[ThreadsRow]] = {}
    for row in rows:
        if row.variation is not None:
            found.setdefault((row.mode, row.group), []).append(row)
    heads = [("mode", False), ("group", False), ("threads", True), ("variation: median, %", True)]
    heads += [("most, %", True), ("that flutter", True)]
    lines = [[*key, *_evenness(mine)] for key, mine in found.items()]
    return "Threads, all splits of a mode together", heads, lines


def _evenness(rows: list[ThreadsRow]) -> list[str]:
    spread = [100 * row.variation for row in rows if row.variation is not None]
    return [str(len(spread)), f"{median(spread):.1f}", f"{max(spread):.1f}", str(sum(row.flutters for row in rows))]


forms.add(of_rows("contention", lambda rows: [contention(rows)]))
forms.add(of_rows("targets", lambda rows: [targets(rows)]))
forms.add(of_rows("threads", lambda rows: [threads(rows)]))
