"""Latency and bandwidth from each node with CPUs (the initiator) to each node with memory (the target).

    latency   = 1 / median rate of dependent accesses of one CPU of the initiator     [s]
    bandwidth = median rate of all CPUs of the initiator * program bytes              [bytes/s]
    ratio     = either over that of the same initiator's local cell

Local is the initiator's own node; where that was not measured or has no memory, the nearest by the firmware's distance.
What the firmware reports (HMAT) stands beside it where Linux gives it, that is for the initiators that reach a target
best; it is rated, not measured. What the rows say in words stands in `numa_words`.
Blind to traffic of several initiators at once, and to where in a node its memory lies.
"""

from typing import Annotated, ClassVar

from tierscope.record.experiment import real
from tierscope.record.machine import Machine, Node
from tierscope.record.origin import strongest
from tierscope.record.result import GroupFacts, Record, Run
from tierscope.stats.point import Point
from tierscope.suites.numa.findings import said
from tierscope.tables import Flat, Insight, JudgedRow, Main, tables
from tierscope.tables.measured import bounds, closing_flat, measured, number, page_bytes, records
from tierscope.tables.rows import Bandwidth, BytesPerS, Col, Count, Ratio, Seconds, Size, Time
from tierscope.units import LINE_BYTES

Cell = dict[str, Record]


class NumaRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `numa`."""

    initiator: Annotated[str, Col("initiator", help="node whose CPUs ask")]
    target: Annotated[str, Col("target", help="node whose memory answers", tier=True)]
    latency: Annotated[
        Time | None, Col("latency", help="median time of one dependent access of one CPU, the machine being idle")
    ]
    latency_ratio: Annotated[
        Ratio, Col("over local", help="over the initiator's own node, or the nearest that was measured")
    ]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="median program bytes of all CPUs of the initiator")]
    bandwidth_ratio: Annotated[
        Ratio, Col("over local", help="over the initiator's own node, or the nearest that was measured")
    ]
    distance: Annotated[
        Count | None,
        Col("distance", help="as the firmware reports it (SLIT): 10 is a node to itself; null if it does not"),
    ]
    cpus: Annotated[Count, Col("CPUs of the target", help="CPUs of the target; 0: memory alone, such as CXL")]
    reported_latency_s: Annotated[
        Seconds | None,
        Col(
            "reported latency", help="of reads, as the firmware reports it (HMAT); null for initiators without a report"
        ),
    ]
    reported_bandwidth_bytes_per_s: Annotated[
        BytesPerS | None,
        Col(
            "reported bandwidth",
            help="of reads, or of writes if the kernel only writes, as the firmware reports it (HMAT)",
        ),
    ]
    on_target_share: Annotated[
        Ratio | None,
        Col(
            "on the target",
            help=(
                "share of the bytes of both experiments that were found on the target; null if it could not be verified"
            ),
        ),
    ]
    kernel: Annotated[str, Col("kernel", help="of the bandwidth")]
    threads: Annotated[Count, Col("threads", help="of the bandwidth")]
    footprint_bytes: Annotated[Size, Col("footprint", help="of the bandwidth, all arrays together")]
    page_bytes: Annotated[Size, Col("pages", help="page size of most of these bytes, as verified")]


class Numa:
    """One row for each initiator (a node with CPUs) and target (a node with memory).

    It joins two experiments: `conclusive` if both are; `blocks` are those of both.
    """

    name: ClassVar[str] = "numa"
    title: ClassVar[str] = "NUMA nodes"
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

    def rows(self, run: Run) -> list[Flat]:
        cells: dict[tuple[int, int], Cell] = {}
        for record in records(run, self.name):
            labels = record.experiment.labels
            key = int(labels["initiator"] or 0), int(labels["target"] or 0)
            cells.setdefault(key, {})[str(labels["what"])] = record
        rows = [_row(run, initiator, target, cell) for (initiator, target), cell in cells.items()]
        return [row | _ratios(row, local_of(run.result.machine, rows, row)) for row in rows]

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        del run
        return said(rows)


def _row(run: Run, initiator: int, target: int, cell: Cell) -> Flat:
    machine = run.result.machine
    node = next((node for node in machine.identity.nodes if node.number == target), None)
    wait, speed = cell.get("latency"), cell.get("bandwidth")
    facts = speed.groups[0] if speed else None
    return {
        "initiator": initiator,
        "target": target,
        **_latency(run, wait),
        "latency_ratio": None,
        **_bandwidth(run, speed),
        "bandwidth_ratio": None,
        "distance": machine.distance(initiator, target),
        "cpus": len(node.cpus) if node else 0,
        **_reported(node, initiator, facts),
        "on_target_share": _share_on(target, [record.groups[0] for record in cell.values()]),
        "kernel": facts.kernel if facts else None,
        "threads": len(facts.cpus) if facts else None,
        "footprint_bytes": facts.footprint_bytes if facts else None,
        "page_bytes": page_bytes(facts) if facts else None,
        **_closing(run, cell),
    }


def _latency(run: Run, record: Record | None) -> Flat:
    if record is None:
        return {"latency_s": None, "latency_low": None, "latency_high": None}
    return bounds("latency", "s", measured(run, record).groups[0].interval.inverse())


def _bandwidth(run: Run, record: Record | None) -> Flat:
    if record is None:
        return {"bandwidth_bytes_per_s": None, "bandwidth_low": None, "bandwidth_high": None}
    rate = measured(run, record).groups[0].interval
    return bounds("bandwidth", "bytes_per_s", rate.times(record.groups[0].program_bytes_per_operation))


def _reported(node: Node | None, initiator: int, facts: GroupFacts | None) -> Flat:
    """Of the initiators that the firmware means; of stores where the kernel does nothing else."""
    known = node.reported if node and initiator in node.initiators else {}
    stores = facts is not None and facts.store != "none" and facts.program_bytes_per_operation == LINE_BYTES
    return {
        "reported_latency_s": known.get("read_latency_s"),
        "reported_bandwidth_bytes_per_s": known.get(f"{'write' if stores else 'read'}_bandwidth_bytes_per_s"),
    }


def _share_on(target: int, groups: list[GroupFacts]) -> float | None:
    """Of the bytes whose node is known, those on the target; None where no one could tell."""
    total = sum(sum(facts.nodes.values()) for facts in groups)
    return sum(facts.nodes.get(str(target), 0) for facts in groups) / total if total else None


def _closing(run: Run, cell: Cell) -> Flat:
    """Of both records: conclusive if both are, each reason with what it is of."""
    ends = {what: closing_flat(record, measured(run, record)) for what, record in cell.items()}
    points: dict[str, Point] = {what: measured(run, record) for what, record in cell.items()}
    return {
        "conclusive": all(end["conclusive"] for end in ends.values()),
        "reasons": "; ".join(f"{what}: {end['reasons']}" for what, end in ends.items() if end["reasons"]),
        "blocks": sum(record.blocks for record in cell.values()),
        "left_out_share": max(point.together.left_out_share for point in points.values()),
        "origin": strongest(str(end["origin"]) for end in ends.values()),
    }


def local_of(machine: Machine, rows: list[Flat], row: Flat) -> Flat:
    """The row that `row` is compared with: the same initiator's own node, or the nearest that was measured."""
    mine = {int(one["target"] or 0): one for one in rows if one["initiator"] == row["initiator"]}
    return mine[machine.nearest_memory(int(row["initiator"] or 0), tuple(mine))]


def _ratios(row: Flat, local: Flat) -> Flat:
    def ratio(key: str) -> float | None:
        value, base = real(row[key]), real(local[key])
        return number(value / base) if value is not None and base is not None and base > 0 else None

    return {"latency_ratio": ratio("latency_s"), "bandwidth_ratio": ratio("bandwidth_bytes_per_s")}


tables.add(Numa())
