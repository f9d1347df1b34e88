"""Contention: the bandwidth of two groups at the same time, for every split of the CPUs.

    bandwidth of a group = median of its rate * its program bytes per operation      [bytes/s]
    sum                  = median of the sum of both at the same moments             [bytes/s]

The interval of the sum is that of the summed series (`tables.totals`).
Blind to which group used which channel: only a counter shows that.
"""

from typing import Annotated, ClassVar

from tierscope.record.result import Record, Run
from tierscope.stats.compare import compare, compare_all
from tierscope.stats.median import Interval
from tierscope.suites.contention.labels import SideLabels, SplitLabels, words_of
from tierscope.suites.contention.shared import said, with_model
from tierscope.suites.contention.slowed import STAND_IN, slowed_of
from tierscope.tables import Asked, Audited, Insight, JudgedRow, Main, Number, OverTime, tables
from tierscope.tables.measured import (
    closing,
    measured,
    ratio_word,
    records,
    sure_rows,
)
from tierscope.tables.rows import Bandwidth, Col, Count, Share, Size
from tierscope.tables.totals import NONE, coverage, total
from tierscope.units import show_rate


class ContentionRow(JudgedRow, frozen=True, kw_only=True):
    """A mode at one split of the CPUs."""

    mode: Annotated[
        str,
        Col(
            "mode",
            help=(
                "what B copies, source-destination: `b-b`, `b-a`, `a-b`, `a-a`, where `a` is the target that A copies "
                "within, and `b` the other one"
            ),
        ),
    ]
    a_threads: Annotated[Count, Col("threads of A", help="threads of A, which copy within a")]
    b_threads: Annotated[Count, Col("threads of B", help="threads of B")]
    a_bandwidth: Annotated[
        Bandwidth | None, Col("A", help="median program bytes of A while both ran; 0 without threads")
    ]
    b_bandwidth: Annotated[Bandwidth | None, Col("B", help="the same of B")]
    sum: Annotated[
        Bandwidth | None,
        Col("sum", help="median of the sum of both at the same moments; its bounds are not sums of bounds"),
    ]
    a_model: Annotated[
        Bandwidth | None,
        Col(
            "A by the model",
            help="A as the model `sharing` predicts it with 90 % bounds, where this split was not given to it",
        ),
    ] = None
    b_model: Annotated[Bandwidth | None, Col("B by the model", help="the same of B")] = None
    coverage: Annotated[
        Share | None,
        Col(
            "coverage",
            help=("share of the timed blocks within the time in which both groups ran, the smaller one of the groups"),
        ),
    ]
    a_target: Annotated[str, Col("target of A", help="such as `node:0`", tier=True)]
    b_source: Annotated[str, Col("source of B", help="where B reads", tier=True)]
    b_target: Annotated[str, Col("target of B", help="where B writes", tier=True)]
    stand_in: Annotated[
        bool,
        Col("b is a replacement", help="true: b is a file in the memory of a, since the machine has no second tier"),
    ]
    kernel: Annotated[str, Col("kernel", help="its name in the catalogue")]
    footprint_bytes: Annotated[Size, Col("footprint", help="all arrays of both groups")]

    @property
    def split(self) -> str:
        """Return the split as '3:1', threads of A : threads of B."""
        return f"{self.a_threads}:{self.b_threads}"

    @property
    def place(self) -> tuple[float, int]:
        """Return its place in the order from all threads in A to all in B."""
        threads = self.a_threads + self.b_threads
        return self.b_threads / threads, threads


class Contention:
    """One row for each mode and split of the CPUs: threads of group A and threads of group B."""

    name: ClassVar[str] = "contention"
    title: ClassVar[str] = "Contention"
    asked: ClassVar[Asked] = Asked(
        question="Who slows whom?",
        answers=("slowed", "most_in_total"),
        keys={"slowed": "slowdown of A", "most_in_total": "most in total"},
    )
    place: ClassVar[int] = 50
    over_time: ClassVar[OverTime] = OverTime.ALL
    audited: ClassVar[Audited] = Audited(
        parts=(("sum_bytes_per_s", ("a_bandwidth_bytes_per_s", "b_bandwidth_bytes_per_s")),)
    )
    keys: ClassVar[tuple[str, ...]] = ("mode", "a_threads", "b_threads", "kernel", "a_target", "b_source", "b_target")
    main: ClassVar[tuple[Main, ...]] = (Main("sum_bytes_per_s"),)
    row: ClassVar[type[ContentionRow]] = ContentionRow
    says: ClassVar[dict[str, str]] = {
        "slowed MODE": "bandwidth of A alone over that next to B, at the most even split that was measured",
        "most_in_total MODE": "the largest sum of all splits; null if it cannot be decided which split has it",
        "model MODE": "mean of the absolute relative errors of the model `sharing` over both groups of the splits that "
        "it was not given",
        "coverage": "least share of the timed blocks in the common window, of splits with two groups",
    }

    def rows(self, run: Run) -> list[ContentionRow]:
        return with_model([_row(run, record) for record in records(run, self.name)], list(_alone(run, "a").items()))

    def insights(self, run: Run, rows: list[ContentionRow]) -> list[Insight]:
        modes = [[row for row in rows if row.mode == mode] for mode in dict.fromkeys(row.mode for row in rows)]
        alone = {side: _alone(run, side) for side in ("a", "b")}
        slowed = [one for mode in modes for one in slowed_of(mode, alone["a"], alone["b"])]
        return slowed + [one for mode in modes for one in _most(mode)] + said(rows) + _coverage(rows)


