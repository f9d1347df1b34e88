"""Noisy neighbours: time of a victim and its slowdown, for each number of victims and of aggressors.

    seconds  = one task of a victim that runs tasks; else one pass over the victim's footprint
             = seconds per operation * footprint / bytes that one operation visits            [s]
    slowdown = seconds / seconds of the row that `against` names, of the same rounds          [1]

Several victims count as their mean. Document 002's loss of performance is 1 - 1 / slowdown.
Source: document 002; statistics: `stats.contrast`.
"""

from typing import Annotated, ClassVar

from tierscope.draw.words import short_command, with_bounds
from tierscope.record.experiment import Experiment
from tierscope.record.result import Record, Run
from tierscope.record.work.block import BlockWork
from tierscope.stats.compare import compare_all
from tierscope.stats.contrast import VICTIM, Contrast
from tierscope.stats.median import Interval
from tierscope.stats.walks import walk_operations
from tierscope.suites.neighbors.labels import NeighborsLabels
from tierscope.tables import Asked, Insight, JudgedRow, Main, tables
from tierscope.tables.measured import closing, judged, left_out, records, sure_rows
from tierscope.tables.rows import Col, Count, LongTime, Quotient, Share, Size
from tierscope.units import show_bytes

FENCES = {"never": ", no fence,", "line": ", a fence per line,"}


class NeighborsRow(JudgedRow, frozen=True, kw_only=True):
    """Victims of one kind with a number of aggressors, which may be 0."""

    victim: Annotated[str, Col("victim", help="`flow`, `chase`, `triad`, `cmd`")]
    size: Annotated[str | None, Col("size", help="of the flow: `test`, `train`, `ref`; null for others")]
    command: Annotated[str | None, Col("command", private=True, help="the command line of `cmd`; null for others")]
    victims: Annotated[Count, Col("victims", help="number that ran at the same time, one CPU each")]
    aggressors: Annotated[Count, Col("aggressors", help="number that ran at the same time, one CPU each")]
    aggressor_kernel: Annotated[str | None, Col("aggressor", help="null without aggressors")]
    aggressor_target: Annotated[
        str | None, Col("aggressor's target", help="such as `node:0`; null without aggressors", tier=True)
    ]
    aggressor_chunk_bytes: Annotated[
        Size | None,
        Col("aggressor's chunk", help="stored before its lines are flushed; null for aggressors that do not flush"),
    ]
    aggressor_fence: Annotated[
        str | None, Col("its fence after", help="of the same: `chunk`, `line`, `never`; null for others")
    ]
    seconds: Annotated[
        LongTime | None,
        Col(
            "time of one",
            help=(
                "time of one victim, the mean of all: one task of a flow or command, one pass over the footprint of"
                " a chase or triad"
            ),
        ),
    ]
    slowdown: Annotated[
        Quotient | None,
        Col(
            "slowdown",
            help=("`seconds` over those of the row named by `against`, in the same rounds; exactly 1 against itself"),
        ),
    ]
    against: Annotated[
        str, Col("against", help="`1 alone`, `4 alone`: this number of victims without aggressors; `itself`")
    ]
    rounds: Annotated[Count, Col("rounds", help="that the slowdown rests on")]
    coverage: Annotated[
        Share,
        Col(
            "ran together",
            help=(
                "share of the victims' counted time in which every thread of the row ran; 1 by choice of moments "
                "for a chase or triad"
            ),
        ),
    ]
    victim_target: Annotated[str | None, Col("victim's target", help="such as `node:0`; null for tasks")]
    victim_bytes: Annotated[Size | None, Col("victim's footprint", help="footprint of one victim; null for tasks")]
    aggressor_bytes: Annotated[
        Size | None, Col("aggressor's footprint", help="footprint of one aggressor; null without")
    ]
    victim_cpus: Annotated[str, Col("victims' CPUs", help="such as `0,1`")]
    aggressor_cpus: Annotated[str | None, Col("aggressors' CPUs", help="such as `3,2`; null without")]
    detail: Annotated[
        str | None, Col("what a task is", help="what a task is, as the victim reports it; null if it reports nothing")
    ]


