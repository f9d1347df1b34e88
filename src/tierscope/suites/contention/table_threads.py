"""Flutter: how evenly each thread of a contention ran, after the warm-up.

Variation, dips and their period are those of `stats.flutter`, of the thread's clean blocks. Blind to dips that are
shorter than a block, and to their cause.
Source: document 000, which saw NVDIMM threads fluctuate where they store to it, and did not say by how much.
"""

from statistics import median
from typing import ClassVar

from tierscope.record.result import Record, Run
from tierscope.stats.flutter import FLUTTERS, NOTICED, Flutter, flutter
from tierscope.stats.point import steady_from
from tierscope.stats.threads import ThreadSeries, thread_series
from tierscope.tables import Column, Flat, Insight, Main, Number, tables
from tierscope.tables.measured import CLOSING, closing_flat, measured, number, records, whole
from tierscope.units import show_seconds

NAMED = 3  # threads in one sentence
JUDGED = 200  # undisturbed blocks, at least, of a thread that is said not to flutter


class Threads:
    """One row for each thread of each split of a contention, from its undisturbed blocks after the warm-up.

    A dip is a run of blocks below 0.8 of the thread's median.
    """

    name: ClassVar[str] = "threads"
    title: ClassVar[str] = "Threads one by one"
    place: ClassVar[int] = 70
    keys: ClassVar[tuple[str, ...]] = ("mode", "a_threads", "b_threads", "group", "thread", "target")
    main: ClassVar[tuple[Main, ...]] = ()  # no interval; their sum is a main value of the splits
    columns: ClassVar[tuple[Column, ...]] = (
        Column("experiment", "experiment", "1", help="number of the record"),
        Column("mode", "mode", "", help="as for `contention`"),
        Column("a_threads", "threads of A", "1", help="threads of A"),
        Column("b_threads", "threads of B", "1", help="threads of B"),
        Column("group", "group", "", help="`A` or `B`"),
        Column("thread", "thread", "1", help="its number in the group, from 0"),
        Column("cpu", "CPU", "1", help="on which it runs"),
        Column("target", "target", "", tier=True, help="where it writes"),
        Column("bandwidth_bytes_per_s", "bandwidth", "B/s", help="median over its blocks"),
        Column(
            "variation",
            "variation",
            "1",
            help="coefficient of variation of the rates of its blocks; null under two blocks",
        ),
        Column("dips", "dips", "1", help="how many"),
        Column("dip_share", "blocks in dips", "1", help="share of its blocks in dips"),
        Column(
            "dip_depth", "depth", "1", help="rate in a dip over the median, median over the dips; null without a dip"
        ),
        Column(
            "dip_period_s",
            "period",
            "s",
            help="median time from dip to dip; null unless six distances or more vary by less than 0.3 of their mean",
        ),
        Column("flutters", "flutters", "", help="true: four dips or more, in 1 % of its blocks or more"),
        Column("clean_blocks", "clean blocks", "1", help="blocks that all this rests on"),
        *CLOSING,
    )
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
