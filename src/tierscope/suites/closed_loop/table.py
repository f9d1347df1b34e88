"""Closed loop: each parameter of each device, as it was built and as a prober found it.

The built value is read from the name of the device. The found value is what `run buffers` and `run policy` infer from
the records of that device alone. Verdicts and tolerances: `suites.closed_loop.score`.

`truth` and `found` are null if there is no such part: both null is right, too. A prober with too few good points for an
answer missed its parameters, and so did `policy` if it calls a queue inconclusive.
Blind to: faults that simulator and prober share.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import msgspec

from tierscope.record.labels import present
from tierscope.record.origin import strongest
from tierscope.record.result import Record, Run
from tierscope.suites.closed_loop import score
from tierscope.suites.closed_loop.device import Device, parse
from tierscope.suites.closed_loop.findings import sentences
from tierscope.suites.closed_loop.labels import LoopLabels
from tierscope.suites.closed_loop.row import ClosedLoopRow
from tierscope.suites.closed_loop.score import Score
from tierscope.tables import Asked, Insight, Main, buffers_found, policy_found, tables
from tierscope.tables.measured import records
from tierscope.tables.regions import FreshLabels, row_of

MOST_KNOWN = 4096
COMMANDS = {"buffers": "buffers op=read", "policy": "policy"}

_known: dict[tuple[object, ...], list[ClosedLoopRow]] = {}


class ClosedLoop:
    """One row for each device, prober and parameter.

    It has none of the keys at the end of other rows but `origin`.
    """

    name: ClassVar[str] = "closed_loop"
    title: ClassVar[str] = "Probers on random devices"
    asked: ClassVar[Asked] = Asked(
        question="Do the probers find what was put in?",
        answers=("recovered", "failure"),
        keys={"recovered": "recovered"},
    )
    topics: ClassVar[tuple[str, ...]] = ()  # only simulated machines have these rows
    keys: ClassVar[tuple[str, ...]] = ("device", "prober", "parameter", "level")
    main: ClassVar[tuple[Main, ...]] = ()  # the built value is known, so runs are not compared
    row: ClassVar[type[ClosedLoopRow]] = ClosedLoopRow
    says: ClassVar[dict[str, str]] = {
        "devices PROBER": "devices about which each conclusive answer is right; the others are false or inconclusive",
        "false": "wrong and missed answers and false alarms that the probers called conclusive",
        "recovered PARAMETER": "share of the devices' parameters of this kind that were recovered",
        "failure": "one that was not, and what repeats it; no value",
    }

    def rows(self, run: Run) -> list[ClosedLoopRow]:
        parts: dict[tuple[int, str], list[Record]] = {}
        for record in records(run, self.name):
            labels = LoopLabels.read(record.experiment)
            parts.setdefault((labels.device, labels.prober), []).append(record)
        return [row for (device, prober), own in parts.items() for row in _remembered(run, device, prober, own)]

    def insights(self, run: Run, rows: list[ClosedLoopRow]) -> list[Insight]:
        del run
        return sentences(rows)


def _remembered(run: Run, device: int, prober: str, own: list[Record]) -> list[ClosedLoopRow]:
    key = (run.path.absolute(), prober, *(record.mark for record in own))
    if key not in _known:
        while len(_known) >= MOST_KNOWN:
            del _known[next(iter(_known))]
        _known[key] = list(_rows(run, device, prober, own))
    return _known[key]


def _rows(run: Run, number: int, prober: str, own: list[Record]) -> Iterator[ClosedLoopRow]:
    word = own[0].experiment.groups[0].target.word
    device = parse(word)
    origin = strongest(facts.origin for record in own for facts in record.groups)
    for one in _scores(prober, device, _view(run, own)):
        yield ClosedLoopRow(
            device=number,
            prober=prober,
            parameter=one.parameter,
            level=one.level,
            measure=one.measure,
            truth=one.truth,
            found=one.found,
            low=one.low,
            high=one.high,
            bound=one.bound,
            verdict=one.verdict,
            sure=one.sure,
            noise=device.noise,
            repeat=_repeat(prober, word, own[0]),
            origin=origin,
        )


def _repeat(prober: str, word: str, record: Record) -> str:
    return f"tierscope run {COMMANDS[prober]}{_layout(record)} target={word}"


def _own_rows(prober: str, view: Run) -> list[Any]:
    """Return the rows of the prober's own table, which state the part and whether it is conclusive."""
    return list(tables[prober].rows(view))


def _layout(record: Record) -> str:
    """Return the interleaving that was passed to a prober."""
    if LoopLabels.read(record.experiment).of_table != "regions":  # strides and places have other labels
        return ""
    labels = FreshLabels.read(record.experiment)
    return f" ways={labels.ways} grain={labels.grain_bytes}B" if present(labels.ways) else ""


def _view(run: Run, own: list[Record]) -> Run:
    """Return the records of one device as if its prober had run alone."""
    result = msgspec.structs.replace(run.result, records=tuple(_as_asked(record) for record in own))
    return msgspec.structs.replace(run, result=result)


def _as_asked(record: Record) -> Record:
    experiment = record.experiment
    asked = msgspec.structs.replace(experiment, table=LoopLabels.read(experiment).of_table)
    return msgspec.structs.replace(record, experiment=asked)


def _if_sure(scores: Iterator[Score], sure: bool) -> Iterator[Score]:
    return (replace(one, sure=one.sure and sure) for one in scores)


def _scores(prober: str, device: Device, view: Run) -> Iterator[Score]:
    sure = {row.part: row.conclusive for row in _own_rows(prober, view)}
    if prober == "buffers":
        regions = [row_of(view, record) for record in records(view, "regions")]
        for seen in buffers_found.found(regions, view.result.machine.line_bytes()).values():
            if seen.levels is None:
                yield score.unanswered("buffers", "1", len(list(score.visible(device))))
            else:
                yield from _if_sure(score.of_buffers(device, seen.levels), sure.get("medium", False))
        return
    for one in policy_found.found(view).values():
        if one.interleave is not None:
            yield from _if_sure(score.of_interleaving(device, one.interleave), sure.get("interleaving", False))
        elif one.strides or one.controls:
            yield score.unanswered("ways", "1", device.ways)
        if one.migration is not None:
            told = score.of_migration(device, one.migration, at_least=one.divided)
            yield from _if_sure(told, sure.get("migration", False))
        if one.combining is not None and not one.hidden:
            yield from _if_sure(score.of_combining(device, one.combining), sure.get("combining", False))
        elif one.regions:
            yield score.unanswered("entries", "1", device.entries)


tables.add(ClosedLoop())
