"""Sentences from the rows of `policy`; an inconclusive row has one if it states why something is not known."""

from collections.abc import Callable

from tierscope.stats.median import Interval
from tierscope.stats.migration import DOUBTS
from tierscope.stats.pairs import HASHED
from tierscope.suites.policy.row import PolicyRow
from tierscope.tables import Insight
from tierscope.tables.measured import sure
from tierscope.units import show_bytes, show_seconds, show_size

NOTHING = {
    "interleaving": "No interleaving found in {target}: bandwidth does not fall at strides that use few memories, and "
    "every pair of reads at random waits, as in one memory",
    "migration": "No migration found in {target}: {evidence}",
    "combining": "No queue that combines lines found in {target}: {evidence}",
}

UNKNOWN: dict[str, tuple[str, ...]] = {"interleaving": (HASHED,), "migration": DOUBTS}


def sentences(rows: list[PolicyRow]) -> list[Insight]:
    """Return one sentence for each row, if all numbers and units that the sentence names are known."""
    return [said for row in rows if (said := _said(row) if row.conclusive else _unknown(row))]


def _unknown(row: PolicyRow) -> Insight | None:
    """Return why it is not known whether memories are side by side, or whether data move; None for other rows."""
    why = next((reason for reason in row.reasons if reason.startswith(UNKNOWN.get(row.part, ()))), "")
    if not why:
        return None
    text = f"{row.part.capitalize()} of {row.target}: {why}"
    return Insight(name=f"policy {row.part}", text=text, unit="1", conclusive=False)


def _said(row: PolicyRow) -> Insight | None:
    if not row.found:
        text = NOTHING[row.part].format(target=row.target, evidence=row.evidence)
        return Insight(name=f"policy {row.part}", text=text, value=0.0, unit="1")
    count = sure(row, row.count)
    text = FOUND[row.part](row, count) if count else ""
    if count is None or not text:
        return None
    return Insight.of(count, name=f"policy {row.part}", text=text, unit="1")


def _interleaving(row: PolicyRow, count: Interval) -> str:
    if row.unit_bytes is None or row.unit_low is None or row.unit_high is None:
        return ""
    low, ways, high = (round(end) for end in (count.low, count.middle, count.high))
    text = f"{row.target} interleaves {ways} memories in units of {show_size(row.unit_bytes)}"
    if low < high or row.unit_low != row.unit_high:
        grains = f"{show_size(row.unit_low)} to {show_size(row.unit_high)}"
        text += f"; {low} to {high} memories in units of {grains} are also possible"
    return text


def _migration(row: PolicyRow, count: Interval) -> str:
    text = (
        f"A write to {row.target} stalls for {_time(row)} after {count.middle:.0f} writes of "
        f"256 B ({count.low:.0f} to {count.high:.0f}) to one place"
    )
    if row.unit_bytes is not None:
        text += f" of {show_bytes(row.unit_bytes)}"
    elif row.unit_low is not None:
        text += f" of at least {show_bytes(row.unit_low)}"
    return text


def _combining(row: PolicyRow, count: Interval) -> str:
    if row.unit_bytes is None:
        return ""
    low, lines, high = (round(end) for end in (count.low, count.middle, count.high))
    return (
        f"{row.target} combines writes into units of {show_size(row.unit_bytes)} in a queue of "
        f"{lines} lines ({low} to {high}): each unit takes {_time(row)}"
    )


def _time(row: PolicyRow) -> str:
    if row.seconds_least is not None:
        return f"at least {show_seconds(row.seconds_least)}"
    return show_seconds(row.seconds.middle if row.seconds else 0.0)


FOUND: dict[str, Callable[[PolicyRow, Interval], str]] = {
    "interleaving": _interleaving,
    "migration": _migration,
    "combining": _combining,
}
"""The sentence of a part that was found; "" where its unit is not known."""
