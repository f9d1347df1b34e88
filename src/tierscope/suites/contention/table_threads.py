"""Flutter: how evenly each thread of a contention ran, after the warm-up.

Variation, dips and their period are those of `stats.flutter`, from the thread's clean blocks.
Blind to dips that are shorter than a block, and to their cause.
Source: document 000, which observed that threads fluctuate if they store to NVDIMM, but not by how much.
"""

from statistics import median
from typing import Annotated, ClassVar

from tierscope.record.result import Record, Run
from tierscope.stats.flutter import FLUTTERS, NOTICED, flutter
from tierscope.stats.point import steady_from
from tierscope.stats.threads import ThreadSeries, thread_series
from tierscope.suites.contention.labels import SplitLabels
from tierscope.tables import Asked, Insight, JudgedRow, Main, Number, tables
from tierscope.tables.measured import Closing, closing, judged_once, measured, records
from tierscope.tables.rows import BytesPerS, Col, Count, Ratio, Seconds, Share
from tierscope.units import show_seconds

NAMED = 3  # threads in one sentence
JUDGED = 200  # least undisturbed blocks of a thread that is reported not to flutter


class ThreadsRow(JudgedRow, frozen=True, kw_only=True):
    """A thread of one split of a contention."""

    experiment: Annotated[Count, Col("experiment", help="number of the record")]
    mode: Annotated[str, Col("mode", help="as for `contention`")]
    a_threads: Annotated[Count, Col("threads of A", help="threads of A")]
    b_threads: Annotated[Count, Col("threads of B", help="threads of B")]
    group: Annotated[str, Col("group", help="`A` or `B`")]
    thread: Annotated[Count, Col("thread", help="its number in the group, from 0")]
    cpu: Annotated[Count | None, Col("CPU", help="on which it runs")]
    target: Annotated[str, Col("target", help="where it writes", tier=True)]
    bandwidth_bytes_per_s: Annotated[BytesPerS | None, Col("bandwidth", help="median over its blocks")]
    variation: Annotated[
        Ratio | None,
        Col("variation", help="coefficient of variation of the rates of its blocks; null under two blocks"),
    ]
    dips: Annotated[Count, Col("dips", help="how many")]
    dip_share: Annotated[Share, Col("blocks in dips", help="share of its blocks in dips")]
    dip_depth: Annotated[
        Ratio | None, Col("depth", help="rate in a dip over the median, median over the dips; null without a dip")
    ]
    dip_period_s: Annotated[
        Seconds | None,
        Col(
            "period",
            help=("median time from dip to dip; null unless six distances or more vary by less than 0.3 of their mean"),
        ),
    ]
    flutters: Annotated[bool, Col("flutters", help="true: four dips or more, in 1 % of its blocks or more")]
    clean_blocks: Annotated[Count, Col("clean blocks", help="blocks that all this rests on")]


class Threads:
    """One row for each thread of each split of a contention, from its undisturbed blocks after the warm-up.

    A dip is a run of blocks below 0.8 of the thread's median.
    """

    name: ClassVar[str] = "threads"
    title: ClassVar[str] = "Threads one by one"
    asked: ClassVar[Asked] = Asked(question="Do all threads get the same?", answers=("flutter",))
    place: ClassVar[int] = 70
    keys: ClassVar[tuple[str, ...]] = ("mode", "a_threads", "b_threads", "group", "thread", "target")
    main: ClassVar[tuple[Main, ...]] = ()  # no interval; their sum is a main value of the splits
    row: ClassVar[type[ThreadsRow]] = ThreadsRow
    says: ClassVar[dict[str, str]] = {
        "flutter": "share of the threads that flutter",
    }

    def rows(self, run: Run) -> list[ThreadsRow]:
        return [row for record in records(run, "contention") for row in _rows(run, record)]

    def insights(self, run: Run, rows: list[ThreadsRow]) -> list[Insight]:
        del run
        return _flutter(rows)


