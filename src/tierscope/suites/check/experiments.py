"""Check: the bandwidth of all CPUs and the idle latency of memory, in about ten seconds.

`tierscope check` measures this if its file names no suite. Sizes follow the caches that the system reports,
because a staircase would take half of the ten seconds. If the reported caches are too small, memory looks faster.
"""

from typing import Annotated

from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.cpus import near_cpus
from tierscope.plans.kinds import Help, Names, Seconds, Visits
from tierscope.plans.usual import Where
from tierscope.record.experiment import Target
from tierscope.record.machine import Machine
from tierscope.suites.latency import experiments as latency
from tierscope.suites.stream import experiments as stream
from tierscope.units import MiB


class CheckOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run check`."""

    target: Where = Target()
    kernels: Annotated[Names, Help("kernels, each with all CPUs of the target's node")] = ("read",)
    limit: Annotated[
        Seconds, Help("seconds after which points get their shortest time only; they may then be inconclusive")
    ] = 10.0
    visits: Visits = 3


def plan(machine: Machine, chosen: CheckOptions) -> Plan:
    """Yield one dependent access in the largest footprint, then each kernel."""
    walk = latency.LatencyOptions(target=chosen.target, pages=("thp",), budget=0.6, visits=chosen.visits)
    yield latency.walk_of(machine, walk).experiment(latency.highest(machine, chosen.target)[0])
    cpus = len(near_cpus(machine, chosen.target))
    kernels = stream.StreamOptions(
        target=chosen.target, kernels=chosen.kernels, threads=(cpus,), budget=1.0, visits=chosen.visits
    )
    yield from stream.measure(machine, kernels, machine.last_level_cache_bytes() or MiB)


suites.add(
    Suite(
        "check",
        "bandwidth of all CPUs of a node and its idle latency, in about ten seconds",
        CheckOptions,
        plan,
        kernels=True,
        details="One CPU chases through the largest footprint of `latency`, and all CPUs run each kernel. Footprints "
        "follow the caches that the system reports. [`tierscope check`](#check) measures this by default.",
    )
)