class Neighbors:
    """One row for each number of victims and of aggressors, for each kind of victim, which alternate."""

    name: ClassVar[str] = "neighbors"
    title: ClassVar[str] = "Noisy neighbours"
    asked: ClassVar[Asked] = Asked(
        question="What do neighbours cost?",
        answers=("slowdown", "victims"),
        keys={"slowdown": "largest slowdown", "victims": "victims among themselves"},
    )
    place: ClassVar[int] = 40
    keys: ClassVar[tuple[str, ...]] = (
        "victim",
        "size",
        "command",
        "victims",
        "aggressors",
        "aggressor_kernel",
        "aggressor_target",
        "aggressor_chunk_bytes",
        "aggressor_fence",
    )
    main: ClassVar[tuple[Main, ...]] = (Main("seconds", less_is_better=True),)
    row: ClassVar[type[NeighborsRow]] = NeighborsRow
    says: ClassVar[dict[str, str]] = {
        "slowdown VICTIM": "largest slowdown by aggressors that an interval confirms, otherwise that by the "
        "most aggressors",
        "victims VICTIM": "slowdown of the largest number of victims, compared with one alone",
    }

    def rows(self, run: Run) -> list[NeighborsRow]:
        return [row for record in records(run, self.name) for row in _rows(run, record)]

    def insights(self, run: Run, rows: list[NeighborsRow]) -> list[Insight]:
        """Return the insights; the largest slowdown that is shown comes first, as the headline."""
        del run
        said = []
        for kind in dict.fromkeys(map(victim_name, rows)):
            own = [row for row in rows if victim_name(row) == kind]
            mine = sure_rows(own, lambda row: row.slowdown)
            said.append([*_aggressors(kind, mine, own), *_victims(kind, mine)])
        return [insight for own in sorted(said, key=_least, reverse=True) for insight in own]


def _least(insights: list[Insight]) -> float:
    """Return the least slowdown by the aggressors; 1 where none is shown."""
    shown = (one.low for one in insights if one.low and one.name.startswith("slowdown "))
    return max(1.0, *shown, 1.0)


def _rows(run: Run, record: Record) -> list[NeighborsRow]:
    return [_row(run, record, take, found) for take, found in enumerate(judged(run, record).contrasts)]


def _row(run: Run, record: Record, take: int, found: Contrast) -> NeighborsRow:
    experiment, labels = record.experiment, NeighborsLabels.read(record.experiment)
    victims, aggressors = _sides(experiment, take)
    first, other = record.groups[victims[0]], record.groups[aggressors[0]] if aggressors else None
    task, flushing = first.operation == "task", _flushing(experiment, aggressors)
    verdict = closing(record, judged(run, record).points[take]) | {
        "conclusive": found.conclusive,
        "reasons": found.reasons,
        "left_out_share": found.left_out_share,
    }
    return NeighborsRow(
        victim=labels.victim or first.kernel,
        size=labels.size,
        command=labels.command,
        victims=len(victims),
        aggressors=len(aggressors),
        aggressor_kernel=_aggressor(record, aggressors),
        aggressor_target=other.target if other else None,
        aggressor_chunk_bytes=flushing.element_bytes if flushing else None,
        aggressor_fence=flushing.fence or "chunk" if flushing else None,
        seconds=found.seconds.times(1.0 if task else walk_operations(first)),
        slowdown=found.ratio,
        against=_against(experiment, take),
        rounds=found.ratio.count,
        coverage=found.coverage,
        victim_target=None if task else first.target,
        victim_bytes=None if task else first.footprint_bytes,
        aggressor_bytes=other.footprint_bytes if other else None,
        victim_cpus=_cpus(record, victims),
        aggressor_cpus=_cpus(record, aggressors) or None,
        detail=first.detail or None,
        **verdict,
    )


def _flushing(experiment: Experiment, aggressors: list[int]) -> BlockWork | None:
    """Return the work of aggressors that flush what they store; None for others."""
    asked = experiment.groups[aggressors[0]].workload if aggressors else None
    return asked.of(BlockWork) if asked and asked.kernel.startswith("flush_") else None


def _sides(experiment: Experiment, take: int) -> tuple[list[int], list[int]]:
    """Return the numbers of the groups of a take: its victims, and the others."""
    groups = experiment.takes[take]
    victims = [group for group in groups if experiment.groups[group].role == VICTIM]
    return victims, [group for group in groups if group not in victims]


