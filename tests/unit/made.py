"""A Run made from known truth, for tests of tables, figures and formats: no clock, no hardware.

Every rate below follows a stated law, so that a test can compare the tables with what was put in.
"""

from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from made_machine import made_machine
from made_work import plain_work
from tierscope.record import result as results
from tierscope.record.experiment import Experiment, Group, Label, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.program import BIN, bins_of
from tierscope.record.result import (
    Blocks,
    Clock,
    Finding,
    GroupFacts,
    Manifest,
    Record,
    Result,
    Run,
    Software,
    Trial,
    Warn,
)
from tierscope.record.work import Work
from tierscope.record.work.hop import HopWork
from tierscope.record.work.line import LineWork
from tierscope.run.runner import lasted
from tierscope.units import GiB, KiB, MiB

HZ = 2.6e9
BLOCK_S = 1e-3
STARTED = "2026-01-02T03:04:05Z"
LEVELS = ((48 * KiB, 1.25e-9), (2 * MiB, 5e-9), (96 * MiB, 60e-9))  # capacity, latency of a hit
MEMORY_S = 230e-9  # TLB hit
WALK_S = 48e-9  # more with 4 KiB pages
BUDDY = 0.55  # latency of order "pair" over "global": the buddy line comes along

# name: (operands, program bytes, bus bytes per line, store, bytes/s of one thread)
KERNELS: dict[str, tuple[int, float, float, str, float]] = {
    "read": (1, 64, 64, "none", 19.2e9),
    "write": (1, 64, 128, "plain", 11.3e9),
    "write_nt": (1, 64, 64, "nt", 27.1e9),
    "copy": (2, 128, 192, "plain", 14.6e9),
    "copy_nt": (2, 128, 128, "nt", 28.1e9),
    "triad": (3, 192, 256, "plain", 16.3e9),
    "triad_nt": (3, 192, 192, "nt", 26.4e9),
}
OPERATIONS = {"chase": "hop", "handover": "handover", "sleep": "call", "flow": "task", "command": "task",
              "made_map": "key"}  # fmt: skip
