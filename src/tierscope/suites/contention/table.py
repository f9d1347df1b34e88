"""Contention: what two groups move at once, for every split of the CPUs.

    bandwidth of a group = median of its rate * its program bytes per operation      [bytes/s]
    sum                  = median of the sum of both at the same moments             [bytes/s]

The interval of the sum is that of the summed series: what one group loses to the other at a moment cancels in it, so
it is narrower than bounds that were added, and it is right where the two move together too.
Blind to who used which channel: only a counter sees that.
"""

import math
from typing import Annotated, ClassVar

import numpy as np

from tierscope.record.result import Record, Run
from tierscope.stats.compare import compare, compare_all
from tierscope.stats.median import Interval, median
from tierscope.stats.point import Point
from tierscope.tables import Audited, Flat, Insight, JudgedRow, Main, Number, tables
from tierscope.tables.measured import (
    bounds,
    closing_flat,
    interval_of,
    measured,
    ratio_word,
    records,
    sure_rows_flat,
    whole,
)
from tierscope.tables.rows import Bandwidth, BytesPerS, Col, Count, Ratio, Size
from tierscope.units import show_rate

SIDES = {"A": "a", "B": "b"}  # role of a group -> how its keys begin
NONE = Interval(0.0, 0.0, 0.0, 0)  # of a group without threads


class ContentionRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `contention`."""

    mode: Annotated[
        str,
        Col(
            "mode",
            help=(
                "what B copies, source-destination: `nvm-nvm`, `nvm-dram`, `dram-nvm`, `dram-dram`, where `dram` is"
                " the target a and `nvm` the target b, whatever they are"
            ),
        ),
    ]
    a_threads: Annotated[Count, Col("threads of A", help="threads of A, which copy within a")]
    b_threads: Annotated[Count, Col("threads of B", help="threads of B")]
    a_bandwidth: Annotated[
        Bandwidth | None, Col("A", help="median program bytes of A while both ran; 0 without threads")
    ]
    b_bandwidth: Annotated[Bandwidth | None, Col("B", help="the same of B")]
    sum_bytes_per_s: Annotated[BytesPerS, Col("sum", help="median of the sum of both at the same moments")]
    sum_low: Annotated[BytesPerS | None, Col("low", help="interval of that series, no sum of bounds")]
    sum_high: Annotated[BytesPerS | None, Col("high")]
    coverage: Annotated[
        Ratio,
        Col(
            "coverage",
            help=("share of the timed blocks within the time in which both groups ran, the smaller one of the groups"),
        ),
    ]
    a_target: Annotated[str, Col("target of A", help="as `node:0`", tier=True)]
    b_source: Annotated[str, Col("source of B", help="where B reads", tier=True)]
    b_target: Annotated[str, Col("target of B", help="where B writes", tier=True)]
    stand_in: Annotated[
        bool, Col("b stands in", help="true: b is a file in the memory of a, since the machine has no second tier")
    ]
    kernel: Annotated[str, Col("kernel", help="its name in the catalogue")]
    footprint_bytes: Annotated[Size, Col("footprint", help="all arrays of both groups")]


class Contention:
    """One row for each mode and split of the CPUs: threads of group A and threads of group B."""

    name: ClassVar[str] = "contention"
    title: ClassVar[str] = "Contention"
    place: ClassVar[int] = 50
    audited: ClassVar[Audited] = Audited(
        parts=(("sum_bytes_per_s", ("a_bandwidth_bytes_per_s", "b_bandwidth_bytes_per_s")),)
    )
    keys: ClassVar[tuple[str, ...]] = ("mode", "a_threads", "b_threads", "kernel", "a_target", "b_source", "b_target")
    main: ClassVar[tuple[Main, ...]] = (Main("sum_bytes_per_s"),)
    row: ClassVar[type[ContentionRow]] = ContentionRow
    says: ClassVar[dict[str, str]] = {
        "most_in_total MODE": "the largest sum of all splits; null if it cannot be decided which split has it",
        "coverage": "least share of the timed blocks in the common window, of splits with two groups",
    }

    def rows(self, run: Run) -> list[Flat]:
        return [_row(run, record) for record in records(run, self.name)]

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        modes = dict.fromkeys(str(row["mode"]) for row in rows)
        best = [one for mode in modes for one in _most([row for row in rows if row["mode"] == mode])]
        return best + _coverage(rows)


def _row(run: Run, record: Record) -> Flat:
    point, labels = measured(run, record), record.experiment.labels
    found = dict.fromkeys(SIDES.values(), NONE)
    for number, group in enumerate(record.experiment.groups):
        program = record.groups[number].program_bytes_per_operation
        found[SIDES[group.role]] = point.groups[number].interval.times(program)
    return {
        **{key: labels[key] for key in ("mode", "a_threads", "b_threads")},
        **bounds("a_bandwidth", "bytes_per_s", found["a"]),
        **bounds("b_bandwidth", "bytes_per_s", found["b"]),
        **bounds("sum", "bytes_per_s", total(record, point)),
        "coverage": min(point.together.coverage),
        **{key: labels[key] for key in ("a_target", "b_source", "b_target")},
        "stand_in": bool(labels.get("stand_in")),
        "kernel": record.groups[0].kernel,
        "footprint_bytes": sum(facts.footprint_bytes for facts in record.groups),
        **closing_flat(record, point),
    }


def total(record: Record, point: Point) -> Interval:
    """Of the bytes of all groups at the same moments after the warm-up."""
    program = np.array([facts.program_bytes_per_operation for facts in record.groups])
    series = program @ point.together.rates
    start = max((group.start for group in point.groups), default=0)
    return median(series[start:], record.experiment.schedule.confidence)


def _most(rows: list[Flat]) -> list[Insight]:
    """The split with the largest sum of one mode, named alone only where it can be told from all others."""
    known = [row for row in rows if interval_of(row, "sum", "bytes_per_s")]
    sure = sure_rows_flat(rows, "sum", "bytes_per_s")
    if len(known) < 2:
        return []
    if len(sure) < 2:
        return [_too_few(str(rows[0]["mode"]), len(sure), len(known))]
    best, most = max(sure, key=lambda pair: pair[1].middle)
    others = [pair for pair in sure if pair[0] is not best]
    told = compare_all([(interval, most) for _, interval in others])
    alike = [split(row) for (row, _), one in zip(others, told, strict=True) if one.verdict == "no difference shown"]
    words = f"{best['mode']}: A:B = {split(best)} gives the highest total, {show_rate(most.middle)}"
    against, ratio = _against_alone(best, most, sure)
    if alike:
        words = (
            f"{best['mode']}: no split gives a significantly higher total: A:B = {split(best)} gives "
            f"{show_rate(most.middle)}, not distinguishable from {_listed(alike)}"
        )
    return [
        Insight(
            name=f"most_in_total {best['mode']}",
            text=words + against + _unsure(len(known) - len(sure), len(known)) + stand_in(best),
            value=None if alike else most.middle,
            low=None if alike else most.low,
            high=None if alike else most.high,
            unit="B/s",
            others=ratio,
        )
    ]


def _too_few(mode: str, sure: int, known: int) -> Insight:
    few = f"{f'only {sure}' if sure else 'none'} of {known} splits {'is' if sure < 2 else 'are'} conclusive"
    text = f"{mode}: the split with the highest total is unknown: {few}"
    return Insight(name=f"most_in_total {mode}", text=text, unit="B/s", conclusive=False)


def _against_alone(best: Flat, most: Interval, pairs: list[tuple[Flat, Interval]]) -> tuple[str, tuple[Number, ...]]:
    """Document 000's question: do both targets together move more than a alone?"""
    alone = next((pair for pair in pairs if not pair[0]["b_threads"]), None)
    if alone is None:
        return "; A alone is inconclusive, so there is no comparison with it", ()
    if alone[0] is best:
        return "; no split moves significantly more than A alone", ()
    ratio = compare(alone[1], most)
    low, middle, high = map(ratio_word, (ratio.low, ratio.middle, ratio.high))
    number = Number(value=ratio.middle, low=ratio.low, high=ratio.high)
    return f"; {middle}x the bandwidth of A alone ({low} to {high})", (number,)