def _row(run: Run, record: Record) -> ContentionRow:
    point, labels = measured(run, record), SplitLabels.read(record.experiment)
    found = {
        group.role: summary.interval.times(facts.program_bytes_per_operation)
        for group, facts, summary in zip(record.experiment.groups, record.groups, point.groups, strict=True)
    }
    return ContentionRow(
        mode=labels.way,
        a_threads=labels.a_threads,
        b_threads=labels.b_threads,
        a_bandwidth=found.get("A", NONE),
        b_bandwidth=found.get("B", NONE),
        sum=total(run, record),
        coverage=coverage(run, record),
        a_target=labels.a_target,
        b_source=labels.b_source,
        b_target=labels.b_target,
        stand_in=labels.stand_in,
        kernel=record.groups[0].kernel,
        footprint_bytes=sum(facts.footprint_bytes for facts in record.groups),
        **closing(record, point),
    )


def _alone(run: Run, side: str) -> dict[int, Interval]:
    """Return the bandwidth of a target alone over threads, which the table `targets` measures; the conclusive ones."""
    alone = [record for record in records(run, "targets") if SideLabels.read(record.experiment).side == side]
    return {
        len(record.groups[0].cpus): measured(run, record)
        .groups[0]
        .interval.times(record.groups[0].program_bytes_per_operation)
        for record in alone
        if measured(run, record).conclusive
    }


def _most(rows: list[ContentionRow]) -> list[Insight]:
    """Return the split with the largest sum of each mode; it is the best only if intervals show it."""
    known, sure = sum(row.sum is not None for row in rows), sure_rows(rows, lambda row: row.sum)
    mode = rows[0].mode
    if known < 2:
        return []
    if len(sure) < 2:
        return [_too_few(mode, len(sure), known)]
    best, most = max(sure, key=lambda pair: pair[1].middle)
    others = [pair for pair in sure if pair[0] is not best]
    told = compare_all([(interval, most) for _, interval in others])
    alike = [row.split for (row, _), one in zip(others, told, strict=True) if one.verdict == "no difference shown"]
    words = f"{words_of(mode)}: A:B = {best.split} gives the highest total, {show_rate(most.middle)}"
    against, ratio = _against_alone(best, most, sure)
    if alike:
        words = (
            f"{words_of(mode)}: no split gives a significantly higher total: A:B = {best.split} gives "
            f"{show_rate(most.middle)}, not distinguishable from {_listed(alike)}"
        )
    return [
        Insight(
            name=f"most_in_total {mode}",
            text=words + against + _unsure(known - len(sure), known) + (STAND_IN if best.stand_in else ""),
            value=None if alike else most.middle,
            low=None if alike else most.low,
            high=None if alike else most.high,
            unit="B/s",
            others=ratio,
        )
    ]


def _too_few(mode: str, sure: int, known: int) -> Insight:
    few = f"{f'only {sure}' if sure else 'none'} of {known} splits {'is' if sure < 2 else 'are'} conclusive"
    text = f"{words_of(mode)}: the split with the highest total is unknown: {few}"
    return Insight(name=f"most_in_total {mode}", text=text, unit="B/s", conclusive=False)


def _against_alone(
    best: ContentionRow, most: Interval, pairs: list[tuple[ContentionRow, Interval]]
) -> tuple[str, tuple[Number, ...]]:
    """Return the answer to document 000's question: do both targets together move more than a alone?"""
    alone = next((pair for pair in pairs if not pair[0].b_threads), None)
    if alone is None:
        return "; A alone is inconclusive, so there is no comparison with it", ()
    if alone[0] is best:
        return "; no split moves significantly more than A alone", ()
    ratio = compare(alone[1], most)
    low, middle, high = map(ratio_word, (ratio.low, ratio.middle, ratio.high))
    return f"; {middle}x the bandwidth of A alone ({low} to {high})", (Number.of(ratio),)


def _unsure(count: int, of: int) -> str:
    return f"; {count} of {of} splits are inconclusive and not compared" if count else ""


def _listed(words: list[str], most: int = 6) -> str:
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")


def _coverage(rows: list[ContentionRow]) -> list[Insight]:
    """Return how much of the timed blocks the common window contains, in splits in which both groups ran."""
    mixed = [row for row in rows if row.a_threads and row.b_threads]
    shares = {f"{row.split}, {words_of(row.mode)}": row.coverage for row in mixed if row.coverage is not None}
    if not shares or any(row.coverage is None for row in mixed):
        return []
    worst = min(shares, key=shares.__getitem__)
    return [
        Insight(
            name="coverage",
            text=f"Both groups ran at the same time for {100 * shares[worst]:.1f} % or more of the timed blocks of "
            f"each group ({len(shares)} mixed splits; lowest: {worst})",
            value=shares[worst],
            unit="1",
            kind="share",
            conclusive=all(row.conclusive for row in mixed),
        )
    ]


tables.add(Contention())
