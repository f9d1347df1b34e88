"""Steps of a lever: what each does to latency, to bandwidth, and to the run time of the victim.

    over     = latency / latency without the lever, of the same rounds     [1]
    slowdown = time / time without the lever, of the same rounds           [1]

Both are Hodges-Lehmann estimates over the rounds (`stats.contrast`). With the lever `clock`, both are divided by the
ratio of cycles, whose error is added in squares.
"""

import math
from typing import ClassVar

from tierscope.record.result import Record, Run
from tierscope.stats.contrast import Contrast
from tierscope.stats.judged import Judged
from tierscope.stats.median import Interval
from tierscope.suites.response.labels import BETWEEN, ResponseLabels
from tierscope.suites.response.row import ResponseRow
from tierscope.tables import Insight, Main, tables
from tierscope.tables.measured import closing, judged, records

CHASE, READ, CYCLE = 1, 2, 3  # takes of a step behind that of the victim


class ResponseSteps:
    """One row for each step of each lever; in the first one the lever is not used."""

    name: ClassVar[str] = "response"
    title: ClassVar[str] = "A program while its memory is slowed"
    place: ClassVar[int] = 46
    keys: ClassVar[tuple[str, ...]] = ("command", "lever", "step")
    main: ClassVar[tuple[Main, ...]] = (Main("seconds", less_is_better=True),)
    row: ClassVar[type[ResponseRow]] = ResponseRow

    def rows(self, run: Run) -> list[ResponseRow]:
        return [row for record in records(run, self.name) for row in _rows(run, record)]

    def insights(self, run: Run, rows: list[ResponseRow]) -> list[Insight]:
        """Return an empty list: the findings are those of the fit."""
        del run, rows
        return []


def _rows(run: Run, record: Record) -> list[ResponseRow]:
    labels, known = ResponseLabels.read(record.experiment), judged(run, record)
    names = labels.steps.split(BETWEEN)
    each = len(record.experiment.takes) // len(names)
    return [_row(record, labels, known, number, name, each) for number, name in enumerate(names)]


def _row(record: Record, labels: ResponseLabels, known: Judged, number: int, step: str, each: int) -> ResponseRow:
    first = number * each
    victim, chase, read = (known.contrasts[first + part] for part in (0, CHASE, READ))
    cycle = known.contrasts[first + CYCLE].ratio if each > CYCLE else None
    reasons = tuple(dict.fromkeys((*victim.reasons, *chase.reasons)))
    verdict = closing(record, known.points[first]) | {
        "conclusive": not reasons,
        "reasons": reasons,
        "left_out_share": victim.left_out_share,
    }
    return ResponseRow(
        command=labels.command,
        lever=labels.lever,
        number=number,
        step=step,
        latency=_seen(chase.seconds),
        over=_over(chase.ratio, cycle),
        bandwidth=_bandwidth(record, first + READ, read),
        load=_load(record, known, first + CHASE),
        seconds=_seen(victim.seconds),
        slowdown=_over(victim.ratio, cycle),
        rounds=victim.ratio.count,
        coverage=victim.coverage,
        **verdict,
    )


def _seen(one: Interval) -> Interval | None:
    return one if one.count and math.isfinite(one.middle) else None


def _over(ratio: Interval, cycle: Interval | None) -> Interval | None:
    """Return the ratio, in cycles where the clock changes."""
    if not _seen(ratio):
        return None
    if cycle is None:
        return ratio
    if not _seen(cycle) or not cycle.middle > 0:
        return None
    middle = ratio.middle / cycle.middle
    half = middle * math.hypot(ratio.relative, cycle.relative)
    return Interval(middle - half, middle, middle + half, min(ratio.count, cycle.count))


def _bandwidth(record: Record, take: int, read: Contrast) -> Interval | None:
    seconds = _seen(read.seconds)
    facts = record.groups[record.experiment.takes[take][0]]
    return seconds.inverse().times(facts.program_bytes_per_operation) if seconds and seconds.low > 0 else None


def _load(record: Record, known: Judged, take: int) -> Interval | None:
    groups = record.experiment.takes[take]
    if len(groups) == 1:
        return None
    rate = known.points[take].groups[1].interval
    return _seen(rate.times(record.groups[groups[1]].program_bytes_per_operation)) if rate.count else None


tables.add(ResponseSteps())
