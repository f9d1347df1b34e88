"""The probes before the first experiment on an emulated tier: is it as slow as the user asked?

One CPU makes dependent accesses, one at a time. Then all CPUs of the next experiment read. The read repeats when a
later experiment has more CPUs on the tier. Both visit memory beyond the caches, where it matters whether the memory
below is itself slower than the tier that it emulates. `probed` wraps any plan, so no suite needs to know about it.
"""

from collections.abc import Callable

from tierscope.plans import Plan
from tierscope.plans.sizes import MEMORY_SHARE, SMALLEST_ARRAY, free_bytes
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work import Work
from tierscope.record.work.hop import HopWork
from tierscope.record.work.line import LineWork
from tierscope.suites.emulation.labels import EmulationLabels
from tierscope.units import MiB

NAME = "emu"
TIMES_CACHE = 2  # most accesses then reach the memory
MOST = 512 * MiB  # filling takes 0.1 s
SCHEDULE = Schedule(minimum_s=0.1, budget_s=0.5, visits=3)


def probed(plan: Callable[[], Plan], machine: Machine) -> Plan:
    """Yield the experiments of `plan`, and each tier's probes before the first that uses it; the plan gets its own
    answers.
    """
    known: dict[str, int] = {}
    inner = plan()
    try:
        experiment = next(inner)
        while True:
            yield from _due(experiment, machine, known)
            experiment = inner.send((yield experiment))
    except StopIteration:
        return


def _due(experiment: Experiment, machine: Machine, known: dict[str, int]) -> Plan:
    """Yield the probes that are due. known: tier -> the most CPUs that have read it."""
    for target, cpus in _tiers(experiment):
        asked = {part.partition("=")[0] for part in target.where.split(",")}
        before = known.get(target.word, 0)
        known[target.word] = max(before, len(cpus))
        if before == 0 and "latency" in asked:
            yield _probe("latency", "chase", HopWork(), target, cpus[:1], machine)
        if len(cpus) > before and "bandwidth" in asked:
            yield _probe("bandwidth", "read", LineWork(), target, cpus, machine)


def _tiers(experiment: Experiment) -> list[tuple[Target, tuple[int, ...]]]:
    """Return each emulated tier of an experiment, with the CPUs of all groups that use it."""
    found: dict[str, tuple[Target, dict[int, None]]] = {}
    for group in experiment.groups:
        for target in group.targets:
            if target.name == NAME:
                cpus = found.setdefault(target.word, (target, {}))[1]
                cpus.update(dict.fromkeys(group.team.cpus))
    return [(target, tuple(cpus)) for target, cpus in found.values()]


def _probe(what: str, kernel: str, work: Work, target: Target, cpus: tuple[int, ...], machine: Machine) -> Experiment:
    wanted = max(TIMES_CACHE * machine.last_level_cache_bytes(), SMALLEST_ARRAY)
    footprint = min(wanted, MOST, int(free_bytes(machine, target) * MEMORY_SHARE)) // MiB * MiB
    asked = Workload(kernel=kernel, footprint_bytes=max(footprint, MiB), work=work)
    group = Group(workload=asked, target=target, team=Team(cpus=cpus))
    return Experiment(
        table="emulation", groups=(group,), schedule=SCHEDULE, labels=EmulationLabels(quantity=what).stored()
    )
