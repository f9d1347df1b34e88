"""The rate of the whole machine: all nodes at the same time, each on its own memory, for each mix of reads and writes.

    bandwidth of a node = median of its rate while all nodes are at work * program bytes per operation     [bytes/s]
    bandwidth of all    = median of the sum over the nodes at the same moments (`tables.totals`)           [bytes/s]
    over alone          = bandwidth / that of the node alone; of all: / the sum of the nodes alone         [1]

Nodes that share nothing have 1. Below it, something is shared: power, clocks, a link, or a memory controller.
On a machine with one node, the node alone is all. Blind to remote memory: `numa` has it, one initiator at a time.
Source: Intel, "Memory Latency Checker" user guide (peak injection bandwidth).
"""

import math
from typing import ClassVar

from tierscope.record.result import GroupFacts, Record, Run
from tierscope.stats.median import Interval
from tierscope.suites.numa.injected import said
from tierscope.suites.numa.labels import InjectionLabels
from tierscope.suites.numa.row import InjectionRow
from tierscope.tables import Audited, Insight, Main, tables
from tierscope.tables.joined import joined
from tierscope.tables.measured import measured, page_bytes, quotient, records
from tierscope.tables.totals import coverage, total

ALL = "all"


class Injection:
    """One row for each kernel and node while all nodes are at work, and one for the whole machine.

    A row joins its nodes' experiments alone and the one of all: `conclusive` if each is.
    """

    name: ClassVar[str] = "injection"
    title: ClassVar[str] = "All nodes at the same time, each on its own memory"
    audited: ClassVar[Audited] = Audited()
    keys: ClassVar[tuple[str, ...]] = ("kernel", "node")
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"),)
    row: ClassVar[type[InjectionRow]] = InjectionRow
    says: ClassVar[dict[str, str]] = {
        "machine": "the most program bytes per second that all nodes moved at the same time, of all kernels",
        "shared KERNEL": "bandwidth of all nodes at the same time over the sum of the nodes alone, where it is below 1",
    }

    def rows(self, run: Run) -> list[InjectionRow]:
        cells: dict[str, dict[str, Record]] = {}
        for record in records(run, self.name):
            labels = InjectionLabels.read(record.experiment)
            what = ALL if labels.what == "together" else str(labels.node)
            cells.setdefault(labels.kernel, {})[what] = record
        return [row for kernel, cell in cells.items() for row in _rows(run, kernel, cell)]

    def insights(self, run: Run, rows: list[InjectionRow]) -> list[Insight]:
        del run
        return said(rows)


def _rows(run: Run, kernel: str, cell: dict[str, Record]) -> list[InjectionRow]:
    """Return the rows of a kernel: its nodes while all are at work, then all; of one node, all alone."""
    alone = {node: _rate(run, record, 0) for node, record in cell.items() if node != ALL}
    record = cell.get(ALL)
    if record is None:
        if len(alone) != 1:
            return []  # a run that ended before all nodes were at work
        ((node, only),) = ((node, cell[node]) for node in alone)
        return [_row(run, kernel, ALL, {node: only}, only.groups, (alone[node], None))]
    rows = []
    for place, group in enumerate(record.experiment.groups):
        node = group.role.removeprefix("node ")
        base = alone.get(node)
        found = {what: one for what, one in cell.items() if what in (node, ALL)}
        rows.append(_row(run, kernel, node, found, record.groups[place : place + 1], (_rate(run, record, place), base)))
    return [*rows, _row(run, kernel, ALL, cell, record.groups, (total(run, record), _sum(list(alone.values()))))]


def _rate(run: Run, record: Record, place: int) -> Interval:
    return measured(run, record).groups[place].interval.times(record.groups[place].program_bytes_per_operation)


def _sum(parts: list[Interval]) -> Interval | None:
    """Return the sum of numbers that were measured apart: their errors are independent."""
    if not parts:
        return None
    middle = sum(one.middle for one in parts)
    low, high = (math.hypot(*(getattr(one, end) - one.middle for one in parts)) for end in ("low", "high"))
    return Interval(middle - low, middle, middle + high, min(one.count for one in parts))


def _row(
    run: Run,
    kernel: str,
    node: str,
    cell: dict[str, Record],
    groups: tuple[GroupFacts, ...],
    rates: tuple[Interval, Interval | None],
) -> InjectionRow:
    """Return a row. rates: while all are at work, and alone."""
    bandwidth, alone = rates
    facts, peak, every = groups[0], run.result.machine.peak_bytes_per_s, node == ALL
    bus = None
    if facts.bus_bytes_per_operation is not None and facts.program_bytes_per_operation:
        bus = bandwidth.middle * facts.bus_bytes_per_operation / facts.program_bytes_per_operation
    together = cell.get(ALL)
    known, there = sum(sum(one.nodes.values()) for one in groups), sum(map(_on_target, groups))
    return InjectionRow(
        kernel=kernel,
        node=node,
        bandwidth=bandwidth,
        alone=alone,
        over_alone=quotient(alone, bandwidth) if alone and alone.middle > 0 else None,
        bus_bytes_per_s=bus,
        peak_share=bus / peak if every and bus is not None and peak else None,
        read_share=InjectionLabels.read(next(iter(cell.values())).experiment).read_share,
        store=facts.store,
        coverage=coverage(run, together) if together else None,
        threads=sum(len(one.cpus) for one in groups),
        on_target_share=there / known if known else None,
        footprint_bytes=sum(one.footprint_bytes for one in groups),
        page_bytes=page_bytes(facts),
        **joined(run, {_name(what): record for what, record in cell.items()}),
    )


def _name(what: str) -> str:
    return "all together" if what == ALL else f"node {what} alone"


def _on_target(facts: GroupFacts) -> int:
    return facts.nodes.get(facts.target.removeprefix("node:"), 0)


tables.add(Injection())
