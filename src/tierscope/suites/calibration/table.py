"""The loop variants that were tried before a point was measured, and which of them it then ran.

    bandwidth = median rate of the variant's trials * program bytes per operation     [bytes/s]

A trial takes 3 ms, and 6 ms in the final. That is enough to choose, but too short to publish, so there is no interval.
The bandwidth of a variant whose trials had no clean moment is not known: null, and such a variant is the last choice.
Blind to loop variants that the search did not reach.
"""

from typing import Annotated, ClassVar

from tierscope.record.origin import strongest
from tierscope.record.result import Record, Run
from tierscope.record.work.line import LineWork
from tierscope.tables import Insight, Main, Row, tables
from tierscope.tables.rows import BytesPerS, Col, Count, Size
from tierscope.tables.usual import Origin, Threads


class CalibrationRow(Row, frozen=True, kw_only=True):
    """One loop variant that was tried for a record."""

    experiment: Annotated[Count, Col("experiment", help="number of the record it was for")]
    of_table: Annotated[str, Col("of table", help="the table of that record")]
    kernel: Annotated[str, Col("kernel", help="its name in the catalogue")]
    threads: Threads
    isa: Annotated[str, Col("ISA", help="instructions tried")]
    streams: Annotated[Count, Col("streams", help="loop variant: parts side by side")]
    unroll: Annotated[Count, Col("unroll", help="loop variant: lines of each stream in one step")]
    prefetch_bytes: Annotated[Size, Col("prefetch", help="loop variant: distance of the prefetch for loads; 0: none")]
    prefetchw_bytes: Annotated[Size, Col("prefetch for stores", help="loop variant: the same for stores")]
    interleave_bytes: Annotated[Size, Col("interleave", help="loop variant: distance of the streams; 0: far apart")]
    bandwidth_bytes_per_s: Annotated[
        BytesPerS | None, Col("bandwidth", help="median of its trials; null where none had a clean moment")
    ]
    chosen: Annotated[bool, Col("chosen", help="true: this loop variant ran")]
    variant_from: Annotated[
        str, Col("from", help="where the chosen one came from: a search in this run, or one in an earlier run")
    ]
    origin: Origin


class Calibration:
    """One row for each loop variant that was tried before a point was measured; fastest first.

    A trial takes 3 ms, and 6 ms in the final. That is long enough to choose, and too short to publish.
    """

    name: ClassVar[str] = "calibration"
    title: ClassVar[str] = "Calibration"
    topics: ClassVar[tuple[str, ...]] = ()  # the points themselves state theirs
    in_terminal: ClassVar[bool] = False  # they only explain a choice
    keys: ClassVar[tuple[str, ...]] = (
        "experiment",
        "streams",
        "unroll",
        "prefetch_bytes",
        "prefetchw_bytes",
        "interleave_bytes",
    )
    main: ClassVar[tuple[Main, ...]] = ()  # trials choose a loop variant, and are not a result
    row: ClassVar[type[CalibrationRow]] = CalibrationRow

    def rows(self, run: Run) -> list[CalibrationRow]:
        return [row for record in run.result.records for row in _rows(record)]

    def insights(self, run: Run, rows: list[CalibrationRow]) -> list[Insight]:
        """Return an empty list: the choice shows in the rows of the tables that used it."""
        del run, rows
        return []


def _rows(record: Record) -> list[CalibrationRow]:
    """Return the rows of a record. A calibration is for the last group."""
    facts = record.groups[-1]
    return [
        CalibrationRow(
            experiment=record.number,
            of_table=record.experiment.table,
            kernel=facts.kernel,
            threads=len(facts.cpus),
            isa=trial.workload.isa,
            streams=walk.streams,
            unroll=walk.unroll,
            prefetch_bytes=walk.prefetch_bytes,
            prefetchw_bytes=walk.prefetchw_bytes,
            interleave_bytes=walk.interleave_bytes,
            bandwidth_bytes_per_s=trial.rate and trial.rate * facts.program_bytes_per_operation,
            chosen=trial == record.calibration[0],
            variant_from=record.variant_from,
            origin=strongest(group.origin for group in record.groups),
        )
        for trial, walk in ((one, one.workload.of(LineWork)) for one in record.calibration)
    ]


tables.add(Calibration())
