"""Policy: what a memory does with addresses, hot places and single lines, one row for each property looked for.

    interleaving  `count` memories side by side, `unit_bytes` each in turn        control: a stride that meets all alike
    migration     after `count` writes of 256 B to `unit_bytes`, a stall of `seconds`   control: a place far larger
    combining     a queue of `count` lines, joined in units of `unit_bytes`, each `seconds`   control: no queue

`found` is false where the curve shows no such thing, which is an answer; the keys behind it are then null. Ranges are
95 % sets, see `stats.interleave`, `stats.migration`, `stats.combining`. `better` is how much likelier the structure is
than none: twice the logarithm of the likelihood ratio. The curves are rows of the tables of the same names.
Blind to: what the three modules name.
"""

from typing import Annotated, ClassVar

from tierscope.record.origin import strongest
from tierscope.record.result import Run
from tierscope.stats.median import Interval
from tierscope.suites.policy.findings import sentences
from tierscope.tables import Flat, Insight, JudgedRow, Main, tables
from tierscope.tables.emulated import hidden_by_ceiling
from tierscope.tables.measured import number
from tierscope.tables.policy_found import Found, found
from tierscope.tables.rows import Col, Count, Ratio, Size, Unit

INTERVAL = 1.96
MEASURES = {"count": "", "unit": "_bytes", "seconds": ""}  # and the unit in the key of its middle
HUNGRY = "half of the threads store less, so that the processor may be the limit and not the memory: take more CPUs"
HIDDEN = "behind interleaved memories one CPU may hide the queue of one: try a memory that is not interleaved"
ENOUGH = 0.7  # of the points must be conclusive


class PolicyRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `policy`."""

    part: Annotated[str, Col("part", help="`interleaving`, `migration`, `combining`")]
    found: Annotated[
        bool | None,
        Col(
            "found",
            help=("false: the curves show no such structure; `count`, `unit_bytes` and `seconds` are then null"),
        ),
    ]
    count: Annotated[
        Ratio,
        Col(
            "number",
            help=(
                "memories side by side; writes of 256 B from one migration to the next; lines that fit into the queue"
            ),
        ),
    ]
    count_low: Annotated[Ratio | None, Col("low", help="least that is not excluded")]
    count_high: Annotated[Ratio | None, Col("high", help="most")]
    unit_bytes: Annotated[
        Size | None,
        Col(
            "unit",
            help=(
                "consecutive bytes of each memory; bytes that migrate together (null: larger than all places "
                "tried); unit to which lines are joined"
            ),
        ),
    ]
    unit_low: Annotated[Size | None, Col("low", help="smallest that is not excluded")]
    unit_high: Annotated[Size | None, Col("high", help="largest; null where it is not known")]
    seconds: Annotated[
        Annotated[Interval, Unit("s", "")] | None, Col("time", help="a stall; one write of a joined unit")
    ]
    better: Annotated[
        Ratio | None,
        Col("better than none", help="twice the logarithm of its likelihood over that of none; null for migrations"),
    ]
    evidence: Annotated[str, Col("evidence", help="as text")]
    points: Annotated[Count, Col("points", help="strides, places or regions that it rests on")]
    target: Annotated[str, Col("target", help="as `node:0`", tier=True)]


class Policy:
    """One row for each part of `run policy`: what was found, or that nothing was."""

    name: ClassVar[str] = "policy"
    title: ClassVar[str] = "Policies of the memory"
    keys: ClassVar[tuple[str, ...]] = ("part", "target")
    main: ClassVar[tuple[Main, ...]] = ()  # parameters of a memory are neither slower nor faster
    row: ClassVar[type[PolicyRow]] = PolicyRow
    says: ClassVar[dict[str, str]] = {
        "policy PART": "memories side by side; writes of 256 B between two migrations; lines of the queue "
        "that joins them. 0: none seen",
    }

    def rows(self, run: Run) -> list[Flat]:
        return [row for target, one in found(run).items() for row in _rows(target, one)]

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        del run
        return sentences(rows)


def _rows(target: str, one: Found) -> list[Flat]:
    rows = []
    if one.interleave is not None:
        row = {**_interleave(one), "target": target, **_closing(one.strides, judged=False)}
        rows.append(row if one.saturated else {**row, "conclusive": False, "reasons": HUNGRY})
    if one.migration is not None:
        rows.append({**_migration(one), "target": target, **_closing(one.places, judged=False)})
    if one.combining is not None:
        row = {**_combining(one), "target": target, **_closing(one.regions)}
        if one.hidden:
            row.update(conclusive=False, reasons=HIDDEN)
        rows.append(row)
    hidden = hidden_by_ceiling(target)
    return [row if row["found"] or not hidden else {**row, "conclusive": False, "reasons": hidden} for row in rows]


def _row(part: str, found: bool, evidence: str, better: float | None, points: int) -> Flat:
    keys = [f"{what}{end}" for what, unit in MEASURES.items() for end in (unit, "_low", "_high")]
    return {
        "part": part, "found": found, **dict.fromkeys(keys),
        "better": number(better), "evidence": evidence, "points": points,
    }  # fmt: skip


def _interleave(one: Found) -> Flat:
    seen = one.interleave
    assert seen is not None
    row = _row("interleaving", seen.ways > 1, one.evidence["interleave"], seen.better, len(one.strides))
    if seen.ways > 1:
        ways, grains = seen.ways_range, seen.grain_range
        row.update(count=float(seen.ways), count_low=float(ways[0]), count_high=float(ways[1]))
        row.update(unit_bytes=seen.grain_bytes, unit_low=grains[0], unit_high=grains[1])
    return row


def _migration(one: Found) -> Flat:
    seen = one.migration
    assert seen is not None
    period = seen.period
    row = _row("migration", period is not None, one.evidence["migration"], None, len(one.places))
    if period is not None:
        row.update(count=period.writes, count_low=period.low, count_high=period.high)
        row.update(seconds=period.stall_s, seconds_low=period.stall_low, seconds_high=period.stall_high)
        low = seen.unit_bytes or seen.unit_above
        row.update(unit_bytes=seen.unit_bytes, unit_low=low, unit_high=seen.unit_bytes)
    return row


def _combining(one: Found) -> Flat:
    seen = one.combining
    assert seen is not None
    row = _row("combining", seen.entries > 0, one.evidence["combining"], seen.better, len(one.regions))
    if seen.entries > 0:
        row.update(count=seen.entries, count_low=seen.low, count_high=seen.high)
        row.update(unit_bytes=seen.unit_bytes, unit_low=seen.unit_low, unit_high=seen.unit_high)
        half = INTERVAL * seen.error / max(len(one.regions), 1) ** 0.5
        row.update(seconds=seen.drain_s, seconds_low=seen.drain_s * (1 - half), seconds_high=seen.drain_s * (1 + half))
    return row


def _closing(rows: list[Flat], *, judged: bool = True) -> Flat:
    """Of all points together. judged: whether each point must be sure; stalls and falls of bandwidth need not be."""
    sure = [row for row in rows if row["conclusive"] or not judged]
    enough = bool(rows) and len(sure) >= ENOUGH * len(rows)
    reasons = dict.fromkeys(str(row["reasons"]) for row in rows if not row["conclusive"])
    return {
        "conclusive": enough,
        "reasons": "" if enough else f"{len(rows) - len(sure)} of {len(rows)} points: {next(iter(reasons), '')}",
        "blocks": sum(int(row["blocks"] or 0) for row in rows),
        "left_out_share": max((float(row["left_out_share"] or 0) for row in rows), default=0.0),
        "origin": strongest(str(row["origin"]) for row in rows),
    }


tables.add(Policy())
