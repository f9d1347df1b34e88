"""What another tool printed, in base units, one row for each row of its output.

Nothing is computed here but what the importer says it computed. Blind to how the tool measured: read its own documents.
"""

from typing import ClassVar

from tierscope.record.experiment import Label
from tierscope.record.reading import Reading
from tierscope.record.result import Run
from tierscope.tables import Column, Insight, Main, Row, tables
from tierscope.units import show_rate

OWN = ("threads", "footprint_bytes", "operation_bytes", "delay_cycles", "in_flight", "read_share")
"""Labels that are columns of their own; all others stand together in `setting`."""


class Imported:
    """The readings of a run."""

    name: ClassVar[str] = "imported"
    title: ClassVar[str] = "Imported"
    topics: ClassVar[tuple[str, ...]] = ()  # of another machine
    keys: ClassVar[tuple[str, ...]] = ("test", "setting", "threads", "delay_cycles")
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"), Main("latency_s", less_is_better=True))
    columns: ClassVar[tuple[Column, ...]] = (
        Column("tool", "tool", ""),
        Column("test", "test", ""),
        Column("setting", "setting", ""),
        Column("threads", "threads", "1"),
        Column("footprint_bytes", "footprint", "B"),
        Column("delay_cycles", "delay", "1"),
        Column("operation_bytes", "operation", "B"),
        Column("in_flight", "under way", "1"),
        Column("most_in_flight", "under way at most", "1"),
        Column("full_share", "found the queue full", "1"),
        Column("read_share", "reads", "1"),
        Column("bandwidth_bytes_per_s", "bandwidth", "B/s"),
        Column("second_bandwidth_bytes_per_s", "mean of samples", "B/s"),
        Column("latency_s", "latency", "s"),
        Column("rate_per_s", "operations/s", "1/s"),
        Column("latency_least_s", "least", "s"),
        Column("latency_p50_s", "p50", "s"),
        Column("latency_p90_s", "p90", "s"),
        Column("latency_p95_s", "p95", "s"),
        Column("latency_p99_s", "p99", "s"),
        Column("latency_p999_s", "p99.9", "s"),
        Column("latency_most_s", "most", "s"),
        Column("seconds", "time", "s"),
        Column("seconds_least", "least time", "s"),
        Column("seconds_mean", "mean time", "s"),
        Column("seconds_most", "most time", "s"),
        Column("operations", "operations", "1"),
        Column("total_bytes", "bytes moved", "B"),
        Column("count", "count", "1"),
        Column("flops_per_s", "flops", "1/s"),
        Column("busy_s", "CPU time", "s"),
        Column("elapsed_s", "elapsed", "s"),
        Column("core_hz", "clock of the cores", "1/s"),
        Column("clock_step_s", "step of its clock", "s"),
        Column("timed_s", "one timing", "s"),
        Column("single_s", "a single time", "s"),
        Column("origin", "origin", ""),
    )

    def rows(self, run: Run) -> list[Row]:
        return [_row(run, reading) for reading in run.result.readings]

    def insights(self, run: Run, rows: list[Row]) -> list[Insight]:
        del rows
        by = run.result.origin_by
        return [most for name in ("bandwidth_bytes_per_s",) if (most := _most(run.result.readings, name, by))]


def setting(reading: Reading) -> str:
    """'stride 64, mode W9'."""
    told = {key: value for key, value in reading.labels.items() if key not in OWN and value is not None}
    return ", ".join(f"{key} {value}" for key, value in told.items())


def _row(run: Run, reading: Reading) -> Row:
    """What an importer keeps for the audit alone, such as a number that is printed twice, has no column."""
    result = run.result
    row: Row = dict.fromkeys(column.name for column in Imported.columns)
    row |= {key: reading.labels.get(key) for key in OWN}
    row |= {name: value.value for name, value in reading.values.items() if name in row}
    words: dict[str, Label] = {"tool": result.origin_by, "test": reading.test, "setting": setting(reading)}
    return row | words | {"origin": result.origin}


def _most(readings: tuple[Reading, ...], name: str, by: str) -> Insight | None:
    """The row with the most bandwidth."""
    known = [reading for reading in readings if name in reading.values]
    if not known:
        return None
    best = max(known, key=lambda reading: reading.values[name].value)
    value = best.values[name].value
    text = f"{by}: {best.test} {best.values[name].said or show_rate(value)} is the most"
    return Insight(name="imported_most", text=text, value=value, unit="B/s")


tables.add(Imported())
