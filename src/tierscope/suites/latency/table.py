"""Idle latency over footprint: the staircase of caches, TLBs and memory.

    latency = 1 / median rate of dependent accesses of one thread     [s]

`order` says how a walk goes through the lines: "global" over the whole footprint, "page" within one page after
another, "pair" over both lines of 128 bytes one after the other. `probe` is "cycle" (each line once per walk) or
"random" (uniform draws). What the rows say in words stands in `latency_words`.
Blind to the tail: a block's mean hides single slow accesses.
"""

from typing import ClassVar

from tierscope.record.result import Record, Run
from tierscope.suites.latency.findings import said
from tierscope.tables import Audited, Column, Insight, Main, Row, tables
from tierscope.tables.measured import CLOSING, bounds, closing, measured, page_bytes, records


class Latency:
    """One row per footprint, page size, probe and order."""

    name: ClassVar[str] = "latency"
    title: ClassVar[str] = "Latency"
    topics: ClassVar[tuple[str, ...]] = ("latency",)
    place: ClassVar[int] = 20
    audited: ClassVar[Audited] = Audited(dependent=True)
    keys: ClassVar[tuple[str, ...]] = ("footprint_bytes", "page_bytes", "probe", "order", "target", "element_bytes")
    main: ClassVar[tuple[Main, ...]] = (Main("latency_s", less_is_better=True),)
    columns: ClassVar[tuple[Column, ...]] = (
        Column("footprint_bytes", "footprint", "B"),
        Column("page_bytes", "pages", "B"),
        Column("latency_s", "latency", "s"),
        Column("latency_low", "low", "s"),
        Column("latency_high", "high", "s"),
        Column("probe", "probe", ""),
        Column("order", "order", ""),
        Column("locality_bytes", "locality", "B"),
        Column("element_bytes", "element", "B"),
        Column("target", "target", "", tier=True),
        Column("pages", "pages asked for", ""),
        *CLOSING,
    )

    def rows(self, run: Run) -> list[Row]:
        return [_row(run, record) for record in records(run, self.name)]

    def insights(self, run: Run, rows: list[Row]) -> list[Insight]:
        return said(rows, run.result.machine.identity.caches)


def _row(run: Run, record: Record) -> Row:
    point, facts, group = measured(run, record), record.groups[0], record.experiment.groups[0]
    labels = record.experiment.labels
    return {
        "footprint_bytes": facts.footprint_bytes,
        "page_bytes": page_bytes(facts),
        **bounds("latency", "s", point.groups[0].interval.inverse()),
        "probe": labels.get("probe", "cycle"),
        "order": labels.get("order", "global"),
        "locality_bytes": group.workload.locality_bytes,
        "element_bytes": group.workload.element_bytes,
        "target": facts.target,
        "pages": group.target.pages,
        **closing(record, point),
    }


tables.add(Latency())