def _aggressor(record: Record, aggressors: list[int]) -> str | None:
    """Return its kernel; of a command the name under which the suite knows it."""
    if not aggressors:
        return None
    kernel = record.groups[aggressors[0]].kernel
    return NeighborsLabels.read(record.experiment).aggressor_kernel if kernel == "command" else kernel


def _against(experiment: Experiment, take: int) -> str:
    base = experiment.against[take]
    return "itself" if base == take else f"{len(_sides(experiment, base)[0])} alone"


def _cpus(record: Record, groups: list[int]) -> str:
    return ",".join(str(cpu) for group in groups for cpu in record.groups[group].cpus)


def victim_name(row: NeighborsRow) -> str:
    """Return 'flow test', 'chase', or the command line in 40 letters."""
    if row.command:
        return short_command(row.command)
    return f"{row.victim} {row.size}" if row.size else row.victim


def _aggressors(victim: str, known: list[tuple[NeighborsRow, Interval]], every: list[NeighborsRow]) -> list[Insight]:
    """Return the largest slowdown that an interval shows, else that of the most aggressors; every: all rows."""
    beside = [(row, slowdown) for row, slowdown in known if row.aggressors]
    rest = left_out(len(beside), sum(bool(row.aggressors) for row in every), "numbers of aggressors")
    if not beside:
        return []
    none = Interval(1.0, 1.0, 1.0, 1)
    told = compare_all(
        [(none, slowdown) for _, slowdown in beside], least=0.0
    )  # of many, some would be called by chance
    sure = [pair for pair, found in zip(beside, told, strict=True) if found.low > 1]
    most = max(sure, key=lambda pair: pair[1].low, default=None)
    row, one = most or max(beside, key=lambda pair: pair[0].aggressors)
    count = row.aggressors
    who = victim if row.victims == 1 else f"each of {row.victims} victims ({victim})"
    aggressors = f"{count} aggressor{'s' if count > 1 else ''} ({aggressor_name(row)})"
    if sure:
        text = f"{aggressors} slow{'' if count > 1 else 's'} {who} by {_percent(one)}"
        if row.aggressor_kernel == "sleep":
            text += "; they sleep, so their work is not the cause: check what else differs, such as the clock rate"
    else:
        text = f"{aggressors}: no significant slowdown of {who}, {_ratio(one)} of its time without them"
    return [Insight.of(one, name=f"slowdown {victim}", text=text + rest, unit="1")]


def _victims(victim: str, known: list[tuple[NeighborsRow, Interval]]) -> list[Insight]:
    """Return how much the most victims slow one another."""
    several = [(row, slowdown) for row, slowdown in known if not row.aggressors and row.against == "1 alone"]
    if not several:
        return []
    row, one = max(several, key=lambda pair: pair[0].victims)
    slower = f"{row.victims} victims ({victim}) at the same time slow each other by {_percent(one)}"
    even = (
        f"{row.victims} victims ({victim}) at the same time: no significant slowdown of each other, "
        f"{_ratio(one)} of the time alone"
    )
    text = slower if one.low > 1 else even
    return [Insight.of(one, name=f"victims {victim}", text=text, unit="1")]


def aggressor_name(row: NeighborsRow) -> str:
    """Return 'copy on node:0'; one without memory is named alone, one that flushes with its chunk and fence."""
    name = row.aggressor_kernel or "none"
    if row.aggressor_chunk_bytes is not None:
        name = f"{name} of {show_bytes(row.aggressor_chunk_bytes)}{FENCES.get(row.aggressor_fence or '', '')}"
    return name if row.aggressor_target in ("null", None) else f"{name} on {row.aggressor_target}"


def _percent(one: Interval) -> str:
    """Return '6.1 % (5.8 to 6.4)'."""
    low, middle, high = (100 * (value - 1) for value in (one.low, one.middle, one.high))
    return f"{middle:.1f} % ({low:.1f} to {high:.1f})"


def _ratio(one: Interval) -> str:
    return with_bounds(one, "{:.3f}".format)


tables.add(Neighbors())
