"""The numbers that another tool printed, in base units, one row for each row of its output.

This module computes nothing; the importer states what it computes. Blind to how the tool measured: read its own
documents.
"""

from collections.abc import Iterator
from typing import Annotated, ClassVar

from tierscope.record.experiment import Label, real
from tierscope.record.reading import Reading
from tierscope.record.result import Run
from tierscope.tables import Asked, Flat, Insight, Main, Row, tables
from tierscope.tables.column import Shown
from tierscope.tables.rows import BytesPerS, Col, LongSeconds, PerS, Ratio, Seconds, Share, Unit, unflat
from tierscope.units import show_rate

OWN = ("threads", "footprint_bytes", "operation_bytes", "delay_cycles", "in_flight", "read_share")
"""Labels that are columns of their own if they are numbers; all others share the column `setting`."""

Bytes = Annotated[float, Unit("B", least=0)]
Moved = Annotated[float, Unit("B", least=0, shown=Shown.AS_ASKED)]
"""As printed, which may be rounded."""


class ImportedRow(Row, frozen=True, kw_only=True):
    """A row of another tool's output."""

    tool: Annotated[str, Col("tool", help="with its version, if the file contains it")]
    test: Annotated[str, Col("test", private=True, help="as the tool calls it")]
    setting: Annotated[str, Col("setting", private=True, help="other settings, as text")]
    threads: Annotated[Ratio | None, Col("threads", help="as the tool was asked for")]
    footprint_bytes: Annotated[Bytes | None, Col("footprint", help="all arrays together")]
    delay_cycles: Annotated[Ratio | None, Col("delay", help="delay between accesses of a load, as the tool counts it")]
    operation_bytes: Annotated[Bytes | None, Col("operation", help="of one operation")]
    in_flight: Annotated[
        Ratio | None,
        Col("in flight", help="operations in flight at any time: the queue depth, if it was really reached"),
    ]
    most_in_flight: Annotated[
        Ratio | None,
        Col(
            "in flight at most",
            help="the queue depth that the options allow, if the output does not show that it was reached",
        ),
    ]
    full_share: Annotated[
        Share | None, Col("found the queue full", help="share of the operations that fio submitted at full depth")
    ]
    read_share: Annotated[Ratio | None, Col("reads", help="share of the operations that read")]
    bandwidth_bytes_per_s: Annotated[BytesPerS | None, Col("bandwidth", help="as the tool counts bytes")]
    second_bandwidth_bytes_per_s: Annotated[
        BytesPerS | None, Col("mean of samples", help="the bandwidth a second time: fio's mean of samples")
    ]
    latency_s: Annotated[Seconds | None, Col("latency", help="mean, or the one number that the tool gives")]
    rate_per_s: Annotated[PerS | None, Col("operations/s", help="operations per second")]
    latency_least_s: Annotated[Seconds | None, Col("least", help="least")]
    latency_p50_s: Annotated[Seconds | None, Col("p50", help="median")]
    latency_p90_s: Annotated[Seconds | None, Col("p90", help="percentile")]
    latency_p95_s: Annotated[Seconds | None, Col("p95", help="percentile")]
    latency_p99_s: Annotated[Seconds | None, Col("p99", help="percentile")]
    latency_p999_s: Annotated[Seconds | None, Col("p99.9", help="percentile")]
    latency_most_s: Annotated[Seconds | None, Col("most", help="most")]
    seconds: Annotated[LongSeconds | None, Col("time", help="time that gave the rate")]
    seconds_least: Annotated[LongSeconds | None, Col("least time", help="least time of several passes")]
    seconds_mean: Annotated[LongSeconds | None, Col("mean time", help="mean time")]
    seconds_most: Annotated[LongSeconds | None, Col("most time", help="most time")]
    operations: Annotated[Ratio | None, Col("operations", help="count")]
    total_bytes: Annotated[Moved | None, Col("bytes moved", help="bytes moved in `seconds`")]
    count: Annotated[Ratio | None, Col("count", help="of an event")]
    flops_per_s: Annotated[PerS | None, Col("flops", help="floating-point operations per second")]
    busy_s: Annotated[Seconds | None, Col("CPU time", help="CPU time")]
    elapsed_s: Annotated[Seconds | None, Col("elapsed", help="wall time of a program")]
    core_hz: Annotated[PerS | None, Col("clock of the cores", help="cycles / CPU time")]
    clock_step_s: Annotated[
        Seconds | None, Col("step of its clock", help="step of the tool's clock, as the tool reports it")
    ]
    timed_s: Annotated[Seconds | None, Col("one timing", help="one timing")]
    single_s: Annotated[Seconds | None, Col("a single time", help="a time that was measured once")]
    origin: Annotated[str, Col("origin", help="`imported`")]


class Imported:
    """One row for each row of [another tool's](cli.md#import) output; null: the output does not contain it."""

    name: ClassVar[str] = "imported"
    title: ClassVar[str] = "Imported"
    asked: ClassVar[Asked] = Asked(
        question="How much bandwidth did it print?",
        answers=("imported_most",),
        keys={"imported_most": "most bandwidth"},
    )
    topics: ClassVar[tuple[str, ...]] = ()  # of another machine
    keys: ClassVar[tuple[str, ...]] = ("test", "setting", "threads", "delay_cycles")
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"), Main("latency_s", less_is_better=True))
    row: ClassVar[type[ImportedRow]] = ImportedRow
    says: ClassVar[dict[str, str]] = {
        "imported_most": "the most bandwidth that the other tool printed",
    }

    def rows(self, run: Run) -> list[ImportedRow]:
        return [_row(run, reading) for reading in run.result.readings]

    def insights(self, run: Run, rows: list[ImportedRow]) -> list[Insight]:
        del rows
        return list(_most(run.result.readings, run.result.origin_by))


def setting(reading: Reading) -> str:
    """Return 'stride 64, mode W9'."""
    own = _own(reading)
    told = {key: value for key, value in reading.labels.items() if key not in own and value is not None}
    return ", ".join(f"{key} {value}" for key, value in told.items())


def _own(reading: Reading) -> dict[str, Label]:
    return {key: reading.labels[key] for key in OWN if real(reading.labels.get(key)) is not None}


def _row(run: Run, reading: Reading) -> ImportedRow:
    """Return the row; what an importer keeps for the audit alone, such as a number printed twice, has no column."""
    numbers: Flat = {name: value.value for name, value in reading.values.items()}
    words: Flat = {"tool": run.result.origin_by, "test": reading.test, "setting": setting(reading)}
    return unflat(ImportedRow, {**_own(reading), **numbers, **words, "origin": run.result.origin})


def _most(readings: tuple[Reading, ...], by: str) -> Iterator[Insight]:
    """Yield the row with the most bandwidth, if there is one."""
    known = [(reading, found) for reading in readings if (found := reading.values.get("bandwidth_bytes_per_s"))]
    if known:
        best, most = max(known, key=lambda one: one[1].value)
        text = f"{by}: highest bandwidth {most.said or show_rate(most.value)}, {best.test}"
        yield Insight(name="imported_most", text=text, value=most.value, unit="B/s")


tables.add(Imported())
