"""Content of runs made up row by row, for the top of a page: a machine, its rows, and its findings."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from made import Maker
from tierscope.audit import examine
from tierscope.record.machine import Machine
from tierscope.record.result import Finding, Run
from tierscope.report.content import Content, Section
from tierscope.stats.median import Interval
from tierscope.suites.latency.row import LatencyRow
from tierscope.suites.loaded_latency.row import LoadedLatencyRow
from tierscope.suites.sharing.row import SharingRow
from tierscope.suites.stream.table import StreamRow
from tierscope.tables import Row, flat, tables
from tierscope.units import GiB, KiB, MiB

WIDTH = 0.01  # half of each interval over its number


def about(value: float, half: float = WIDTH) -> Interval:
    return Interval(value * (1 - half), value, value * (1 + half), 100)


def verdict(sure: bool = True, why: str = "the machine is busy") -> dict[str, Any]:
    reasons = () if sure else (why,)
    return {"conclusive": sure, "reasons": reasons, "blocks": 100, "left_out_share": 0.01, "origin": "real"}


def speed(
    kernel: str, threads: int, gb: float, *, target: str = "node:0", peak: float | None = None, sure: bool = True
) -> StreamRow:
    """A kernel, its program bytes, and the bytes of its bus."""
    bus = gb * 1e9 * (1.5 if kernel in ("copy", "triad") else 1.0)
    return StreamRow(
        kernel=kernel, threads=threads, target=target, footprint_bytes=1 * GiB, bandwidth=about(gb * 1e9),
        best_bytes_per_s=gb * 1e9, average_bytes_per_s=gb * 1e9, worst_bytes_per_s=gb * 1e9, bus_bytes_per_s=bus,
        peak_share=bus / peak if peak else None, isa="avx2",
        store="none" if kernel == "read" else "nt" if kernel.endswith("_nt") else "plain",
        call_bytes=None, streams=1, unroll=1, prefetch_bytes=0, prefetchw_bytes=0, interleave_bytes=0,
        page_bytes=2 * MiB, **verdict(sure),
    )  # fmt: skip


def wait(size: int, ns: float, *, page: int = 2 * MiB, target: str = "node:0", sure: bool = True) -> LatencyRow:
    return LatencyRow(
        footprint_bytes=size, page_bytes=page, latency=about(ns / 1e9), probe="cycle", order="global",
        locality_bytes=0, element_bytes=64, target=target, pages="thp", **verdict(sure),
    )  # fmt: skip


def stairs(
    steps: Sequence[tuple[int, float]], memory_ns: float, most: int = 512 * MiB, *, target: str = "node:0",
    sure: bool = True,
) -> list[LatencyRow]:  # fmt: skip
    """Rows over footprints, twice in each octave. steps: (capacity in bytes, latency within it in ns)."""
    sizes = sorted({int(4 * KiB * 2 ** (i / 2)) // 4096 * 4096 for i in range(1, 40)} - {0})
    rows = []
    for size in (one for one in sizes if one <= most):
        fits = [ns for capacity, ns in steps if size <= capacity]
        rows.append(wait(size, fits[0] if fits else memory_ns, target=target, sure=sure))
    return [*rows, wait(most, memory_ns, target=target, sure=sure)] if rows[-1].footprint_bytes != most else rows


def load(
    gb: float, ns: float, over: float | None, *, threads: int = 1, target: str = "node:0", sure: bool = True
) -> LoadedLatencyRow:
    """One load of reads; over: latency over idle."""
    return LoadedLatencyRow(
        read_share=1.0, store="none", delay_cycles=0, load_threads=threads, bandwidth=about(gb * 1e9),
        latency=about(ns / 1e9), over_idle=about(over) if over else None, idle=about(ns / 1e9 / over) if over else None,
        stride_bytes=64, order="random", load_stride_bytes=64, load_order="sequential", kernel="read", target=target,
        chaser_node=0, load_target=target, load_nodes="0", chaser_bytes_per_s=1e9, bus_bytes_per_s=gb * 1e9,
        **verdict(sure),
    )  # fmt: skip


def pair(core: str, path: str, *, gain: float = 1.0, slowdown: float = 1.0) -> SharingRow:
    return SharingRow(
        a_cpu=0, b_cpu=1, moment=0, at="2026-01-02T03:04:05Z", listed="own", core=core, slowdown=about(slowdown),
        path=path, gain=about(gain), bandwidth=about(20e9), core_kernel="busy", kernel="write_nt", target="node:0",
        **verdict(),
    )  # fmt: skip


def content_of(
    folder: Path, machine: Machine, rows: dict[str, Iterable[Row]], findings: tuple[Finding, ...] = ()
) -> Content:
    """Return what a report would gather; the insights are those that the tables draw from the rows."""
    folder.mkdir(parents=True, exist_ok=True)
    made = Maker(folder).save(machine=machine)
    run = Run(path=made.path, result=msgspec.structs.replace(made.result, findings=findings, complete=True))
    sections = {}
    for name, typed in rows.items():
        own = list(typed)
        said = tables[name].insights(run, own)
        flats = [flat(row) for row in own]
        sections[name] = Section(name, tables[name].title, tables[name].columns, flats, own, said, ())
    return Content(run, sections, (), examine([]))
