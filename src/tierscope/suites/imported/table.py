"""What another tool printed, in base units, one row for each row of its output.

Nothing is computed here but what the importer says it computed. Blind to how the tool measured: read its own documents.
"""

from typing import ClassVar

from tierscope.record.experiment import Label
from tierscope.record.reading import Reading
from tierscope.record.result import Run
from tierscope.tables import Column, Flat, Insight, Main, tables
from tierscope.units import show_rate

OWN = ("threads", "footprint_bytes", "operation_bytes", "delay_cycles", "in_flight", "read_share")
"""Labels that are columns of their own; all others stand together in `setting`."""


class Imported:
    """One row for each row of [another tool's](cli.md#import) output; null: the output does not contain it."""

    name: ClassVar[str] = "imported"
    title: ClassVar[str] = "Imported"
    topics: ClassVar[tuple[str, ...]] = ()  # of another machine
    keys: ClassVar[tuple[str, ...]] = ("test", "setting", "threads", "delay_cycles")
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"), Main("latency_s", less_is_better=True))
    columns: ClassVar[tuple[Column, ...]] = (
        Column("tool", "tool", "", help="with its version, if the file contains it"),
        Column("test", "test", "", help="as the tool calls it"),
        Column("setting", "setting", "", help="other settings, as text"),
        Column("threads", "threads", "1", help="as the tool was asked for"),
        Column("footprint_bytes", "footprint", "B", help="all arrays together"),
        Column("delay_cycles", "delay", "1", help="delay between accesses of a load, as the tool counts it"),
        Column("operation_bytes", "operation", "B", help="of one operation"),
        Column(
            "in_flight",
            "under way",
            "1",
            help="operations in flight at any time: the queue depth, if it was really reached",
        ),
        Column(
            "most_in_flight",
            "under way at most",
            "1",
            help="the queue depth that the options allow, if the output does not show that it was reached",
        ),
        Column(
            "full_share", "found the queue full", "1", help="share of the operations that fio submitted at full depth"
        ),
        Column("read_share", "reads", "1", help="share of the operations that read"),
        Column("bandwidth_bytes_per_s", "bandwidth", "B/s", help="as the tool counts bytes"),
        Column(
            "second_bandwidth_bytes_per_s",
            "mean of samples",
            "B/s",
            help="the bandwidth a second time: fio's mean of samples",
        ),
        Column("latency_s", "latency", "s", help="mean, or the one number that the tool gives"),
        Column("rate_per_s", "operations/s", "1/s", help="operations per second"),
        Column("latency_least_s", "least", "s", help="least"),
        Column("latency_p50_s", "p50", "s", help="median"),
        Column("latency_p90_s", "p90", "s", help="percentile"),
        Column("latency_p95_s", "p95", "s", help="percentile"),
        Column("latency_p99_s", "p99", "s", help="percentile"),
        Column("latency_p999_s", "p99.9", "s", help="percentile"),
        Column("latency_most_s", "most", "s", help="most"),
        Column("seconds", "time", "s", help="time that gave the rate"),
        Column("seconds_least", "least time", "s", help="least time of several passes"),
        Column("seconds_mean", "mean time", "s", help="mean time"),
        Column("seconds_most", "most time", "s", help="most time"),
        Column("operations", "operations", "1", help="count"),
        Column("total_bytes", "bytes moved", "B", help="bytes moved in `seconds`"),
        Column("count", "count", "1", help="of an event"),
        Column("flops_per_s", "flops", "1/s", help="floating-point operations per second"),
        Column("busy_s", "CPU time", "s", help="CPU time"),
        Column("elapsed_s", "elapsed", "s", help="wall time of a program"),
        Column("core_hz", "clock of the cores", "1/s", help="cycles / CPU time"),
        Column("clock_step_s", "step of its clock", "s", help="step of the tool's clock, as the tool reports it"),
        Column("timed_s", "one timing", "s", help="one timing"),
        Column("single_s", "a single time", "s", help="a time that was measured once"),
        Column("origin", "origin", "", help="`imported`"),
    )
    says: ClassVar[dict[str, str]] = {
        "imported_most": "the most bandwidth that the other tool printed",
    }

    def rows(self, run: Run) -> list[Flat]:
        return [_row(run, reading) for reading in run.result.readings]

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        del rows
        by = run.result.origin_by
        return [most for name in ("bandwidth_bytes_per_s",) if (most := _most(run.result.readings, name, by))]


def setting(reading: Reading) -> str:
    """'stride 64, mode W9'."""
    told = {key: value for key, value in reading.labels.items() if key not in OWN and value is not None}
    return ", ".join(f"{key} {value}" for key, value in told.items())


def _row(run: Run, reading: Reading) -> Flat:
    """What an importer keeps for the audit alone, such as a number that is printed twice, has no column."""
    result = run.result
    row: Flat = dict.fromkeys(column.name for column in Imported.columns)
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
    text = f"{by}: highest bandwidth {best.values[name].said or show_rate(value)}, {best.test}"
    return Insight(name="imported_most", text=text, value=value, unit="B/s")


tables.add(Imported())
