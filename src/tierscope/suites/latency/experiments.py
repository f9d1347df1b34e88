"""Latency over footprint: one CPU chases pointers along a random cycle, from the first-level cache to memory.

Three series answer three questions. Large pages show the caches and memory with the TLB out of the way; 4 KiB
pages at the same footprints add the page walks; neighbouring lines in pairs show whether the processor fetches
the line beside the one that was asked for. With `regions=fresh` the question is another one: time per line over the
size of regions that were never visited before (`plans.fresh`), where caches hide nothing.
Source: L. McVoy and C. Staelin, "lmbench: Portable Tools for Performance Analysis", USENIX ATC 1996.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace

import msgspec

from tierscope.errors import UsageError
from tierscope.plans import Option, Options, Plan, Suite, fresh, options, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import near_cpus
from tierscope.plans.sizes import (
    LARGEST,
    MEMORY_SHARE,
    REACHES,
    TIMES_CACHE,
    find_cache,
    free_bytes,
    half_of_what,
    staircase,
)
from tierscope.record.experiment import PAGES, Experiment, Group, Label, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.units import LINE_BYTES, KiB, MiB, show_bytes, word_bytes

PAIR_BYTES = 128  # two neighbouring lines
TLB_OCTAVES = 4  # below the largest footprint that are measured with 4 KiB pages

OPTIONS: tuple[Option, ...] = (
    options.target("target", "node:0", "where the bytes live"),
    options.text(
        "pages", "thp,4k", "page sizes; the first for the whole staircase, the others for its largest footprints"
    ),
    options.text(
        "probe",
        "cycle",
        "`cycle`: each line once, in a random order; `random`: each address drawn at random; or both, "
        "as `cycle,random`",
    ),
    options.text(
        "order",
        "global",
        "`global`: any line next; `page`: all lines of a 4 KiB page before the next page; or both, as `global,page`",
    ),
    options.size("from", "4KiB", "smallest footprint"),
    options.size(
        "to",
        None,
        "largest footprint; auto: 4x the reported last-level cache, at least 512 MiB, at most 2 "
        "GiB, within half of the free memory",
    ),
    options.count("per_octave", 2, "footprints to a doubling", least=1, most=32),
    options.size("element", "64B", "bytes between two places of the chase, a multiple of 64"),
    options.text(
        "regions",
        "none",
        "`none`: the staircase; `fresh`: time per line over regions that were never visited before, from "
        "one block to `to` (auto: 128 MiB); `probe`, `order`, `from` and `element` do not count then",
    ),
    options.text("op", "read", "of fresh regions: `read`, `write` or `both`"),
    options.size(
        "block",
        "64B",
        "of fresh regions: bytes read or written at a time, a multiple of 64; all lines of a block are "
        "in flight at the same time",
    ),
    options.count("cpu", None, "the CPU that chases; auto: the first of the target's node"),
    options.share("precision", 0.02, "half of the 95 % interval over the median"),
    options.seconds("budget", 0.8, "most seconds timed for one footprint"),
)
FRESH_TO = 128 * MiB  # largest fresh region by itself: eight times the largest buffer known to us


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
        labels: dict[str, Label] = {"probe": probe, "order": order, "pages": self.target.pages}
        return Experiment(table="latency", groups=(group,), schedule=self.schedule, labels=labels, note=self.note)

    def on(self, pages: str) -> "Walk":
        return replace(self, target=msgspec.structs.replace(self.target, pages=pages))


def highest(machine: Machine, target: Target) -> tuple[int, str]:
    """The largest footprint that is worth the time, and why it is less than the rule asks."""
    wanted = max(TIMES_CACHE * machine.last_level_cache_bytes(), REACHES)
    limit = min(LARGEST, int(free_bytes(machine, target) * MEMORY_SHARE))
    if wanted <= limit:
        return wanted // MiB * MiB, ""
    why = half_of_what(machine, target) if limit < LARGEST else "the time that filling takes"
    limit = limit // MiB * MiB
    return limit, f"staircase to {show_bytes(limit)} instead of {show_bytes(wanted)}: limited by {why}"


def walk_of(machine: Machine, chosen: Options) -> Walk:
    """UsageError for a CPU that may not be used here, or pages that do not exist."""
    target = Target.parse(str(chosen["target"]), options.names_of("page size", chosen["pages"], PAGES)[0])
    schedule = Schedule(precision=float(chosen["precision"] or 0), minimum_s=0.1, budget_s=float(chosen["budget"] or 0))
    cpu = near_cpus(machine, target)[0] if chosen["cpu"] is None else int(chosen["cpu"])
    if cpu not in machine.cpus():
        raise UsageError(f"CPU {cpu} may not be used here; usable: {','.join(map(str, machine.cpus()))}")
    note = highest(machine, target)[1] if chosen["to"] is None else ""
    return Walk(cpu, target, schedule, int(chosen["element"] or 0), note)


def footprints_of(machine: Machine, chosen: Options, target: Target) -> list[int]:
    """Smallest first; UsageError where they do not rise, or where not even one node has a neighbour."""
    low = int(chosen["from"] or 0)
    top = highest(machine, target)[0] if chosen["to"] is None else int(chosen["to"])
    least = 2 * int(chosen["element"] or 0)
    if not 0 < least <= low <= top:
        asked = f"element={word_bytes(least // 2)} from={word_bytes(low)} to={word_bytes(top)}"
        raise UsageError(f"{asked}: footprints go from two elements or more up to the largest, try from=4KiB to=1GiB")
    return staircase(low, top, int(chosen["per_octave"] or 0))


def series_of(chosen: Options) -> list[tuple[str, str]]:
    """(kernel, order) of each staircase; draws at random know no order."""
    probes = options.names_of("probe", chosen["probe"], ("cycle", "random"))
    orders = options.names_of("order", chosen["order"], ("global", "page"))
    cycles = [("chase", order) for order in orders]
    return [one for probe in probes for one in (cycles if probe == "cycle" else [("probe", "global")])]


def measure(machine: Machine, chosen: Options) -> Generator[Experiment, Answer, int | None]:
    """The whole table; returns the effective last-level cache in bytes, None where memory was not reached."""
    walk, series = walk_of(machine, chosen), series_of(chosen)
    operations_of(chosen)  # told before minutes of staircases
    footprints = footprints_of(machine, chosen, walk.target)
    top = footprints[-1]
    points: dict[int, float] = {}
    for kernel, order in series:
        for footprint in reversed(footprints):  # largest first: memory is mapped once
            answer = yield walk.experiment(footprint, kernel, order)
            if (kernel, order) == series[0] and (rate := answer.rate()):
                points[footprint] = 1 / rate
            if footprint == top and (kernel, order) == ("chase", "global") and walk.element_bytes == LINE_BYTES:
                yield walk.experiment(top // PAIR_BYTES * PAIR_BYTES, order="pair")  # beside its twin, in memory
    for pages in options.words_of(chosen["pages"])[1:]:
        for footprint in reversed([f for f in footprints if f >= top >> TLB_OCTAVES]):
            yield walk.on(pages).experiment(footprint)
    return find_cache(points)


def operations_of(chosen: Options) -> list[str]:
    """Of fresh regions; UnknownNameError for another."""
    return options.names_of("operation", "all" if chosen["op"] == "both" else chosen["op"], fresh.OPERATIONS)


def fresh_regions(machine: Machine, chosen: Options) -> Plan:
    """Time per line over fresh regions; UsageError for a block that is no whole lines or larger than all regions."""
    walk, block = walk_of(machine, chosen), int(chosen["block"] or 0)
    largest = FRESH_TO if chosen["to"] is None else int(chosen["to"])
    if block < LINE_BYTES or block % LINE_BYTES or block > largest:
        raise UsageError(
            f"block={word_bytes(block)} to={word_bytes(largest)}: try block=64B, whole lines, and to=128MiB"
        )
    size, note = fresh.footprint(machine, walk.target, None, largest)
    field = fresh.Field(walk.cpu, walk.target, size, walk.schedule, "latency", note)
    operations = operations_of(chosen)
    regions = fresh.sizes(block, largest, int(chosen["per_octave"] or 0))
    for operation in operations:
        slowest = 0.0  # s per line, of this operation so far
        for region in regions:
            walked = replace(field, line_s=slowest or field.line_s)
            answer = yield walked.read(region, block) if operation == "read" else walked.write(region, block)
            if rate := answer.rate():
                slowest = max(slowest, LINE_BYTES / block / rate)


def plan(machine: Machine, chosen: Options) -> Plan:
    if options.names_of("kind of regions", chosen["regions"], ("none", "fresh")) == ["fresh"]:
        yield from fresh_regions(machine, chosen)
    else:
        yield from measure(machine, chosen)


suites.add(Suite("latency", "latency over footprint: caches, memory, TLB, adjacent-line prefetch", OPTIONS, plan))
