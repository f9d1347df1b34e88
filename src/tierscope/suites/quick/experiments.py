"""Quick: the whole of a machine's memory in under two minutes: staircase, bandwidth over threads, loaded latency.

The staircase comes before these two, since their footprints rest on the caches that it finds. The resources that CPUs
share are measured first, and at the end of each tour through the plan, because a hypervisor may change it meanwhile.
"""

import math
from collections.abc import Generator, Iterable
from typing import Annotated

from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import near_cpus
from tierscope.plans.kinds import Help, Seconds, Visits
from tierscope.plans.simulation import NAME as SIMULATED
from tierscope.plans.sizes import array
from tierscope.plans.usual import Precision, Where
from tierscope.record.experiment import Experiment, Target
from tierscope.record.machine import Machine
from tierscope.suites.latency import experiments as latency
from tierscope.suites.loaded_latency import experiments as loaded_latency
from tierscope.suites.quick.mapping import farther, noting, seconds_per_byte, too_slow
from tierscope.suites.sharing import experiments as sharing
from tierscope.suites.stream import experiments as stream
from tierscope.units import MiB


class QuickOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run quick`."""

    target: Where = Target()
    limit: Annotated[
        Seconds, Help("seconds after which points get their shortest time only; they may then be inconclusive")
    ] = 105.0
    precision: Precision = 0.1
    visits: Visits = 3


LEFT_OUT = ("scale", "scale_nt", "add", "add_nt")
"""Kernels of STREAM that move the bytes of copy and of triad: a further visit of these shows more."""
TEAMS = 4  # numbers of threads: each costs a point of every kernel
COARSE = 64 * MiB  # larger footprints take a second and more each: one to a doubling is enough for a first look
MIXES = ("read", "mix_2r1w", "mix_1r1w_nt")  # all reads; the mix of many programs; half of it past the caches
DELAYS = (0, 50, 100, 200, 400, 800, 2000, 10000)


def plan(machine: Machine, chosen: QuickOptions) -> Plan:
    """Yield the experiments, with shorter budgets than the suites alone; points still imprecise are inconclusive."""
    several = not left_out(machine, chosen)
    if several:
        yield from shared(machine, chosen, visits=0)
    target, precision, visits = chosen.target, chosen.precision, chosen.visits
    walk = latency.LatencyOptions(target=target, precision=precision, budget=0.4, visits=visits)
    answers: list[Answer] = []

    def byte_s() -> float:
        return 0.0 if target.name == SIMULATED else seconds_per_byte(answers)  # a simulation maps nothing

    def left(cache_bytes: int | None, top_bytes: int) -> str:
        return farther(byte_s(), top_bytes, chosen.limit) if cache_bytes else ""

    found = yield from noting(latency.measure(machine, walk, COARSE, left), answers)
    cache_bytes = found or machine.last_level_cache_bytes() or MiB  # not searched for again by the other two
    every = stream.kernels_of(machine, stream.StreamOptions(), target)
    kernels = largest_first(machine, (name for name in every if name not in LEFT_OUT))
    cpus = near_cpus(machine, target)
    size = array(machine, cache_bytes, cpus, target=target).array_bytes
    together = too_slow(byte_s(), size, chosen.limit)
    bandwidth = stream.StreamOptions(
        target=target, kernels=kernels, threads=teams(len(cpus)), precision=precision, budget=1.0, visits=visits
    )
    yield from stream.measure(machine, bandwidth, cache_bytes, together)
    if several:
        loads = loaded_latency.LoadedLatencyOptions(
            target=target,
            mixes=largest_first(machine, MIXES),
            delays=DELAYS,
            precision=precision,
            budget=0.6,
            visits=visits,
        )
        yield from loaded_latency.measure(machine, loads, cache_bytes, together)
        yield from shared(machine, chosen, visits=chosen.visits)


def largest_first(machine: Machine, kernels: Iterable[str]) -> tuple[str, ...]:
    """Return the kernels of most arrays first: the others fit into their memory, so it is mapped once in a tour."""
    return tuple(sorted(kernels, key=lambda name: -stream.arrays_of(machine, name)))


def teams(cpus: int) -> tuple[int, ...]:
    """Return at most TEAMS numbers of threads: 1, all, and powers of two between them, evenly in their logarithms."""
    steps = range(1, TEAMS - 1)
    powers = [1 << math.ceil(math.log2(cpus) * step / (TEAMS - 1)) for step in steps]
    return tuple(sorted({1, cpus, *(power for power in powers if power < cpus)}))


def shared(machine: Machine, chosen: QuickOptions, visits: int) -> Generator[Experiment, Answer, None]:
    """Yield what CPUs share, on the target's node or the nearest; a simulated machine states what its CPUs share."""
    if chosen.target.name == SIMULATED:
        return
    target = chosen.target if chosen.target.name == "node" else None
    yield from sharing.measure(machine, sharing.SharingOptions(target=target, visits=visits))


def left_out(machine: Machine, chosen: QuickOptions) -> tuple[str, ...]:
    """Return loaded latency if the machine has one CPU."""
    cpus = near_cpus(machine, chosen.target)
    if len(cpus) > 1:
        return ()
    return (f"loaded latency is left out: it needs two CPUs, one to chase, one to load, and CPU {cpus[0]} is alone",)


suites.add(
    Suite(
        "quick",
        "the whole memory in under two minutes: staircase, bandwidth and loaded latency",
        QuickOptions,
        plan,
        left_out,
        kernels=True,
        details="Bandwidth over threads, and loaded latency of three mixes at eight delays. The staircase "
        "comes before them, because their footprints depend on the caches that it finds. At the start and at the end "
        "it measures whether CPUs share a core or a full path to memory.",
    )
)
