"""What an emulated tier was asked to be, and what it was: measured before the first experiment on it.

    off = achieved / asked - 1        [1]

A latency above its floor means that the memory below is slower than the tier shall be; a bandwidth below its ceiling,
that the threads or the memory below cannot reach it. The warning stands with the record (run/doubts.py).
Blind to all that a floor and a ceiling leave out: `docs/how-to/emulated-tier.md` lists it.
"""

from typing import ClassVar

from tierscope.record.result import GroupFacts, Record, Run
from tierscope.stats.median import Interval
from tierscope.stats.point import Point
from tierscope.tables import Column, Flat, Insight, Main, tables
from tierscope.tables.measured import CLOSING, bounds, closing_flat, measured, number, records

OFF = 0.05  # a tier that is off by more gets a warning


class Emulation:
    """One row for each [emulated tier](../how-to/emulated-tier.md) and quantity, of the probes before the first
    experiment on it; of bandwidth one for each larger number of threads.
    """

    name: ClassVar[str] = "emulation"
    title: ClassVar[str] = "Emulated tiers"
    keys: ClassVar[tuple[str, ...]] = ("quantity", "threads", "kernel", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("latency_s", less_is_better=True), Main("bandwidth_bytes_per_s"))
    columns: ClassVar[tuple[Column, ...]] = (
        Column("quantity", "quantity", "", help="`latency` or `bandwidth`; the other one's keys are null"),
        Column("threads", "threads", "1", help="one on each CPU"),
        Column("asked_latency_s", "floor asked for", "s", help="the floor"),
        Column("latency_s", "latency", "s", help="median time of one dependent access"),
        Column("latency_low", "low", "s"),
        Column("latency_high", "high", "s"),
        Column("asked_bytes_per_s", "ceiling asked for", "B/s", help="the ceiling"),
        Column("bandwidth_bytes_per_s", "bandwidth", "B/s", help="median program bytes of all threads"),
        Column("bandwidth_low", "low", "B/s"),
        Column("bandwidth_high", "high", "B/s"),
        Column("off", "off by", "1", help="achieved over requested, less 1; beyond 0.05 the record has a warning"),
        Column("kernel", "kernel", "", help="`chase`, `read`"),
        Column("footprint_bytes", "footprint", "B", help="bytes visited"),
        Column("target", "target", "", tier=True, help="as `emu:latency=350ns,bandwidth=8GB/s`"),
        Column("origin_by", "emulated by", "", help="as `DRAM of node 0, floor 350 ns, ceiling 8 GB/s`"),
        *CLOSING,
    )

    def rows(self, run: Run) -> list[Flat]:
        return [_row(record, measured(run, record)) for record in records(run, self.name)]

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        """None: a tier that is off has a warning, and others no news."""
        del run, rows
        return []


def quantities(facts: GroupFacts, point: Point) -> tuple[str, float, Interval]:
    """("latency" or "bandwidth", what was asked, what was achieved) of a probe."""
    rate = point.groups[0].interval
    if facts.operation == "hop":
        return "latency", facts.latency_floor_s, rate.inverse()
    return "bandwidth", facts.ceiling_bytes_per_s, rate.times(facts.program_bytes_per_operation)


def _row(record: Record, point: Point) -> Flat:
    facts = record.groups[0]
    quantity, asked, achieved = quantities(facts, point)
    nothing = Interval(float("nan"), float("nan"), float("nan"), 0)
    slow = quantity == "latency"
    return {
        "quantity": quantity,
        "threads": len(facts.cpus),
        "asked_latency_s": asked if slow else None,
        **bounds("latency", "s", achieved if slow else nothing),
        "asked_bytes_per_s": None if slow else asked,
        **bounds("bandwidth", "bytes_per_s", nothing if slow else achieved),
        "off": number(achieved.middle / asked - 1) if asked > 0 else None,
        "kernel": facts.kernel,
        "footprint_bytes": facts.footprint_bytes,
        "target": facts.target,
        "origin_by": facts.origin_by,
        **closing_flat(record, point),
    }


tables.add(Emulation())
