"""Core: what one core can have in flight at the same time, from the time of loops of generated instructions.

* cycle: sums that wait for each other take a cycle each.
* width: the number of fillers, of several kinds, that wait for nothing and run in one cycle.
* window: two chains of loads that miss, with fillers between them: how many fit before the loads stop overlapping.
* store, load: the same with stores or loads as fillers: the sizes of the store buffer and of the load buffer.
* flight: lines asked for together, until the time of a line stays constant: of caches, of memory, of all threads.
* guess: a branch that depends on a random number, compared with one that is never taken.
* fetch: windows of a page: the loop visits some lines and one more, which the prefetcher may have fetched.
* code: loops of much code, in each cache behind the nearest, and with more and more jumps (`code`).
* spread: loads that a window of fillers keeps few, until they retire in order (`spread`).
* translation: chains of loads that each need a page walk, with more and more chains (`walks`).
* lines, kind: the points of `flight` and `fetch` that a prediction needs, from memory and of the kind of prefetcher.

Some points come first, then points that an answer needs. Each kind of filler has its own limit: integer and vector
registers run out before the reorder buffer on many cores, and some cores merge nops. Blind to: what only a performance
counter distinguishes, and to sizes of parts that are never full first.
Sources: H. Wong, "Measuring Reorder Buffer Capacity", 2013; A. Fog, "The microarchitecture of Intel, AMD and VIA CPUs",
2024; J. Yang et al., "An Empirical Guide to the Behavior and Use of Scalable Persistent Memory", FAST 2020, and Z. Wang
et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020 (LENS: probers of buffers by their steps).
"""

import itertools
from typing import Annotated

from msgspec import Meta

from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.cpus import chosen_cpu, near_cpus
from tierscope.plans.kinds import Help, Names, Number, Size, several
from tierscope.plans.simulation import NAME as SIMULATED
from tierscope.plans.sizes import MEMORY_SHARE, free_bytes
from tierscope.plans.usual import Budget, PrecisionInPercent
from tierscope.record.experiment import Schedule, Target
from tierscope.record.machine import Machine
from tierscope.record.work.loop import LoopWork
from tierscope.suites.core.ask import (
    FEW_LINES,
    LINES,
    Control,
    coarse,
    irregular,
    page_lines,
)
from tierscope.suites.core.asker import Asker
from tierscope.suites.core.code import (
    DENSE,
    FEW_JUMPS,
    FEWEST,
    NEAR_BYTES,
    dense_bytes,
    jumps,
    levels,
    most_jumps,
    next_jumps,
)
from tierscope.suites.core.spread import spreads
from tierscope.suites.core.step import Pair, finer, step_of
from tierscope.suites.core.walks import walks
from tierscope.suites.core.windows import ROUNDS, fetches, kind
from tierscope.units import GiB, MiB

PROBES = ("width", "window", "store", "load", "flight", "guess", "fetch", "code", "translation", "spread")
PARTS = ("lines", "kind")  # each a part of another probe
RATES = ("nop", "integer", "vector", "mix")
FILLERS = (*RATES, "result")
BUFFERS = {"store": 256, "load": 512}  # most fillers: cores have about twice as many places for loads as for stores
FEW_BYTES, MOST_BYTES = 64 * MiB, GiB
TIMES_CACHE, TIMES_FETCHED = 4, 16  # factors on the last-level cache; windows touch a part of their pages
LEVEL_TIMES = 8  # at most, as a factor on the cache before
STEADY = 240  # fillers of a loop without chains: the code fits the nearest cache, the end of the loop is 1 %
GUESSES = 4  # branches of one iteration


class CoreOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run core`."""

    target: Annotated[Target, Help("location of the bytes that chains of loads visit")] = Target()
    probes: Annotated[
        Names,
        several("probe", PROBES + PARTS),
        Help(
            "what is looked for: "
            + ", ".join(f"`{name}`" for name in PROBES + PARTS)
            + "; `lines` is a part of `flight`, and `kind` of `fetch`"
        ),
    ] = PROBES
    to: Annotated[int, Meta(ge=64, le=4096), Help("most fillers between two loads")] = 1024
    memory: Annotated[
        Size | None, Help("bytes that chains visit in memory; auto: 4x the last-level cache, 64 MiB to 1 GiB")
    ] = None
    cpu: Annotated[Number | None, Help("the CPU whose core is probed; auto: the first of the target's node")] = None
    precision: PrecisionInPercent = 0.02
    budget: Budget = 0.05


def window(asker: Asker, probe: str, filler: str, counts: list[int]) -> Plan:
    """Yield the coarse curve of two chains, then points near the step. The curve of one chain was measured before."""
    for n in counts:
        yield from asker.ask(probe, LoopWork(chains=2, filler=filler, fillers=n))
    for _ in range(ROUNDS):
        wanted = finer(pairs_of(asker, probe, filler))
        if wanted is None:
            return
        yield from asker.ask(probe, LoopWork(chains=2, filler=filler, fillers=wanted))


def pairs_of(asker: Asker, probe: str, filler: str) -> list[Pair]:
    own = {work: time for work, time in asker.times(probe).items() if work.filler == filler}
    control = Control({work.fillers: time for work, time in own.items() if work.chains == 1})
    return [control.pair(work.fillers, *time) for work, time in own.items() if work.chains == 2 and control]


def steps(asker: Asker, chosen: CoreOptions) -> Plan:
    """Yield the windows of all fillers, those of one chain first, so that memory is filled only twice."""
    asked = [("window", filler, coarse(8, chosen.to)) for filler in FILLERS if "window" in chosen.probes]
    asked += [(name, name, coarse(4, most)) for name, most in BUFFERS.items() if name in chosen.probes]
    for probe, filler, counts in asked:
        for n in counts:
            yield from asker.ask(probe, LoopWork(chains=1, filler=filler, fillers=n))
    for probe, filler, counts in asked:
        yield from window(asker, probe, filler, counts)


def flights(asker: Asker, machine: Machine) -> Plan:
    """Yield lines in flight from each cache behind the nearest, from memory, and of all threads from memory."""
    sizes = sorted({c.size_bytes for c in machine.identity.caches if c.kind != "Instruction"})
    for number, (nearer, size) in enumerate(itertools.pairwise(sizes), 2):
        footprint = max(2 * nearer, min(size // 2, LEVEL_TIMES * nearer))
        for chains, beside in LINES:
            yield from asker.ask("flight", LoopWork(chains=chains, beside=beside), f"L{number}", footprint)
    yield from lines(asker, LINES)


def lines(asker: Asker, counts: tuple[tuple[int, int], ...]) -> Plan:
    """Yield lines in flight from memory, of one thread and of all, which show whether memory limits one thread.

    counts: chains, and lines next to each of their nodes.
    """
    for chains, beside in counts:
        yield from asker.ask("flight", LoopWork(chains=chains, beside=beside))
    if len(asker.team) > 1:
        size = max(asker.memory, len(asker.team) * FEW_BYTES // 4)
        for chains, beside in counts:
            work = LoopWork(chains=chains, beside=beside)
            yield from asker.ask("flight", work, "memory, all threads", size, asker.team)


def codes(asker: Asker, machine: Machine) -> Plan:
    """Yield the loops of much code: near, in each cache with the latency of a load from it, and with many jumps."""
    yield from asker.ask_code(FEW_JUMPS, NEAR_BYTES)
    for level, bytes_, works in levels(machine):
        yield from asker.ask("code", LoopWork(chains=1), level, bytes_)
        for work in works:
            yield from asker.ask_code(work, bytes_, level)
    count = FEWEST
    while count <= most_jumps(machine):
        yield from _dense(asker, count)
        count *= 2
    cycle_s = next((time / work.fillers for work, (time, _) in asker.times("cycle").items()), 0.0)
    for _ in range(ROUNDS):
        more = next_jumps(jumps(asker.code, cycle_s)) if cycle_s else None
        if more is None or (DENSE, dense_bytes(more)) in asker.code:
            return
        yield from _dense(asker, more)


def _dense(asker: Asker, count: int) -> Plan:
    for work in (FEW_JUMPS, DENSE):
        yield from asker.ask_code(work, dense_bytes(count))


def plan(machine: Machine, chosen: CoreOptions) -> Plan:
    """Yield the cycle and the latency first, because all answers depend on them."""
    cpu = chosen_cpu(machine, chosen.cpu, chosen.target)
    cache = machine.last_level_cache_bytes()
    most = min(MOST_BYTES, int(free_bytes(machine, chosen.target) * MEMORY_SHARE))
    memory = chosen.memory or min(max(TIMES_CACHE * cache, FEW_BYTES), most)
    schedule = Schedule(
        block_s=1e-4, precision=chosen.precision, minimum_s=min(0.005, chosen.budget), budget_s=chosen.budget
    )
    fetched = chosen.memory or min(max(TIMES_FETCHED * cache, FEW_BYTES), most)
    team = tuple(sorted({cpu, *near_cpus(machine, chosen.target)[: 4 if chosen.target.name == SIMULATED else None]}))
    asker = Asker(cpu, team, chosen.target, schedule, memory, fetched, machine.line_bytes())
    yield from asker.ask("cycle", LoopWork(filler="sum", fillers=STEADY))
    yield from asker.ask("latency", LoopWork(chains=1))
    if {"width", "flight", "lines", "window"} & set(chosen.probes):
        for filler in RATES:
            yield from asker.ask("width", LoopWork(filler=filler, fillers=STEADY))
    if "guess" in chosen.probes:
        for random in (0, 1):
            yield from asker.ask("guess", LoopWork(filler="guess", fillers=GUESSES, random=random))
    yield from steps(asker, chosen)
    if "flight" in chosen.probes:
        yield from flights(asker, machine)
    elif "lines" in chosen.probes:
        yield from lines(asker, FEW_LINES)
    if "fetch" in chosen.probes:
        yield from fetches(asker)
    elif "kind" in chosen.probes:
        yield from kind(asker)
    if "spread" in chosen.probes:
        yield from spreads(asker, {filler: step_of(pairs_of(asker, "window", filler)) for filler in FILLERS})
    yield from others(asker, machine, chosen)


def others(asker: Asker, machine: Machine, chosen: CoreOptions) -> Plan:
    """Yield the points of page walks and of code."""
    if "translation" in chosen.probes:
        yield from walks(asker)
    if "code" in chosen.probes:
        yield from codes(asker, machine)


def left_out(machine: Machine, chosen: CoreOptions) -> tuple[str, ...]:
    """Return why the prefetcher is not probed, where it was asked for."""
    line = machine.line_bytes()
    if not {"fetch", "kind"} & set(chosen.probes) or irregular(line) is not None:
        return ()
    others = ",".join(probe for probe in PROBES if probe != "fetch")
    why = (
        f"the prefetcher is not probed: a page of 4 KiB has {page_lines(line)} lines of {line} bytes, too few for one "
        f"that no stride leads to; try probes={others}"
    )
    return (why,)


suites.add(
    Suite(
        "core",
        "the parallelism of one core: buffers, width, lines in flight, branch misses, page walks, prefetcher, code",
        CoreOptions,
        plan,
        left_out,
        details="See [how to probe a core](../how-to/core.md).",
    )
)
