"""The properties of an emulated tier, as asked for and as measured before the first experiment on it.

    off = achieved / asked - 1        [1]

A latency above its floor means that the memory below is slower than the tier should be. A bandwidth below its ceiling
means that the threads or the memory below cannot reach it. The warning is in the record (run/doubts.py).
Blind to all that a floor and a ceiling leave out: `docs/how-to/emulated-tier.md` lists it.
"""

from typing import Annotated, ClassVar

from tierscope.record.result import GroupFacts, Record, Run
from tierscope.stats.median import Interval
from tierscope.stats.point import Point
from tierscope.tables import Insight, JudgedRow, Main, tables
from tierscope.tables.measured import closing, measured, records
from tierscope.tables.rows import Bandwidth, BytesPerS, Col, Ratio, Seconds, Size, Time
from tierscope.tables.usual import Threads

OFF = 0.05  # a tier that is off by more gets a warning


class EmulationRow(JudgedRow, frozen=True, kw_only=True):
    """A probe of an emulated tier, of its latency or its bandwidth."""

    quantity: Annotated[str, Col("quantity", help="`latency` or `bandwidth`; the other one's keys are null")]
    threads: Threads
    asked_latency_s: Annotated[Seconds | None, Col("floor asked for", help="the floor")]
    latency: Annotated[Time | None, Col("latency", help="median time of one dependent access")]
    asked_bytes_per_s: Annotated[BytesPerS | None, Col("ceiling asked for", help="the ceiling")]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="median program bytes of all threads")]
    off: Annotated[
        Ratio | None, Col("off by", help="achieved over requested, less 1; beyond 0.05 the record has a warning")
    ]
    kernel: Annotated[str, Col("kernel", help="`chase`, `read`")]
    footprint_bytes: Annotated[Size, Col("footprint", help="bytes visited")]
    target: Annotated[str, Col("target", help="such as `emu:latency=350ns,bandwidth=8GB/s`", tier=True)]
    origin_by: Annotated[str, Col("emulated by", help="such as `DRAM of node 0, floor 350 ns, ceiling 8 GB/s`")]


class Emulation:
    """One row for each [emulated tier](../how-to/emulated-tier.md) and quantity, from the probes before its first
    experiment.

    Bandwidth has one row for each larger number of threads.
    """

    name: ClassVar[str] = "emulation"
    title: ClassVar[str] = "Emulated tiers"
    keys: ClassVar[tuple[str, ...]] = ("quantity", "threads", "kernel", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("latency_s", less_is_better=True), Main("bandwidth_bytes_per_s"))
    row: ClassVar[type[EmulationRow]] = EmulationRow

    def rows(self, run: Run) -> list[EmulationRow]:
        return [_row(record, measured(run, record)) for record in records(run, self.name)]

    def insights(self, run: Run, rows: list[EmulationRow]) -> list[Insight]:
        """Return none: a tier that is off has a warning, and others have nothing to report."""
        del run, rows
        return []


def quantities(facts: GroupFacts, point: Point) -> tuple[str, float, Interval]:
    """Return ("latency" or "bandwidth", what was asked, what was achieved) of a probe."""
    rate = point.groups[0].interval
    if facts.operation == "hop":
        return "latency", facts.latency_floor_s, rate.inverse()
    return "bandwidth", facts.ceiling_bytes_per_s, rate.times(facts.program_bytes_per_operation)


def _row(record: Record, point: Point) -> EmulationRow:
    facts = record.groups[0]
    quantity, asked, achieved = quantities(facts, point)
    slow = quantity == "latency"
    return EmulationRow(
        quantity=quantity,
        threads=len(facts.cpus),
        asked_latency_s=asked if slow else None,
        latency=achieved if slow else None,
        asked_bytes_per_s=None if slow else asked,
        bandwidth=None if slow else achieved,
        off=achieved.middle / asked - 1 if asked > 0 else None,
        kernel=facts.kernel,
        footprint_bytes=facts.footprint_bytes,
        target=facts.target,
        origin_by=facts.origin_by,
        **closing(record, point),
    )


tables.add(Emulation())
