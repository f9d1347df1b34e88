"""Who slows whom: each group of a split compared with the same threads of it alone.

    slowdown = bandwidth alone / bandwidth next to the other group      (`stats.compare`)

Alone, A copies within a and B within b, as the table `targets` measures them; with all threads on one side, the split
itself is alone. B that copies between the targets has no other reference. The quoted split is the
most even one of those with a reference for A: it has the most of both.
Blind to a machine that changed between the point alone and the split; the intervals of several visits contain that.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tierscope.draw.words import threads_name
from tierscope.stats.compare import Comparison, compare
from tierscope.stats.median import Interval
from tierscope.tables import Insight, Number
from tierscope.tables.measured import ratio_word, sure

if TYPE_CHECKING:
    from tierscope.suites.contention.table import ContentionRow

STAND_IN = "; b is a file in the memory of a, which replaces a second tier"
"""The note with every comparison of a with a b that is not a tier of its own."""
Alone = Mapping[int, Interval]
"""Threads -> bandwidth of a group alone, bytes/s."""


def slowed_of(rows: "list[ContentionRow]", a: Alone, b: Alone) -> list[Insight]:
    """Return the finding of one mode; [] where no conclusive split has a reference. a, b: of the targets alone."""
    known = [row for row in rows if row.conclusive]
    mode = rows[0].mode
    a = dict(a) | {row.a_threads: row.a_bandwidth for row in known if not row.b_threads and row.a_bandwidth}
    ends = {row.b_threads: row.b_bandwidth for row in known if not row.a_threads and row.b_bandwidth}
    b = (dict(b) if mode == "b-b" else {}) | ends
    mixed = [row for row in known if row.a_threads in a and row.b_threads and sure(row, row.a_bandwidth)]
    if not mixed:
        return []
    row = min(mixed, key=lambda one: abs(one.a_threads - one.b_threads))
    first = _slowdown(a[row.a_threads], row.a_bandwidth)
    other = _slowdown(b.get(row.b_threads), row.b_bandwidth)
    if first is None:
        return []
    places = row.b_target if row.b_source == row.b_target else f"{row.b_source} to {row.b_target}"
    effects = [_brief("B", "A", first), *([_brief("A", "B", other)] if other else [])]
    where = (
        f"A has {threads_name(row.a_threads)} on {row.a_target}, B {threads_name(row.b_threads)} on {places}"
        f"{STAND_IN if row.stand_in else ''}"
    )
    text = (
        f"A, {threads_name(row.a_threads)} on {row.a_target}, {_words(first)} next to B, "
        f"{threads_name(row.b_threads)} on {places}" + (f"; B {_words(other)} next to A" if other else "")
    )
    text += STAND_IN if row.stand_in else ""
    return [
        Insight.of(
            first,
            name=f"slowed {mode}",
            text=text,
            unit="1",
            brief=f"{', '.join(effects)}: {where}",
            others=() if other is None else (Number.of(other),),
        )
    ]


def _slowdown(alone: Interval | None, beside: Interval | None) -> Comparison | None:
    """Return how many times faster a group is alone."""
    if alone is None or beside is None or not alone.middle or not beside.middle:
        return None
    return compare(beside, alone)


def _brief(who: str, whom: str, found: Comparison) -> str:
    """Return 'A slows B 1.30x'."""
    if found.verdict != "faster":
        return f"{who} does not slow {whom} significantly"
    return f"{who} slows {whom} {ratio_word(found.middle)}x"


def _words(found: Comparison) -> str:
    span = f"({ratio_word(found.low)} to {ratio_word(found.high)})"
    if found.verdict == "no difference shown":
        return f"is not slowed significantly, {ratio_word(found.middle)}x {span}"
    change = "slows down" if found.verdict == "faster" else "is faster: its slowdown is"
    return f"{change} {ratio_word(found.middle)}x {span}"
