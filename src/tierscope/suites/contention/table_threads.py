"""Flutter: how evenly each thread of a contention ran, after the warm-up.

Variation, dips and their period are those of `stats.flutter`, of the thread's clean blocks. Blind to dips that are
shorter than a block, and to their cause.
Source: document 000, which saw NVDIMM threads fluctuate where they store to it, and did not say by how much.
"""

from statistics import median
from typing import Annotated, ClassVar

from tierscope.record.result import Record, Run
from tierscope.stats.flutter import FLUTTERS, NOTICED, Flutter, flutter
from tierscope.stats.point import steady_from
from tierscope.stats.threads import ThreadSeries, thread_series
from tierscope.tables import Flat, Insight, JudgedRow, Main, Number, tables
from tierscope.tables.measured import closing_flat, measured, number, records, whole
from tierscope.tables.rows import BytesPerS, Col, Count, Ratio, Seconds
from tierscope.units import show_seconds

NAMED = 3  # threads in one sentence
JUDGED = 200  # undisturbed blocks, at least, of a thread that is said not to flutter


class ThreadsRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `threads`."""

    experiment: Annotated[Count, Col("experiment", help="number of the record")]
    mode: Annotated[str, Col("mode", help="as for `contention`")]
    a_threads: Annotated[Count, Col("threads of A", help="threads of A")]
    b_threads: Annotated[Count, Col("threads of B", help="threads of B")]
    group: Annotated[str, Col("group", help="`A` or `B`")]
    thread: Annotated[Count, Col("thread", help="its number in the group, from 0")]
    cpu: Annotated[Count, Col("CPU", help="on which it runs")]
    target: Annotated[str, Col("target", help="where it writes", tier=True)]
    bandwidth_bytes_per_s: Annotated[BytesPerS, Col("bandwidth", help="median over its blocks")]
    variation: Annotated[
        Ratio | None,
        Col("variation", help="coefficient of variation of the rates of its blocks; null under two blocks"),
    ]
    dips: Annotated[Count, Col("dips", help="how many")]
    dip_share: Annotated[Ratio, Col("blocks in dips", help="share of its blocks in dips")]
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
    place: ClassVar[int] = 70
    keys: ClassVar[tuple[str, ...]] = ("mode", "a_threads", "b_threads", "group", "thread", "target")
    main: ClassVar[tuple[Main, ...]] = ()  # no interval; their sum is a main value of the splits
    row: ClassVar[type[ThreadsRow]] = ThreadsRow
    says: ClassVar[dict[str, str]] = {
        "flutter": "share of the threads that flutter",
    }

    def rows(self, run: Run) -> list[Flat]:
        return [row for record in records(run, "contention") for row in _rows(run, record)]

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        del run
        return _flutter(rows)


def _rows(run: Run, record: Record) -> list[Flat]:
    point = measured(run, record)
    begin = steady_from(point)
    series = thread_series(run.blocks(record), record.clock.hz)
    return [_row(record, one, flutter(one, begin), closing_flat(record, point)) for one in series]


def _row(record: Record, one: ThreadSeries, found: Flutter, closed: Flat) -> Flat:
    labels, facts = record.experiment.labels, record.groups[one.group]
    return {
        "experiment": record.number,
        **{key: labels[key] for key in ("mode", "a_threads", "b_threads")},
        "group": record.experiment.groups[one.group].role,
        "thread": one.thread,
        "cpu": facts.cpus[one.thread] if one.thread < len(facts.cpus) else None,
        "target": facts.target,
        "bandwidth_bytes_per_s": number(found.rate * facts.program_bytes_per_operation),
        "variation": number(found.variation),
        "dips": len(found.dips),
        "dip_share": found.dip_share,
        "dip_depth": found.depth,
        "dip_period_s": found.period_s,
        "flutters": found.flutters,
        "clean_blocks": found.blocks,
        **closed,
    }


def _flutter(rows: list[Flat]) -> list[Insight]:
    """How many threads flutter, and the worst of them; of each group the median variation."""
    judged = [row for row in rows if row["variation"] is not None and whole(row, "clean_blocks") >= JUDGED]
    left_out = f"; {len(rows) - len(judged)} of {len(rows)} not judged: too few undisturbed blocks"
    if not judged:
        return []
    worst = sorted((row for row in judged if row["flutters"]), key=lambda row: -float(row["dip_share"] or 0))
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
            conclusive=all(row["conclusive"] for row in judged),
            others=_numbers(judged, worst[:NAMED]),
        )
    ]


def _numbers(rows: list[Flat], named: list[Flat]) -> tuple[Number, ...]:
    """All that the sentence says in percent."""
    shares = [NOTICED, *(float(row[key] or 0) for row in named for key in ("dip_depth", "dip_share"))]
    variations = tuple(Number(value=value) for value in _variations(rows).values())
    return (*(Number(value=share, kind="share") for share in shares), *variations)


def _spread(rows: list[Flat]) -> str:
    """'A 1.2 %, B 3.4 %'."""
    return ", ".join(f"{group} {100 * value:.1f} %" for group, value in _variations(rows).items())


def _variations(rows: list[Flat]) -> dict[str, float]:
    """Median of each group."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        groups.setdefault(str(row["group"]), []).append(float(row["variation"] or 0))
    return {group: median(groups[group]) for group in sorted(groups)}


def _thread(row: Flat) -> str:
    period, depth, share = row["dip_period_s"], float(row["dip_depth"] or 0), float(row["dip_share"] or 0)
    rhythm = f"every {show_seconds(float(period))}" if period is not None else "without a rhythm"
    where = f"{row['group']} on CPU {row['cpu']} in {row['mode']} {row['a_threads']}:{row['b_threads']}"
    return f"{where}: {row['dips']} dips {rhythm}, down to {100 * depth:.0f} %, {100 * share:.0f} % of its blocks"


tables.add(Threads())
