"""Response: the run time of a program while a lever slows its memory, step by step.

The steps of one lever are takes of one experiment: in each round, the victim runs at each step once. Between its runs,
probes measure each step at the same load: a chase the latency, a read the bandwidth that is left, and, where a clock
changes, a chain of sums the cycle. They run on the victim's first CPU while the victim does not. So a machine that
drifts moves all steps alike (`stats.contrast`), and each step is compared with the one without the lever in the same
round.

The victim runs once before all of it: a program that is missing, that fails, that needs a terminal or that ends too
soon is refused in seconds.
Limits: a lever does more than slow the memory. A load also takes bandwidth and space in shared caches, and a lower
clock slows the caches. The table has the bandwidth that each step leaves.
Source: A. Sandberg et al., "Modeling Performance Variation Due to Cache Sharing", HPCA 2013, and D. Eklov et al.,
"Bandwidth Bandit: Quantitative Characterization of Memory Contention", CGO 2013 (co-runners that take a known part).
"""

from dataclasses import dataclass, field, replace

import msgspec

from tierscope.errors import MachineError, UsageError
from tierscope.plans import Plan, Suite, suites
from tierscope.plans.cpus import near_cpus, refuse_unusable
from tierscope.plans.kinds import ALL, names_of, word_numbers
from tierscope.plans.loaded import apart
from tierscope.plans.sizes import chosen_array
from tierscope.record.experiment import Experiment, Group, Schedule, Setting, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.hop import HopWork
from tierscope.record.work.line import LineWork
from tierscope.record.work.loop import LoopWork
from tierscope.record.work.task import TaskWork
from tierscope.stats.contrast import PROBER, VICTIM
from tierscope.suites.response.labels import BETWEEN, ResponseLabels
from tierscope.suites.response.lever import Lever, Place, Slower, levers
from tierscope.suites.response.options import FLOW, ResponseOptions, line_of
from tierscope.units import KiB, show_seconds

LINE = "command"  # the victim of the core that runs a line of the user
SIZE = "test"  # of a flow
SHORTEST_S = 0.1  # of one run: the start of two programs takes about 1 ms of it
BATCH_S = 0.1  # of a probe in one round; the victim takes as long as it needs
SUMS = 240  # of the chain that measures a cycle
TASK_BLOCK_S = 0.02
MOST_BLOCKS = 20000  # of each group in a batch, which the core keeps
SLOWER = 4  # times, that a run may take of the one that was tried
BLOCKS = 50  # of a probe in a batch, at least
WITHOUT = Slower("without")


def place_of(machine: Machine, chosen: ResponseOptions) -> Place:
    """Return the CPUs. UsageError for CPUs that may not be used, and for one of both sides."""
    refuse_unusable(machine, (*(chosen.victim_cpus or ()), *(chosen.load_cpus or ())))
    near = near_cpus(machine, chosen.target)
    victims = chosen.victim_cpus or near[:1]
    if both := sorted(set(victims) & set(chosen.load_cpus or ())):
        raise UsageError(f"victim and load overlap on CPU {word_numbers(both)}; name others with load_cpus=")
    if chosen.load_cpus:
        return Place(victims, chosen.load_cpus)
    pool = near if len(near) > 1 else machine.equal_cpus()
    others = tuple(cpu for cpu in pool if cpu not in victims)
    (_, *loads), _ = apart(machine, (victims[0], *others)) if others else ((victims[0],), "")
    return Place(victims, tuple(loads))


def chosen_levers(machine: Machine, chosen: ResponseOptions, place: Place) -> list[Lever]:
    """Return the levers. MachineError for one that is named and not here, and where there is none at all."""
    names = names_of("lever", chosen.levers, levers)
    reasons = {name: levers[name].why_not(machine, chosen, place) for name in names}
    here = [levers[name] for name in names if not reasons[name]]
    missing = "; ".join(f"{name}: {why}" for name, why in reasons.items() if why)
    if chosen.levers != (ALL,) and missing:
        raise MachineError(f"lever {missing}; name others with levers=, or leave levers= out")
    if not here:
        raise MachineError(f"this machine has no lever on the speed of its memory ({missing})")
    return here


def name_of(chosen: ResponseOptions) -> str:
    """Return the command line, or 'flow test'."""
    return line_of(chosen.victim) or f"{FLOW} {SIZE}"


def victim_of(chosen: ResponseOptions, place: Place, memory: Target | None) -> Group:
    """Return the program, which gets the memory of a node where one is given."""
    node = memory.word if memory else ""
    work = TaskWork(command=line_of(chosen.victim), limit_s=chosen.timeout, memory=node)
    kernel = LINE
    if chosen.victim == FLOW:
        kernel, work = FLOW, TaskWork(size=SIZE)
    return Group(
        workload=Workload(kernel=kernel, footprint_bytes=0, work=work),
        target=Target(name="null", where=""),
        team=Team(cpus=place.victims),
        role=VICTIM,
    )


def trial(chosen: ResponseOptions, place: Place) -> Experiment:
    """Return one run of the victim, which is in no table."""
    once = Schedule(block_s=TASK_BLOCK_S, minimum_s=TASK_BLOCK_S, budget_s=TASK_BLOCK_S)
    return Experiment(table="sizing", groups=(victim_of(chosen, place, None),), schedule=once)


