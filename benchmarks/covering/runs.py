"""The points of one run of `stream`: as all visits show them, and as the first visit alone does."""

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import msgspec

from covering.kept import kept_run
from covering.load import Load
from tierscope.record.result import Record, Run
from tierscope.stats.median import Interval
from tierscope.stats.summary import WIDE
from tierscope.suites.stream.table import StreamRow
from tierscope.tables import tables


@dataclass(frozen=True)
class Seen:
    """One kernel in one run. interval: None where no moment was undisturbed."""

    interval: Interval | None
    conclusive: bool
    between_share: float | None = None
    doubted: bool = False  # for other reasons than the width of its interval

    def at(self, precision: float) -> "Seen":
        """Return the point as a run that asks for less precision judges it."""
        narrow = self.interval is not None and self.interval.relative <= precision
        return replace(self, conclusive=narrow and not self.doubted)


@dataclass(frozen=True)
class Once:
    """One run: each kernel, as all visits show it and as the first one alone does; when, and next to what."""

    points: dict[str, Seen]
    first: dict[str, Seen]
    began: datetime
    load: Load

    def at(self, precision: float) -> "Once":
        """Return the run as one that asks for less precision judges it."""
        return replace(self, points={kernel: seen.at(precision) for kernel, seen in self.points.items()})


def measure(out: Path, state: str, options: list[str]) -> Once:
    """Measure once with the programs of a state; an existing run is read."""
    run, began, load = kept_run(out, state, ["stream", *options])
    return Once(points(run), points(first_alone(run)), began, load)


def points(run: Run) -> dict[str, Seen]:
    """Return each kernel of a run."""
    rows: list[StreamRow] = tables["stream"].rows(run)
    return {
        row.kernel: Seen(
            row.bandwidth,
            row.conclusive,
            row.between_share,
            doubted=not all(reason.startswith(WIDE) for reason in row.reasons),
        )
        for row in rows
    }


def first_alone(run: Run) -> Run:
    """Return the run as a version without visits would judge it: the first visit of each point alone."""

    def once(record: Record) -> Record:
        schedule = msgspec.structs.replace(record.experiment.schedule, visits=0)
        experiment = msgspec.structs.replace(record.experiment, schedule=schedule)
        return msgspec.structs.replace(record, experiment=experiment)

    records = tuple(once(record) for record in run.result.records)
    return msgspec.structs.replace(run, result=msgspec.structs.replace(run.result, records=records, visits=()))
