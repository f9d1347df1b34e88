"""Idle latency over footprint: the staircase of caches, TLBs and memory.

    latency = 1 / median rate of dependent accesses of one thread     [s]

`order` is the order in which a pass visits the lines: "global" over the whole footprint, "page" within one page after
another, "pair" over both lines of a pair one after the other. "window" visits one eighth of the footprint after
another, and "block" 16 lines at a time, which are one access then (`fast`). `probe` is "cycle" (each line once per
pass) or "random" (uniform draws).
Blind to the tail: a block's mean hides single slow accesses.
"""

from typing import ClassVar

from tierscope.record.result import Record, Run
from tierscope.record.work.hop import HopWork
from tierscope.suites.latency.findings import said
from tierscope.suites.latency.labels import LatencyLabels
from tierscope.suites.latency.row import LatencyRow
from tierscope.tables import Asked, Audited, Insight, Main, OverTime, tables
from tierscope.tables.measured import closing, measured, page_bytes, records


class Latency:
    """One row for each footprint, page size, probe and order."""

    name: ClassVar[str] = "latency"
    title: ClassVar[str] = "Latency"
    topics: ClassVar[tuple[str, ...]] = ("latency",)
    asked: ClassVar[Asked] = Asked(
        question="What does an access cost?",
        answers=(
            "level_1",
            "level_2",
            "level_3",
            "level_4",
            "effective_cache",
            "kept",
            "page_walk",
            "memory",
            "tlb_miss",
        ),
    )
    place: ClassVar[int] = 20
    over_time: ClassVar[OverTime] = OverTime.FEW
    audited: ClassVar[Audited] = Audited(dependent=True)
    keys: ClassVar[tuple[str, ...]] = ("footprint_bytes", "page_bytes", "probe", "order", "target", "element_bytes")
    main: ClassVar[tuple[Main, ...]] = (Main("latency_s", less_is_better=True),)
    row: ClassVar[type[LatencyRow]] = LatencyRow
    says: ClassVar[dict[str, str]] = {
        "level_N": "capacity of the Nth level that the staircase shows; null where its end is inconclusive",
        "memory": "latency of memory; null where it is inconclusive",
        "effective_cache": "capacity of the last cache before memory; null where it is inconclusive",
        "kept": "time after its last use at which the last cache loses a line to others; absent where passes show none",
        "tlb_hit": "latency with large pages, at the largest footprint that has both",
        "tlb_miss": "latency with 4 KiB pages, at the same footprint",
        "page_walk": "their difference; null, and neither of them there: an emulated floor hides it",
        "adjacent_line_prefetch": "latency of paired lines over that of single ones; under 0.75 the prefetch "
        "is present; null: an emulated floor hides it",
    }

    def rows(self, run: Run) -> list[LatencyRow]:
        return [_row(run, record) for record in records(run, self.name)]

    def insights(self, run: Run, rows: list[LatencyRow]) -> list[Insight]:
        return said(rows, run.result.machine.identity.caches)


def _row(run: Run, record: Record) -> LatencyRow:
    point, facts, group = measured(run, record), record.groups[0], record.experiment.groups[0]
    labels, work = LatencyLabels.read(record.experiment), group.workload.of(HopWork)
    return LatencyRow(
        footprint_bytes=facts.footprint_bytes,
        page_bytes=page_bytes(facts),
        latency=point.groups[0].interval.inverse(),
        probe=labels.probe,
        order=labels.order,
        locality_bytes=work.locality_bytes,
        element_bytes=work.element_bytes,
        target=facts.target,
        pages=group.target.pages,
        **closing(record, point),
    )


tables.add(Latency())
