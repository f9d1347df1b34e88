"""Near and far memory: idle latency and bandwidth of each alone, their ratio, and what the firmware promises.

    latency   = 1 / median rate of dependent accesses of one CPU, from the curve's first point     [s]
    bandwidth = median program bytes of all CPUs on this memory alone                              [bytes/s]

Both come from records of other tables: `loaded_latency` and `page_ratio`. A report of the firmware (HMAT) applies to
the best initiators of a memory, so it is compared only if the CPUs are of such a node.
"""

from typing import ClassVar

from tierscope.record.machine import Machine
from tierscope.record.result import Record, Run
from tierscope.stats.median import Interval
from tierscope.suites.cxl.labels import PagesLabels
from tierscope.suites.cxl.promise import found_of
from tierscope.suites.cxl.row import FarMemoryRow
from tierscope.tables import Asked, Insight, Main, tables
from tierscope.tables.in_cache import small_arrays
from tierscope.tables.joined import joined
from tierscope.tables.measured import Closing, measured, quotient, records


class FarMemory:
    """One row for each memory, near and far."""

    name: ClassVar[str] = "far_memory"
    title: ClassVar[str] = "Near and far memory"
    place: ClassVar[int] = 28
    asked: ClassVar[Asked] = Asked(
        question="What does far memory cost?",
        answers=("far_latency", "promise"),
        keys={"far_latency": "latency of far over near", "far_bandwidth": "bandwidth of far over near"},
        leads=True,
    )
    keys: ClassVar[tuple[str, ...]] = ("memory", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("latency_s", less_is_better=True),)
    row: ClassVar[type[FarMemoryRow]] = FarMemoryRow
    says: ClassVar[dict[str, str]] = {
        "far_latency": "latency of far memory over that of near memory",
        "far_bandwidth": "the same of bandwidth, of each alone",
        "promise WHAT": "measured over reported by the firmware, of far memory",
        "published": "latency of far memory next to published CXL devices",
    }

    def rows(self, run: Run) -> list[FarMemoryRow]:
        pages = records(run, "page_ratio")
        if not pages:
            return []
        labels = PagesLabels.read(pages[0].experiment)
        rows: list[FarMemoryRow] = []
        for memory, target in (("near", labels.near), ("far", labels.far)):
            if cell := _cell(run, memory, target, pages):
                rows.append(_row(run, memory, target, cell, rows[0] if rows else None))
        return rows

    def insights(self, run: Run, rows: list[FarMemoryRow]) -> list[Insight]:
        return found_of(rows, real=run.result.origin == "real") if len(rows) == 2 else []


def _row(run: Run, memory: str, target: str, cell: dict[str, Record], near: FarMemoryRow | None) -> FarMemoryRow:
    alone, team = cell.get("latency"), cell.get("bandwidth")
    wait = measured(run, alone).groups[0].interval.inverse() if alone else None
    facts = team.groups[0] if team else None
    speed = measured(run, team).groups[0].interval.times(facts.program_bytes_per_operation) if team and facts else None
    told = reported(run.result.machine, target, next(iter(cell.values())).groups[0].cpus)
    late, fast = told.get("read_latency_s"), told.get("read_bandwidth_bytes_per_s")
    return FarMemoryRow(
        memory=memory,
        target=target,
        latency=wait,
        latency_over_near=_over(near.latency, wait) if near else None,
        bandwidth=speed,
        bandwidth_over_near=_over(near.bandwidth, speed) if near else None,
        reported_latency_s=late,
        latency_over_reported=wait.middle / late if wait and late else None,
        reported_bandwidth_bytes_per_s=fast,
        bandwidth_over_reported=speed.middle / fast if speed and fast else None,
        **_believed(run, cell),
    )


def _believed(run: Run, cell: dict[str, Record]) -> Closing:
    """Return the verdict of both; inconclusive if arrays fit in the last cache: they do not measure a memory."""
    found = joined(run, cell)
    fits = dict.fromkeys(reason for record in cell.values() for reason in small_arrays(run, record))
    return {**found, "conclusive": False, "reasons": (*found["reasons"], *fits)} if fits else found


def _cell(run: Run, memory: str, target: str, pages: list[Record]) -> dict[str, Record]:
    """Return the records of one memory alone."""
    idle = [
        r for r in records(run, "loaded_latency") if len(r.groups) == 1 and r.experiment.groups[0].target.word == target
    ]
    alone = [record for record in pages if not _other_pages(record, memory)]
    cell = {"latency": idle[0]} if idle else {}
    return cell | ({"bandwidth": alone[0]} if alone else {})


def _other_pages(record: Record, memory: str) -> int:
    labels = PagesLabels.read(record.experiment)
    return labels.far_pages if memory == "near" else labels.near_pages


def reported(machine: Machine, target: str, cpus: tuple[int, ...]) -> dict[str, float]:
    """Return what the firmware reports for a node, if its report applies to the node of these CPUs."""
    name, _, where = target.partition(":")
    near = {cpu.node for cpu in machine.identity.cpus if cpu.number in cpus}
    for node in machine.identity.nodes:
        if name == "node" and str(node.number) == where and near <= set(node.initiators):
            return node.reported
    return {}


def _over(base: Interval | None, found: Interval | None) -> Interval | None:
    return quotient(base, found) if base and found and base.middle > 0 else None


tables.add(FarMemory())