def refuse_short(chosen: ResponseOptions, rate: float | None) -> None:
    """Raise UsageError for a victim that ends too soon. rate: runs per second; None: not measured."""
    if rate and 1 / rate < SHORTEST_S:
        raise UsageError(
            f"victim '{name_of(chosen)}' takes {show_seconds(1 / rate)}, and at least "
            f"{show_seconds(SHORTEST_S)} are needed: its start would count; give it more work, or repeat it in the line"
        )


@dataclass
class Takes:
    """Groups, each once, and the takes that are made of them."""

    groups: list[Group] = field(default_factory=list)
    takes: list[tuple[int, ...]] = field(default_factory=list)
    settings: list[tuple[Setting, ...]] = field(default_factory=list)

    def add(self, step: Slower, watched: Group) -> None:
        """Add a take of one watched group at a step."""
        together = [watched, *([step.load] if step.load else [])]
        for group in together:
            if group not in self.groups:
                self.groups.append(group)
        self.takes.append(tuple(self.groups.index(group) for group in together))
        self.settings.append(step.settings)


def probes(chosen: ResponseOptions, place: Place, memory: Target, *, cycles: bool) -> list[Group]:
    """Return the chase, the read, and the chain of sums where a clock changes."""
    chase = Workload(kernel="chase", footprint_bytes=place.array_bytes, work=HopWork())
    read = Workload(kernel="read", footprint_bytes=place.array_bytes, work=LineWork())
    sums = Workload(kernel="loop", footprint_bytes=64 * KiB, work=LoopWork(filler="sum", fillers=SUMS))
    team = Team(cpus=place.victims[:1])
    works = [(chase, memory), (read, memory), *([(sums, chosen.target.on(chosen.pages))] if cycles else [])]
    return [Group(workload=work, target=target, team=team, role=PROBER) for work, target in works]


def schedule(chosen: ResponseOptions, run_s: float) -> Schedule:
    """Return the schedule. run_s: of the victim; the load works as long, in no more blocks than the core keeps."""
    block_s = max(Schedule().block_s, SLOWER * run_s / MOST_BLOCKS)
    return Schedule(
        block_s=block_s,
        precision=chosen.precision,
        minimum_s=max(BATCH_S, BLOCKS * block_s),
        budget_s=chosen.budget,
        visits=chosen.visits,
    )


def pulled(machine: Machine, chosen: ResponseOptions, place: Place, lever: Lever, how: Schedule) -> Experiment:
    """Return all steps of a lever. The takes of a step: the victim, then each probe, compared with those without."""
    steps = (WITHOUT, *lever.steps(machine, chosen, place))
    made = Takes()
    for step in steps:
        made.add(step, victim_of(chosen, place, step.memory))
        memory = step.memory or chosen.target.on(chosen.pages)
        for probe in probes(chosen, place, memory, cycles=lever.cycles):
            made.add(step, probe)
    each = len(made.takes) // len(steps)
    return Experiment(
        table="response",
        groups=tuple(made.groups),
        schedule=how,
        labels=ResponseLabels(
            command=name_of(chosen),
            lever=lever.name,
            steps=BETWEEN.join(step.name for step in steps),
            on=BETWEEN.join(chosen.on),
        ).stored(),
        takes=tuple(made.takes),
        against=tuple(take % each for take in range(len(made.takes))),
        settings=tuple(made.settings) if any(made.settings) else (),
    )


def plan(machine: Machine, chosen: ResponseOptions) -> Plan:
    """Yield a run of the victim, the size of the cache, and one experiment for each lever."""
    if chosen.victim == FLOW and (why := machine.victims.get(FLOW)):
        raise MachineError(f"victim {FLOW} is not available here: {why}; try victim='cmd ./solve in.txt'")
    place = place_of(machine, chosen)
    here = chosen_levers(machine, chosen, place)
    answer = yield trial(chosen, place)
    rate = answer.rate()
    refuse_short(chosen, rate)
    how = schedule(chosen, 1 / rate if rate else 0.0)
    target = chosen.target.on(chosen.pages)
    used = (*place.victims, *place.loads)
    memory = yield from chosen_array(machine, chosen.array, None, used, place.victims[0], target)
    place = replace(place, array_bytes=memory.array_bytes)
    for lever in here:
        yield msgspec.structs.replace(pulled(machine, chosen, place, lever, how), note=memory.note)


def left_out(machine: Machine, chosen: ResponseOptions) -> tuple[str, ...]:
    """Return the levers that this machine does not have, and why."""
    if chosen.levers != (ALL,):
        return ()
    place = place_of(machine, chosen)
    missing = {name: levers[name].why_not(machine, chosen, place) for name in levers}
    return tuple(f"lever {name}: {why}; try a machine that has it" for name, why in missing.items() if why)


suites.add(
    Suite(
        "response",
        "run time of a program while its memory is slowed in known steps",
        ResponseOptions,
        plan,
        left_out=left_out,
        kernels=True,
        victims=True,
        details="Each step alternates with the program alone; its latency and bandwidth are measured in between. The "
        "run time over latency extrapolates to other memories, with bounds. A lever that does not change the "
        "latency by 25 % is refused, and the table prints its range. "
        "See [how to measure the response of a program](../how-to/response.md).",
    )
)
