"""Noisy neighbours: time of a victim and its slowdown, for each number of victims and of aggressors.

    seconds  = one task of a victim that runs tasks; else one walk over the victim's footprint
             = seconds per operation * footprint / bytes that one operation visits            [s]
    slowdown = seconds / seconds of the row that `against` names, of the same rounds          [1]

Several victims count as their mean. What document 002 calls loss of performance is 1 - 1 / slowdown.
Source: document 002; statistics: `stats.contrast`.
"""

from typing import Annotated, ClassVar

from tierscope.record.experiment import Experiment
from tierscope.record.result import Record, Run
from tierscope.stats.compare import compare_all
from tierscope.stats.contrast import VICTIM, Contrast
from tierscope.stats.median import Interval
from tierscope.stats.walks import walk_operations
from tierscope.tables import Flat, Insight, JudgedRow, Main, tables
from tierscope.tables.measured import (
    closing_flat,
    judged,
    left_out,
    number,
    records,
    sure_flat,
    sure_rows_flat,
    whole,
)
from tierscope.tables.rows import Col, Count, Quotient, Ratio, Size, Unit
from tierscope.units import show_bytes

LONGEST = 40  # letters of a command line in a sentence


class NeighborsRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `neighbors`."""

    victim: Annotated[str, Col("victim", help="`flow`, `chase`, `triad`, `cmd`")]
    size: Annotated[str | None, Col("size", help="of the flow: `test`, `train`, `ref`; null for others")]
    command: Annotated[str | None, Col("command", help="the command line of `cmd`; null for others")]
    victims: Annotated[Count, Col("victims", help="number that ran at the same time, one CPU each")]
    aggressors: Annotated[Count, Col("aggressors", help="number that ran at the same time, one CPU each")]
    aggressor_kernel: Annotated[str | None, Col("aggressor", help="null without aggressors")]
    aggressor_target: Annotated[
        str | None, Col("aggressor's target", help="as `node:0`; null without aggressors", tier=True)
    ]
    aggressor_chunk_bytes: Annotated[
        Size | None,
        Col("aggressor's chunk", help="stored before its lines are flushed; null for aggressors that do not flush"),
    ]
    aggressor_fence: Annotated[
        str | None, Col("its fence after", help="of the same: `chunk`, `line`, `never`; null for others")
    ]
    seconds: Annotated[
        Annotated[Interval, Unit("s", "")] | None,
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
        Ratio,
        Col(
            "ran together",
            help=(
                "share of the victims' counted time in which every thread of the row ran; 1 by choice of moments "
                "for a chase or triad"
            ),
        ),
    ]
    victim_target: Annotated[str | None, Col("victim's target", help="as `node:0`; null for tasks")]
    victim_bytes: Annotated[Size | None, Col("victim's footprint", help="footprint of one victim; null for tasks")]
    aggressor_bytes: Annotated[
        Size | None, Col("aggressor's footprint", help="footprint of one aggressor; null without")
    ]
    victim_cpus: Annotated[str, Col("victims' CPUs", help="as `0,1`")]
    aggressor_cpus: Annotated[str | None, Col("aggressors' CPUs", help="as `3,2`; null without")]
    detail: Annotated[
        str | None, Col("what a task is", help="what a task is, as the victim reports it; null if it reports nothing")
    ]


class Neighbors:
    """One row for each number of victims and of aggressors, for each kind of victim, which alternate."""

    name: ClassVar[str] = "neighbors"
    title: ClassVar[str] = "Noisy neighbours"
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

    def rows(self, run: Run) -> list[Flat]:
        return [row for record in records(run, self.name) for row in _rows(run, record)]

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        """The victim that is shown to be slowed most comes first: the first sentence is the headline."""
        kinds = list(dict.fromkeys(victim_name(row) for row in rows))
        said = []
        for kind in kinds:
            own = [row for row in rows if victim_name(row) == kind]
            mine = [row for row, _ in sure_rows_flat(own, "slowdown", "")]
            said.append([*_aggressors(kind, mine, own), *_victims(kind, mine)])
        return [insight for own in sorted(said, key=_least, reverse=True) for insight in own]


def _least(insights: list[Insight]) -> float:
    """By how much the aggressors slow at least; 1 where no slowdown is shown."""
    shown = (one.low for one in insights if one.low and one.name.startswith("slowdown "))
    return max(1.0, *shown, 1.0)


def _rows(run: Run, record: Record) -> list[Flat]:
    found = judged(run, record)
    return [
        {**_row(record, take, one), **closing_flat(record, found.points[take]), **_verdict(one)}
        for take, one in enumerate(found.contrasts)
    ]


def _row(record: Record, take: int, found: Contrast) -> Flat:
    experiment, labels = record.experiment, record.experiment.labels
    victims, aggressors = _sides(experiment, take)
    first = record.groups[victims[0]]
    task = first.operation == "task"
    walk = 1.0 if task else walk_operations(first)
    return {
        "victim": labels.get("victim", first.kernel),
        "size": labels.get("size"),
        "command": labels.get("command"),
        "victims": len(victims),
        "aggressors": len(aggressors),
        "aggressor_kernel": _aggressor(record, aggressors),
        "aggressor_target": record.groups[aggressors[0]].target if aggressors else None,
        **_flushing(experiment, aggressors),
        **_named("seconds", found.seconds.times(walk)),
        **_named("slowdown", found.ratio),
        "against": _against(experiment, take),
        "rounds": found.ratio.count,
        "coverage": found.coverage,
        "victim_target": None if task else first.target,
        "victim_bytes": None if task else first.footprint_bytes,
        "aggressor_bytes": record.groups[aggressors[0]].footprint_bytes if aggressors else None,
        "victim_cpus": _cpus(record, victims),
        "aggressor_cpus": _cpus(record, aggressors),
        "detail": first.detail or None,
    }


def _flushing(experiment: Experiment, aggressors: list[int]) -> Flat:
    """Of aggressors that flush what they store; null for others."""
    work = experiment.groups[aggressors[0]].workload if aggressors else None
    own = work if work and work.kernel.startswith("flush_") else None
    return {
        "aggressor_chunk_bytes": own.element_bytes if own else None,
        "aggressor_fence": own.fence or "chunk" if own else None,
    }


def _sides(experiment: Experiment, take: int) -> tuple[list[int], list[int]]:
    """Numbers of the groups of a take: its victims, and the others."""
    groups = experiment.takes[take]
    victims = [group for group in groups if experiment.groups[group].role == VICTIM]
    return victims, [group for group in groups if group not in victims]


def _aggressor(record: Record, aggressors: list[int]) -> str | None:
    """Its kernel; of a command the name under which the suite knows it."""
    if not aggressors:
        return None
    kernel = record.groups[aggressors[0]].kernel
    return str(record.experiment.labels["aggressor_kernel"]) if kernel == "command" else kernel


def _named(name: str, interval: Interval) -> Flat:
    """`bounds` for what is named without a unit."""
    return {name: number(interval.middle), f"{name}_low": number(interval.low), f"{name}_high": number(interval.high)}


def _against(experiment: Experiment, take: int) -> str:
    base = experiment.against[take]
    return "itself" if base == take else f"{len(_sides(experiment, base)[0])} alone"


def _cpus(record: Record, groups: list[int]) -> str | None:
    return ",".join(str(cpu) for group in groups for cpu in record.groups[group].cpus) or None


def _verdict(found: Contrast) -> Flat:
    """The comparison is what must be sure_flat, and what it left out."""
    return {
        "conclusive": found.conclusive,
        "reasons": "; ".join(found.reasons),
        "left_out_share": found.left_out_share,
    }


def victim_name(row: Flat) -> str:
    """'flow test', 'chase', or the command line in 40 letters."""
    if row["command"]:
        line = str(row["command"])
        return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."
    return f"{row['victim']} {row['size']}" if row["size"] else str(row["victim"])


def _aggressors(victim: str, rows: list[Flat], every: list[Flat]) -> list[Insight]:
    """The largest slowdown that an interval bears out, else that of the most aggressors; every: all rows."""
    beside = [row for row in rows if row["aggressors"]]
    rest = left_out(len(beside), sum(bool(row["aggressors"]) for row in every), "numbers of aggressors")
    if not beside:
        return []
    none = Interval(1.0, 1.0, 1.0, 1)
    told = compare_all([(none, _slowdown(row)) for row in beside], least=0.0)  # of many, some would be called by chance
    sure = [row for row, found in zip(beside, told, strict=True) if found.low > 1]
    row = max(sure or beside, key=lambda one: _slowdown(one).low if sure else whole(one, "aggressors"))
    count, victims = whole(row, "aggressors"), whole(row, "victims")
    who = victim if victims == 1 else f"each of {victims} {victim}"
    aggressors = f"{count} aggressor{'s' if count > 1 else ''} ({aggressor_name(row)})"
    one = _slowdown(row)
    if sure:
        text = f"{aggressors} slow{'' if count > 1 else 's'} {who} by {_percent(one)}"
        if row["aggressor_kernel"] == "sleep":
            text += "; they sleep, so their work is not the cause: check what else differs, such as the clock rate"
    else:
        text = f"{aggressors}: no significant slowdown of {who}, {_ratio(one)} of its time without them"
    return [
        Insight(name=f"slowdown {victim}", text=text + rest, value=one.middle, low=one.low, high=one.high, unit="1")
    ]


def _victims(victim: str, rows: list[Flat]) -> list[Insight]:
    """What the most victims cost one another."""
    several = [row for row in rows if not row["aggressors"] and row["against"] == "1 alone"]
    if not several:
        return []
    row = max(several, key=lambda one: whole(one, "victims"))
    one, count = _slowdown(row), row["victims"]
    slower = f"{count} {victim} at the same time slow each other by {_percent(one)}"
    even = f"{count} {victim} at the same time: no significant slowdown of each other, {_ratio(one)} of the time alone"
    text = slower if one.low > 1 else even
    return [Insight(name=f"victims {victim}", text=text, value=one.middle, low=one.low, high=one.high, unit="1")]


def aggressor_name(row: Flat) -> str:
    """'copy on node:0'; one that has no memory is named alone, one that flushes with its chunk and fence."""
    target, name = row["aggressor_target"], str(row["aggressor_kernel"])
    if row["aggressor_fence"]:
        fence = {"never": ", no fence,", "line": ", a fence per line,"}.get(str(row["aggressor_fence"]), "")
        name = f"{name} of {show_bytes(whole(row, 'aggressor_chunk_bytes'))}{fence}"
    return name if target == "null" else f"{name} on {target}"


def _slowdown(row: Flat) -> Interval:
    found = sure_flat(row, "slowdown", "")
    assert found is not None  # rows without one were left out
    return found


def _percent(one: Interval) -> str:
    """'6.1 % (5.8 to 6.4)'."""
    low, middle, high = (100 * (value - 1) for value in (one.low, one.middle, one.high))
    return f"{middle:.1f} % ({low:.1f} to {high:.1f})"


def _ratio(one: Interval) -> str:
    return f"{one.middle:.3f} ({one.low:.3f} to {one.high:.3f})"


tables.add(Neighbors())
