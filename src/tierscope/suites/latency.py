"""Latency over footprint: one CPU chases pointers along a random cycle, from the first-level cache to memory.

Three series answer three questions. Large pages show the caches and memory with the TLB out of the way; 4 KiB
pages at the same footprints add the page walks; neighbouring lines in pairs show whether the processor fetches
the line beside the one that was asked for.
Source: L. McVoy and C. Staelin, "lmbench: Portable Tools for Performance Analysis", USENIX ATC 1996.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace

import msgspec

from tierscope.errors import UsageError
from tierscope.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.machine import Machine
from tierscope.suites import Option, Options, Plan, Suite, options, suites
from tierscope.suites.answer import Answer
from tierscope.suites.sizes import LARGEST, MEMORY_SHARE, TIMES_CACHE, find_cache, free_bytes, staircase
from tierscope.units import KiB, MiB, show_bytes

LOWEST = 4 * KiB
REACHES = 512 * MiB  # at least: beyond the caches of a machine that reports none
PAIR_BYTES = 128  # two neighbouring lines
TLB_OCTAVES = 4  # below the largest footprint that are measured with 4 KiB pages
WALK_SHARE = 1 / 8  # of the largest footprint: the pair test needs memory, not all of it

OPTIONS: tuple[Option, ...] = (
    options.text("target", "node:0", "where the bytes live: node:N, file:PATH"),
    options.text("pages", "thp,4k", "page sizes, the first for the whole staircase: 4k, thp, 2m, 1g"),
    options.text("probe", "cycle", "cycle: each node once; random: uniform draws; both: cycle,random"),
    options.size("from", "4KiB", "smallest footprint"),
    options.size("to", None, "largest footprint; auto: 4 x the last-level cache, at least 512 MiB, at most 2 GiB"),
    options.count("per_octave", 2, "footprints to a doubling"),
    options.size("element", "64B", "bytes between two nodes, a multiple of 64"),
    options.count("cpu", None, "the CPU that chases; auto: the first of the node"),
    options.share("precision", 0.02, "half-width of the 95 % interval over the median"),
    options.seconds("budget", 0.8, "most seconds timed for one footprint"),
)


@dataclass(frozen=True)
class Walk:
    """What all points of one run share."""

    cpu: int
    target: Target
    schedule: Schedule
    element_bytes: int
    note: str

    def experiment(self, footprint: int, kernel: str = "chase", order: str = "global") -> Experiment:
        locality = {"global": 0, "page": 4 * KiB, "pair": PAIR_BYTES}[order]
        work = Workload(
            kernel=kernel, footprint_bytes=footprint, element_bytes=self.element_bytes, locality_bytes=locality
        )
        group = Group(workload=work, target=self.target, team=Team(cpus=(self.cpu,)), role="chaser")
        probe = {"chase": "cycle", "probe": "random"}[kernel]
        labels = {"probe": probe, "order": order, "pages": self.target.pages}
        return Experiment(table="latency", groups=(group,), schedule=self.schedule, labels=labels, note=self.note)

    def on(self, pages: str) -> "Walk":
        return replace(self, target=msgspec.structs.replace(self.target, pages=pages))


def first_cpu(machine: Machine, target: Target) -> int:
    """A CPU of the target's node, else the first that may be used."""
    nodes = {cpu.number: cpu.node for cpu in machine.identity.cpus}
    near = [cpu for cpu in machine.cpus() if target.name == "node" and str(nodes[cpu]) == target.where]
    return (near or list(machine.cpus()))[0]


def highest(machine: Machine) -> tuple[int, str]:
    """The largest footprint that is worth the time, and why it is less than the rule asks."""
    wanted = max(TIMES_CACHE * machine.last_level_cache_bytes(), REACHES)
    limit = min(LARGEST, int(free_bytes(machine) * MEMORY_SHARE))
    if wanted <= limit:
        return wanted // MiB * MiB, ""
    why = "half of the free memory" if limit < LARGEST else "the time that filling takes"
    limit = limit // MiB * MiB
    return limit, f"staircase to {show_bytes(limit)} instead of {show_bytes(wanted)}: limited by {why}"


def walk_of(machine: Machine, chosen: Options) -> Walk:
    pages = options.words_of(chosen["pages"])
    if not pages:
        raise UsageError("pages= names no page size; try pages=thp")
    target = Target.parse(str(chosen["target"]), pages[0])
    schedule = Schedule(precision=float(chosen["precision"] or 0), minimum_s=0.1, budget_s=float(chosen["budget"] or 0))
    cpu = chosen["cpu"] if chosen["cpu"] is not None else first_cpu(machine, target)
    return Walk(int(cpu), target, schedule, int(chosen["element"] or 0), "")


def measure(machine: Machine, chosen: Options) -> Generator[Experiment, Answer, int | None]:
    """The whole table; returns the effective last-level cache in bytes, None where memory was not reached."""
    walk = walk_of(machine, chosen)
    low, top, note = int(chosen["from"] or LOWEST), chosen["to"], ""
    if top is None:
        top, note = highest(machine)
        walk = replace(walk, note=note)
    top = int(top)
    if not 0 < low <= top:
        raise UsageError(f"from={low} must be above 0 and not over to={top}")
    probes = options.words_of(chosen["probe"])
    if not probes or not set(probes) <= {"cycle", "random"}:
        raise UsageError(f"probe={chosen['probe']} is unknown; known: cycle, random")
    footprints = staircase(low, top, int(chosen["per_octave"] or 2))
    points: dict[int, float] = {}
    for probe in probes:
        for footprint in reversed(footprints):  # largest first: memory is mapped once
            answer = yield walk.experiment(footprint, {"cycle": "chase", "random": "probe"}[probe])
            if probe == probes[0] and (rate := answer.rate()):
                points[footprint] = 1 / rate
    if "cycle" in probes and walk.element_bytes == 64:
        yield walk.experiment(max(int(top * WALK_SHARE), low), order="pair")
        yield walk.experiment(max(int(top * WALK_SHARE), low), order="global")
    for pages in options.words_of(chosen["pages"])[1:]:
        for footprint in reversed([f for f in footprints if f >= top >> TLB_OCTAVES]):
            yield walk.on(pages).experiment(footprint)
    return find_cache(points)


def plan(machine: Machine, chosen: Options) -> Plan:
    yield from measure(machine, chosen)


suites.add(Suite("latency", "latency over footprint: caches, memory, TLB", OPTIONS, plan))