"""The work of kernels that do not visit lines."""
SCALING = {1: 1.0, 2: 1.9}
WALK = LineWork(streams=4, unroll=2, prefetch_bytes=512)  # that the calibrations chose
PLAINEST = 0.85  # rate of the plainest walk over the chosen one's
MIXES = ((1.0, "none", 38e9), (0.75, "plain", 34e9), (0.5, "nt", 30e9))  # read share, store, saturation bytes/s
DELAYS = (0, 50, 100, 200, 400, 800, 1600, 6400)
FOOTPRINTS = tuple(int(4 * KiB * 2 ** (half / 2)) // 64 * 64 for half in range(37))  # 4 KiB .. 1 GiB


@dataclass
class Teamwork:
    """The work of one group of a made record: `rates` in operations/s of each thread."""

    rates: tuple[float, ...]
    noise: float = 0.01
    correlation: float = 0.5  # from block to block
    warm_up: int = 0  # first blocks, at half the rate
    cold: int = 0  # blocks after each disturbance and at the start, at a tenth of the rate


def made_blocks(
    work: tuple[Teamwork, ...],
    *,
    seed: int,
    count: int = 100,
    batch: int = 0,
    preempted: float = 0.02,
    block_s: float = BLOCK_S,
    begin_s: float = 1.0,
) -> Blocks:
    """`count` blocks of every thread, one SIZING block before them, in the order of the threads."""
    rng = np.random.default_rng(seed)
    parts = []
    for group, one in enumerate(work):
        for thread, rate in enumerate(one.rates):
            parts.append(_thread(rng, one, rate, count, preempted, block_s, begin_s))
            parts[-1]["group"], parts[-1]["thread"] = group, thread
            parts[-1]["cpu"] = sum(len(before.rates) for before in work[:group]) + thread
    blocks = np.concatenate(parts)
    blocks["batch"] = batch
    return blocks


def _thread(
    rng: np.random.Generator, one: Teamwork, rate: float, count: int, preempted: float, block_s: float, begin_s: float
) -> Blocks:
    steps = rng.normal(0, one.noise * np.sqrt(1 - one.correlation**2), count)
    noise = np.empty(count)
    noise[0] = rng.normal(0, one.noise)
    for i in range(1, count):
        noise[i] = one.correlation * noise[i - 1] + steps[i]
    pace = rate * np.exp(noise)
    pace[: one.warm_up] *= 0.5
    operations = np.maximum(1, np.round(rate * block_s)) * np.ones(count)
    hit = rng.random(count) < preempted
    for first in (0, *np.flatnonzero(hit) + 1) if one.cold else ():
        pace[first : first + one.cold] = rate / 10
    seconds = operations / pace + hit * rng.uniform(1e-3, 8e-3, count)
    sizing_s = 2e-5
    starts = begin_s + rng.uniform(0, 5e-5) + sizing_s + np.concatenate([[0], np.cumsum(seconds + 1e-7)[:-1]])
    blocks = np.zeros(count + 1, dtype=results.BLOCK)
    blocks["start_ticks"][1:] = np.round(starts * HZ)
    blocks["stop_ticks"][1:] = np.round((starts + seconds) * HZ)
    blocks["operations"][1:] = operations
    blocks["flags"][1:] = np.where(hit, results.PREEMPTED, 0)
    blocks["switches"][1:] = hit
    blocks["start_ticks"][0] = round((starts[0] - sizing_s) * HZ)
    blocks["stop_ticks"][0] = blocks["start_ticks"][1] - 100
    blocks["operations"][0] = max(1, round(rate * sizing_s))
    blocks["flags"][0] = results.SIZING
    return blocks


def made_facts(group: Group, **changes: object) -> GroupFacts:
    """Facts that agree with the group; fields given by name replace the guessed ones."""
    _, program, bus, store, _ = KERNELS.get(group.workload.kernel, (1, 64, 64, "none", 0.0))
    lines = group.workload.work if isinstance(group.workload.work, LineWork) else LineWork()
    page = {"4k": 4 * KiB, "thp": 2 * MiB, "2m": 2 * MiB, "1g": GiB}[group.target.pages]
    facts: dict[str, object] = {
        "kernel": group.workload.kernel,
        "isa": group.workload.isa or "avx512",
        "store": store,
        "streams": lines.streams,
        "unroll": lines.unroll,
        "prefetch_bytes": lines.prefetch_bytes,
        "prefetchw_bytes": lines.prefetchw_bytes,
        "interleave_bytes": lines.interleave_bytes,
        "target": group.target.word,
        "origin": "real",
        "cpus": group.team.cpus,
        "footprint_bytes": group.workload.footprint_bytes,
        "pages": {str(page): group.workload.footprint_bytes},
        "nodes": {group.target.where: group.workload.footprint_bytes} if group.target.name == "node" else {},
        "placement": "move_pages: 4096 of 65536 pages",
        "program_bytes_per_operation": float(program),
        "bus_bytes_per_operation": float(bus),
        "operation": OPERATIONS.get(group.workload.kernel, "line"),
    }
    return GroupFacts(**(facts | changes))  # type: ignore[arg-type]


def made_latency_s(footprint: float, pages: str = "thp", order: str = "global") -> float:
    """The staircase put in: hit shares 1 / (1 + (footprint / capacity)^6), random dependent accesses."""
    latency, missing = 0.0, 1.0
    for capacity, hit_s in LEVELS:
        share = 1 / (1 + (footprint / capacity) ** 6)
        latency += missing * share * hit_s
        missing *= 1 - share
    walk = WALK_S / (1 + (8 * MiB / footprint) ** 2) if pages == "4k" else 0.0
    buddy = BUDDY if order == "pair" else 1.0
    return latency + missing * MEMORY_S * buddy + walk * buddy


def made_load(saturation: float, delay: float) -> tuple[float, float]:
    """(bytes/s, chaser's latency in s): an open queue, latency = idle * (1 + 0.1 u / (1.05 - u))."""
    share = 1 / (1 + delay / 300)
    return saturation * share, MEMORY_S * (1 + 0.1 * share / (1.05 - share))


class Maker:
    """Collects records and their samples below one directory."""

    def __init__(self, directory: Path, seed: int = 1995) -> None:
        self.directory, self.seed = directory, seed
        self.records: list[Record] = []

    def add(
        self, table: str, labels: dict[str, Label], groups: tuple[Group, ...], work: tuple[Teamwork, ...],
        count: int = 100, facts: tuple[GroupFacts, ...] = (), preempted: float = 0.02,
        calibration: tuple[Trial, ...] = (),
    ) -> Record:  # fmt: skip
        """One experiment whose groups worked as `work` states."""
        number = len(self.records)
        blocks = made_blocks(work, seed=self.seed + number, count=count, preempted=preempted)
        return self.add_blocks(table, labels, groups, blocks, facts, calibration)

    def add_blocks(
        self, table: str, labels: dict[str, Label], groups: tuple[Group, ...], blocks: Blocks,
        facts: tuple[GroupFacts, ...] = (), calibration: tuple[Trial, ...] = (),
    ) -> Record:  # fmt: skip
        """One experiment with samples made elsewhere."""
        number = len(self.records)
        samples = f"samples/{number:04d}.parquet"
        results.write_blocks(self.directory / samples, blocks)
        record = Record(
            number=number,
            experiment=Experiment(table=table, groups=groups, schedule=Schedule(), labels=labels),
            groups=facts or tuple(made_facts(group) for group in groups),
            clock=Clock(source="tsc", hz=HZ, resolution_s=1 / HZ, read_cost_s=2e-8),
            samples=samples,
            blocks=len(blocks),
            started=STARTED,
            seconds=0.2 + lasted(blocks) / HZ,
            largest_relative_error=0.0,
            calibration=calibration,
        )
        self.records.append(record)
        return record

    def save(self, suite: str = "quick", machine: Machine | None = None) -> Run:
        """Write manifest and result; the run as `load` gives it."""
        software = Software(tierscope="0.1.0", core="0.1.0", compiler="made 1.0", python="3.11")
        finding = Finding(
            name="steal", state="0.7 % of the time stolen", verdict="bad", touches=("stream", "loaded_latency"),
            effect="bandwidth may be low by the share stolen", remedy="run when the host is quiet",
        )  # fmt: skip
        machine = machine or made_machine()
        manifest = Manifest(
            schema=results.SCHEMA, argv=("tierscope", "run", suite), suite=suite, options={"precision": 0.02}, plan="",
            software=software, machine=machine, findings=(finding,), started=STARTED,
        )  # fmt: skip
        result = Result(
            schema=results.SCHEMA, suite=suite, options=manifest.options, origin="real", software=software,
            machine=machine, findings=(finding,), started=STARTED, complete=True,
            records=tuple(self._sealed(record) for record in self.records),
            warnings=(Warn(code="made", message="these numbers were made", next_step="measure"),),
        )  # fmt: skip
        results.save_manifest(self.directory, manifest)
        results.save_result(self.directory, result)
        return results.load(self.directory)

    def _sealed(self, record: Record) -> Record:
        """With the present rows and sums of the samples, because a test may have written others."""
        if record.samples_sha256:  # of a run that was not made here
            return record
        blocks = results.read_blocks(self.directory / record.samples)
        told = msgspec.structs.replace(record, blocks=len(blocks), samples_sha256=results.digest(blocks))
        if record.program is None:
            return told
        bins = results.read_blocks(self.directory / bins_of(record.samples), BIN)
        return msgspec.structs.replace(told, bins=len(bins), bins_sha256=results.digest(bins))


def one_group(
    kernel: str,
    cpus: tuple[int, ...],
    footprint: int,
    pages: str = "thp",
    role: str = "",
    work: Work | None = None,
    pace_cycles: int = 0,
) -> Group:
    """A group on node 0; work: None is the plainest of the kernel."""
    asked = Workload(kernel=kernel, footprint_bytes=footprint, work=work or plain_work(kernel), pace_cycles=pace_cycles)
    return Group(workload=asked, target=Target(pages=pages), team=Team(cpus=cpus), role=role)


def add_stream(maker: Maker, kernels: tuple[str, ...] = tuple(KERNELS)) -> None:
    """Each kernel with 1 and 2 threads, after a calibration in which the plainest walk came second."""
    for kernel in kernels:
        _, program, _, _, rate = KERNELS[kernel]
        for threads, scale in SCALING.items():
            each = rate * scale / threads / program
            cpus = tuple(range(threads))
            group, plainest = one_group(kernel, cpus, 1 * GiB, work=WALK), one_group(kernel, cpus, 1 * GiB)
            trials = (
                Trial(workload=group.workload, operations_per_s=each * threads),
                Trial(workload=plainest.workload, operations_per_s=each * threads * PLAINEST),
            )
            work = Teamwork(rates=(each,) * threads, warm_up=4)
            maker.add("stream", {"kernel": kernel, "threads": threads}, (group,), (work,), calibration=trials)


def add_latency(maker: Maker, footprints: tuple[int, ...] = FOOTPRINTS) -> None:
    """The whole staircase with thp and 4k; order "pair" and the random probe only on the large footprints."""
    large = footprints[-1:]
    for pages in ("thp", "4k"):
        for order, probe, sizes in (("global", "cycle", footprints), ("pair", "cycle", large)):
            for size in sizes:
                hops = HopWork(locality_bytes=128 if order == "pair" else 0)
                group = one_group("chase", (0,), size, pages, work=hops)
                work = Teamwork((1 / made_latency_s(size, pages, order),), noise=0.005)
                maker.add("latency", {"probe": probe, "order": order}, (group,), (work,), count=60)


def add_loaded_latency(maker: Maker) -> None:
    """Three mixes, eight delays, and the idle point of each mix."""
    for share, store, saturation in MIXES:
        for delay in DELAYS:
            bandwidth, latency = made_load(saturation, delay)
            groups = (
                one_group("chase", (0,), 1 * GiB, role="chaser"),
                one_group("mix", (1,), 1 * GiB, role="load", pace_cycles=delay),
            )
            work = (Teamwork((1 / latency,)), Teamwork((bandwidth / 64,)))
            labels: dict[str, Label] = {
                "read_share": share, "store": store, "delay_cycles": delay, "load_threads": 1,
            }  # fmt: skip
            facts = (made_facts(groups[0]), made_facts(groups[1], store=store))
            maker.add("loaded_latency", labels, groups, work, facts=facts)
    idle = one_group("chase", (0,), 1 * GiB, role="chaser")
    labels = {"read_share": 1.0, "store": "none", "delay_cycles": 0, "load_threads": 0}
    maker.add("loaded_latency", labels, (idle,), (Teamwork((1 / MEMORY_S,)),))


def add_groups(maker: Maker) -> None:
    """The user's own experiment: a triad next to a chase."""
    groups = (one_group("triad", (0,), 1 * GiB, role="solver"), one_group("chase", (1,), 1 * GiB, role="probe"))
    maker.add("groups", {}, groups, (Teamwork((16e9 / 192,)), Teamwork((1 / 260e-9,))))