def _rows(run: Run, record: Record) -> list[ThreadsRow]:
    """Return the rows of the first visit. The verdict of their split comes from all visits."""
    begin, verdict = steady_from(judged_once(run, record).points[0]), closing(record, measured(run, record))
    return [_row(record, one, begin, verdict) for one in thread_series(run.blocks(record), record.clock.hz)]


def _row(record: Record, one: ThreadSeries, begin: float, verdict: Closing) -> ThreadsRow:
    facts, found = record.groups[one.group], flutter(one, begin)
    labels = SplitLabels.read(record.experiment)
    return ThreadsRow(
        experiment=record.number,
        mode=labels.way,
        a_threads=labels.a_threads,
        b_threads=labels.b_threads,
        group=record.experiment.groups[one.group].role,
        thread=one.thread,
        cpu=facts.cpus[one.thread] if one.thread < len(facts.cpus) else None,
        target=facts.target,
        bandwidth_bytes_per_s=found.rate * facts.program_bytes_per_operation,
        variation=found.variation,
        dips=len(found.dips),
        dip_share=found.dip_share,
        dip_depth=found.depth,
        dip_period_s=found.period_s,
        flutters=found.flutters,
        clean_blocks=found.blocks,
        **verdict,
    )


def _flutter(rows: list[ThreadsRow]) -> list[Insight]:
    """Return how many threads flutter, and the worst of them; for each group the median variation."""
    judged = [row for row in rows if row.variation is not None and row.clean_blocks >= JUDGED]
    left_out = f"; {len(rows) - len(judged)} of {len(rows)} not judged: too few undisturbed blocks"
    if not judged:
        return []
    worst = sorted((row for row in judged if row.flutters), key=lambda row: -row.dip_share)
    many = f"{FLUTTERS} dips or more, in {100 * NOTICED:.0f} % of the blocks or more"
    told = f"; {'; '.join(_thread(row) for row in worst[:NAMED])}" if worst else ""
    return [
        Insight(
            name="flutter",
            text=f"{len(worst) or 'none'} of {len(judged)} threads flutter ({many}); median variation of blocks: "
            f"{_spread(judged)}{told}{left_out if len(judged) < len(rows) else ''}",
            value=len(worst) / len(judged),
            unit="1",
            kind="share",
            conclusive=all(row.conclusive for row in judged),
            others=_numbers(judged, worst[:NAMED]),
        )
    ]


def _numbers(rows: list[ThreadsRow], named: list[ThreadsRow]) -> tuple[Number, ...]:
    """Return all numbers that the sentence states in percent."""
    shares = [NOTICED, *(share for row in named for share in (row.dip_depth, row.dip_share) if share is not None)]
    variations = tuple(Number(value=value) for value in _variations(rows).values())
    return (*(Number(value=share, kind="share") for share in shares), *variations)


def _spread(rows: list[ThreadsRow]) -> str:
    """Return 'A 1.2 %, B 3.4 %'."""
    return ", ".join(f"{group} {100 * value:.1f} %" for group, value in _variations(rows).items())


def _variations(rows: list[ThreadsRow]) -> dict[str, float]:
    """Return the median variation of each group."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        if row.variation is not None:
            groups.setdefault(row.group, []).append(row.variation)
    return {group: median(groups[group]) for group in sorted(groups)}


def _thread(row: ThreadsRow) -> str:
    rhythm = "without a rhythm" if row.dip_period_s is None else f"every {show_seconds(row.dip_period_s)}"
    depth = "" if row.dip_depth is None else f", down to {100 * row.dip_depth:.0f} %"
    where = f"{row.group} on CPU {row.cpu} in {row.mode} {row.a_threads}:{row.b_threads}"
    return f"{where}: {row.dips} dips {rhythm}{depth}, {100 * row.dip_share:.0f} % of its blocks"


tables.add(Threads())