def _unsure(count: int, of: int) -> str:
    return f"; {count} of {of} splits are inconclusive and not compared" if count else ""


def _listed(words: list[str], most: int = 6) -> str:
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")


def split(row: Flat) -> str:
    """'3:1', threads of A : threads of B."""
    return f"{row['a_threads']}:{row['b_threads']}"


def stand_in(row: Flat) -> str:
    """What has to be said beside every comparison of a with a b that is no tier of its own."""
    return "; b is a file in the memory of a, which stands in for a second tier" if row["stand_in"] else ""


def _coverage(rows: list[Flat]) -> list[Insight]:
    """Of the splits in which both groups ran: how much of the timed blocks the common window holds."""
    mixed = [row for row in rows if whole(row, "a_threads") and whole(row, "b_threads")]
    shares = {split(row) + " " + str(row["mode"]): float(row["coverage"] or 0) for row in mixed}
    if not shares or not all(map(math.isfinite, shares.values())):
        return []
    worst = min(shares, key=lambda name: shares[name])
    return [
        Insight(
            name="coverage",
            text=f"Both groups ran at the same time for {100 * shares[worst]:.1f} % or more of the timed blocks of "
            f"each group ({len(shares)} mixed splits; lowest: {worst})",
            value=shares[worst],
            unit="1",
            kind="share",
            conclusive=all(row["conclusive"] for row in mixed),
        )
    ]


tables.add(Contention())
