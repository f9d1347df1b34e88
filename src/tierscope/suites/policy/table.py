"""Policy: what a memory does with addresses, hot places and single lines, one row for each property looked for.

    Interleaving: `count` memories side by side, `unit_bytes` each; control: a stride that meets all alike.
    Migration: after `count` writes of 256 B to `unit_bytes`, a stall of `seconds`; control: a place far larger.
        The stall is a lower bound (`seconds_least`) if the 256 B may be in several memories: while one moves data, the
        queue of another one empties, and hides a part of its next stall.
    Combining: a queue of `count` lines, joined in units of `unit_bytes`, each `seconds`; control: no queue.

Interleaving that no stride shows is inconclusive, unless pairs of reads show one memory: a hash spreads addresses so
that all strides meet all memories alike (`stats.pairs`). A layout is inconclusive, too, if joined writes make small
strides faster, so that they may hide a smaller grain (`stats.interleave`).

`found` is false where the curve does not show the property, which is an answer. Its keys are then null. Ranges are 95 %
sets, see `stats.interleave`, `stats.migration`, `stats.combining`. `better` is how much likelier the structure is than
none: twice the logarithm of the likelihood ratio. The curves are rows of the tables of the same names.
Blind to: what the three modules name.
"""

from collections.abc import Sequence
from typing import ClassVar

from msgspec.structs import replace

from tierscope.record.origin import strongest
from tierscope.record.result import Run
from tierscope.stats.combining import Combining, few_units
from tierscope.stats.interleave import Interleave
from tierscope.stats.median import SIGMAS_95, Interval
from tierscope.stats.migration import Migration
from tierscope.suites.policy.findings import sentences
from tierscope.suites.policy.row import PolicyRow
from tierscope.tables import Asked, Insight, JudgedRow, Main, tables
from tierscope.tables.emulated import hidden_by_ceiling
from tierscope.tables.measured import Closing
from tierscope.tables.policy_found import COMBINING, INTERLEAVE, MIGRATION, Found, found

HUNGRY = "half of the threads store less, so that the processor may be the limit and not the memory: take more CPUs"
HIDDEN = "behind interleaved memories one CPU may hide the queue of one: try a memory that is not interleaved"
ENOUGH = 0.7  # of the points must be conclusive


class Policy:
    """One row for each part of `run policy`: what was found, or that nothing was."""

    name: ClassVar[str] = "policy"
    title: ClassVar[str] = "Policies of the memory"
    asked: ClassVar[Asked] = Asked(question="What does this memory do by itself?", answers=("policy",))
    keys: ClassVar[tuple[str, ...]] = ("part", "target")
    main: ClassVar[tuple[Main, ...]] = ()  # parameters of a memory are neither slower nor faster
    row: ClassVar[type[PolicyRow]] = PolicyRow
    says: ClassVar[dict[str, str]] = {
        "policy PART": "memories side by side; writes of 256 B between two migrations; lines of the queue "
        "that joins them. 0: none seen",
    }

    def rows(self, run: Run) -> list[PolicyRow]:
        return [row for target, one in found(run).items() for row in _rows(target, one)]

    def insights(self, run: Run, rows: list[PolicyRow]) -> list[Insight]:
        del run
        return sentences(rows)


def _rows(target: str, one: Found) -> list[PolicyRow]:
    rows = []
    if one.interleave is not None:
        none = _none("interleaving", target, one.evidence[INTERLEAVE], one.strides, judged=False)
        row = _interleave(none, one.interleave)
        doubt = HUNGRY if not one.saturated else one.pairs.doubt(one.interleave.ways) or one.interleave.doubt
        rows.append(_doubted(row, doubt) if doubt else row)
    if one.migration is not None:
        none = _none("migration", target, one.evidence[MIGRATION], one.places, judged=False)
        row = _migration(none, one.migration, at_least=one.divided)
        rows.append(_doubted(row, one.migration.doubt) if one.migration.doubt else row)
    if one.combining is not None:
        row = _combining(_none("combining", target, one.evidence[COMBINING], one.regions), one.combining)
        doubt = HIDDEN if one.hidden else few_units(one.combining)
        rows.append(_doubted(row, doubt) if doubt else row)
    hidden = hidden_by_ceiling(target)
    return [row if row.found or not hidden else _doubted(row, hidden) for row in rows]


def _doubted(row: PolicyRow, reason: str) -> PolicyRow:
    return replace(row, conclusive=False, reasons=(reason,))


def _none(part: str, target: str, evidence: str, points: Sequence[JudgedRow], *, judged: bool = True) -> PolicyRow:
    """Return the row of a part that was not found. judged: as of `_closing`."""
    return PolicyRow(
        part=part,
        found=False,
        count=None,
        unit_bytes=None,
        unit_low=None,
        unit_high=None,
        seconds=None,
        seconds_least=None,
        better=None,
        evidence=evidence,
        points=len(points),
        target=target,
        **_closing(points, judged=judged),
    )


def _interleave(none: PolicyRow, seen: Interleave) -> PolicyRow:
    row = replace(none, better=seen.better)
    if seen.ways <= 1:
        return row
    ways, grains = seen.ways_range, seen.grain_range
    return replace(
        row,
        found=True,
        count=Interval(float(ways[0]), float(seen.ways), float(ways[1]), row.points),
        unit_bytes=seen.grain_bytes,
        unit_low=grains[0],
        unit_high=grains[1],
    )


def _migration(none: PolicyRow, seen: Migration, *, at_least: bool) -> PolicyRow:
    """Return the row. at_least: the stall is a lower bound, because other memories may hide a part of it."""
    period = seen.period
    if period is None:
        return none
    stall = Interval(period.stall_low, period.stall_s, period.stall_high, period.stalls)
    return replace(
        none,
        found=True,
        count=Interval(period.low, period.writes, period.high, period.stalls),
        seconds=None if at_least else stall,
        seconds_least=period.stall_low if at_least else None,
        unit_bytes=seen.unit_bytes,
        unit_low=seen.unit_bytes or seen.unit_above,
        unit_high=seen.unit_bytes,
    )


def _combining(none: PolicyRow, seen: Combining) -> PolicyRow:
    row = replace(none, better=seen.better)
    if seen.entries <= 0:
        return row
    half = SIGMAS_95 * seen.error / max(row.points, 1) ** 0.5
    return replace(
        row,
        found=True,
        count=Interval(seen.low, seen.entries, seen.high, row.points),
        unit_bytes=seen.unit_bytes,
        unit_low=seen.unit_low,
        unit_high=seen.unit_high,
        seconds=Interval(seen.drain_s * (1 - half), seen.drain_s, seen.drain_s * (1 + half), row.points),
    )


def _closing(rows: Sequence[JudgedRow], *, judged: bool = True) -> Closing:
    """Return the closing of all points together.

    judged: whether each point must be sure; stalls and falls of bandwidth need not be.
    """
    sure = [row for row in rows if row.conclusive or not judged]
    enough = bool(rows) and len(sure) >= ENOUGH * len(rows)
    reason = next(("; ".join(row.reasons) for row in rows if not row.conclusive), "")
    return {
        "conclusive": enough,
        "reasons": () if enough else (f"{len(rows) - len(sure)} of {len(rows)} points: {reason}",),
        "blocks": sum(row.blocks for row in rows),
        "left_out_share": max((row.left_out_share for row in rows), default=0.0),
        "origin": strongest(row.origin for row in rows),
    }


tables.add(Policy())
