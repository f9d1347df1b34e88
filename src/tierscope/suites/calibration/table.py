"""The walks that were tried before a point was measured, and which of them it then ran.

    bandwidth = best median rate of the trial * program bytes per operation     [bytes/s]

Trials last some 10 to 30 ms each: enough to choose by, too short to be quoted, hence no interval. The bandwidth of a
trial without a clean moment is not known: null, and such a walk is the last choice.
Blind to walks that were not among the candidates.
"""

from typing import ClassVar

from tierscope.record.origin import strongest
from tierscope.record.result import Record, Run
from tierscope.tables import Column, Insight, Main, Row, tables


class Calibration:
    """One row per trial, of every record that a calibration came before; fastest first."""

    name: ClassVar[str] = "calibration"
    title: ClassVar[str] = "Calibration"
    topics: ClassVar[tuple[str, ...]] = ()  # the points themselves state theirs
    in_terminal: ClassVar[bool] = False  # how a choice was made
    keys: ClassVar[tuple[str, ...]] = (
        "experiment",
        "streams",
        "unroll",
        "prefetch_bytes",
        "prefetchw_bytes",
        "interleave_bytes",
    )
    main: ClassVar[tuple[Main, ...]] = ()  # trials choose a walk, and are no result
    columns: ClassVar[tuple[Column, ...]] = (
        Column("experiment", "experiment", "1"),
        Column("of_table", "of table", ""),
        Column("kernel", "kernel", ""),
        Column("threads", "threads", "1"),
        Column("isa", "ISA", ""),
        Column("streams", "streams", "1"),
        Column("unroll", "unroll", "1"),
        Column("prefetch_bytes", "prefetch", "B"),
        Column("prefetchw_bytes", "prefetch for stores", "B"),
        Column("interleave_bytes", "interleave", "B"),
        Column("bandwidth_bytes_per_s", "bandwidth", "B/s"),
        Column("chosen", "chosen", ""),
        Column("origin", "origin", ""),
    )

    def rows(self, run: Run) -> list[Row]:
        return [row for record in run.result.records for row in _rows(record)]

    def insights(self, run: Run, rows: list[Row]) -> list[Insight]:
        """None: the choice shows in the rows of the tables that used it."""
        del run, rows
        return []


def _rows(record: Record) -> list[Row]:
    """The last group is the one that a calibration is for."""
    facts = record.groups[-1]
    return [
        {
            "experiment": record.number,
            "of_table": record.experiment.table,
            "kernel": facts.kernel,
            "threads": len(facts.cpus),
            "isa": trial.workload.isa,
            "streams": trial.workload.streams,
            "unroll": trial.workload.unroll,
            "prefetch_bytes": trial.workload.prefetch_bytes,
            "prefetchw_bytes": trial.workload.prefetchw_bytes,
            "interleave_bytes": trial.workload.interleave_bytes,
            "bandwidth_bytes_per_s": trial.rate and trial.rate * facts.program_bytes_per_operation,
            "chosen": trial == record.calibration[0],
            "origin": strongest(group.origin for group in record.groups),
        }
        for trial in record.calibration
    ]


tables.add(Calibration())
