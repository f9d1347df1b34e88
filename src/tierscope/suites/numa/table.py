"""Latency and bandwidth from each node with CPUs (the initiator) to each node with memory (the target).

    latency   = 1 / median rate of dependent accesses of one CPU of the initiator     [s]
    bandwidth = median rate of all CPUs of the initiator * program bytes              [bytes/s]
    ratio     = either over that of the same initiator's local cell

Local is the initiator's own node. If that was not measured or has no memory, it is the nearest by the firmware's
distance.
The firmware's values (HMAT) are next to the measured ones where Linux provides them, that is for the initiators that
reach a target best; they are rated, not measured.
There is a row for each kernel; its latency is that of the initiator and target, for every kernel.
Latency under load is that of the chaser with the other CPUs of the initiator, at another time than the idle one.
Blind to traffic of several initiators at the same time (`table_injection`), and to where in a node its memory is.
"""

from typing import ClassVar

from msgspec.structs import replace

from tierscope.record.labels import present
from tierscope.record.machine import Machine
from tierscope.record.result import GroupFacts, Record, Run
from tierscope.stats.median import Interval
from tierscope.suites.numa.findings import said
from tierscope.suites.numa.labels import NumaLabels
from tierscope.suites.numa.row import NumaRow
from tierscope.tables import Asked, Insight, Main, tables
from tierscope.tables.joined import joined
from tierscope.tables.measured import measured, page_bytes, records
from tierscope.units import LINE_BYTES

Cell = dict[str, Record]


class Numa:
    """One row for each initiator (a node with CPUs), target (a node with memory) and kernel.

    It joins two or three experiments: `conclusive` if each is; `blocks` are those of all.
    """

    name: ClassVar[str] = "numa"
    title: ClassVar[str] = "NUMA nodes"
    asked: ClassVar[Asked] = Asked(
        question="What does remote memory cost?",
        answers=("remote", "memory_only", "local", "placement"),
        keys={
            "local": "latency of own memory",
            "remote": "{} of remote over local memory",
            "memory_only": "latency of node {} over own memory",
        },
    )
    keys: ClassVar[tuple[str, ...]] = ("initiator", "target", "kernel", "page_bytes")
    main: ClassVar[tuple[Main, ...]] = (Main("latency_s", less_is_better=True),)
    row: ClassVar[type[NumaRow]] = NumaRow
    says: ClassVar[dict[str, str]] = {
        "local": "latency of own memory: median over the nodes; low and high are their range",
        "remote WHAT": "latency, or bandwidth, of the farthest node with CPUs over own memory",
        "memory_only NODE": "latency of a node without CPUs over own memory, from its nearest initiator",
        "reported WHAT A B": "measured over reported, where they are more than 1.25 times apart",
        "placement": "smallest share of a cell's bytes that were on its target, if some were elsewhere",
    }

    def rows(self, run: Run) -> list[NumaRow]:
        rows = [_row(run, *key[:2], cell) for key, cell in _cells(run).items()]
        return [_beside(row, local_of(run.result.machine, rows, row)) for row in rows]

    def insights(self, run: Run, rows: list[NumaRow]) -> list[Insight]:
        del run
        return said(rows)


def _cells(run: Run) -> dict[tuple[int, int, str], Cell]:
    """Return the experiments of each initiator, target and kernel; "" where there is no bandwidth yet."""
    waits: dict[tuple[int, int], Cell] = {}
    cells: dict[tuple[int, int, str], Cell] = {}
    for record in records(run, Numa.name):
        labels = NumaLabels.read(record.experiment)
        place, what = (labels.initiator, labels.target), labels.what
        if what == "latency":
            waits[place] = {what: record}
        else:
            kernel = present(labels.kernel) or record.groups[0].kernel
            cells.setdefault((*place, kernel), dict(waits.get(place, {})))[what] = record
    measured_ones = {key[:2] for key in cells}
    return cells | {(*place, ""): cell for place, cell in waits.items() if place not in measured_ones}


def _row(run: Run, initiator: int, target: int, cell: Cell) -> NumaRow:
    machine = run.result.machine
    node = next((node for node in machine.identity.nodes if node.number == target), None)
    wait, speed, loaded = (cell.get(what) for what in ("latency", "bandwidth", "loaded"))
    facts = speed.groups[0] if speed else None
    reported = node.reported if node and initiator in node.initiators else {}
    return NumaRow(
        initiator=initiator,
        target=target,
        latency=_rate(run, wait).inverse() if wait else None,
        latency_ratio=None,
        loaded_latency=_rate(run, loaded).inverse() if loaded else None,
        bandwidth=_rate(run, speed).times(facts.program_bytes_per_operation) if speed and facts else None,
        bandwidth_ratio=None,
        distance=machine.distance(initiator, target),
        cpus=len(node.cpus) if node else 0,
        reported_latency_s=reported.get("read_latency_s"),
        reported_bandwidth_bytes_per_s=reported.get(f"{_direction(facts)}_bandwidth_bytes_per_s"),
        on_target_share=_share_on(target, [facts for record in cell.values() for facts in record.groups]),
        kernel=facts.kernel if facts else None,
        threads=len(facts.cpus) if facts else None,
        footprint_bytes=facts.footprint_bytes if facts else None,
        page_bytes=page_bytes(facts) if facts else None,
        **joined(run, cell),
    )


def _rate(run: Run, record: Record) -> Interval:
    return measured(run, record).groups[0].interval


def _direction(facts: GroupFacts | None) -> str:
    """Return 'write' if the kernel only stores, else 'read': the direction of the firmware's bandwidth."""
    stores = facts is not None and facts.store != "none" and facts.program_bytes_per_operation == LINE_BYTES
    return "write" if stores else "read"


def _share_on(target: int, groups: list[GroupFacts]) -> float | None:
    """Return the share of bytes on the target, of those with a known node; None if no node is known."""
    total = sum(sum(facts.nodes.values()) for facts in groups)
    return sum(facts.nodes.get(str(target), 0) for facts in groups) / total if total else None


def local_of(machine: Machine, rows: list[NumaRow], row: NumaRow) -> NumaRow:
    """Return the row that `row` is compared with: the own node of its initiator, or the nearest that was measured."""
    mine = {one.target: one for one in rows if (one.initiator, one.kernel) == (row.initiator, row.kernel)}
    return mine[machine.nearest_memory(row.initiator, tuple(mine))]


def _beside(row: NumaRow, local: NumaRow) -> NumaRow:
    return replace(
        row,
        latency_ratio=_ratio(row.latency, local.latency),
        bandwidth_ratio=_ratio(row.bandwidth, local.bandwidth),
    )


def _ratio(found: Interval | None, base: Interval | None) -> float | None:
    return found.middle / base.middle if found and base and base.middle > 0 else None


tables.add(Numa())
