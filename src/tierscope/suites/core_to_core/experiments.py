"""Core to core: how long a cache line takes from one CPU to another, for every pair of CPUs or a sample of them.

Two threads alternate in writing one line. The time of one hand-over, one way, is the least that a lock, a queue or a
barrier costs. Each pair gets a fresh page on the node of its own first CPU. If all pairs used one buffer of a third
core, that core's place would be in every number. Several lines are used one after the other, because each line has its
home in one slice of a shared cache. Pairs are measured one at a time, those of one first CPU in one experiment.

`transfers.py` measures other states of a line: clean or modified in the cache of one CPU, and read by another.
Blind to hand-overs while others use the same links; to the two ways apart, which are averaged.
Source: D. Molka et al., "Cache Coherence Protocol and Memory Performance of the Intel Haswell-EP Architecture",
ICPP 2015.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Annotated

from msgspec import Meta

from tierscope.errors import MachineError, UsageError
from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.cpus import refuse_unusable
from tierscope.plans.kinds import Help, Names, Numbers, Seconds, Visits, several, word_numbers
from tierscope.plans.usual import Precision
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.handover import HandOverWork
from tierscope.suites.core_to_core.labels import HandOverLabels
from tierscope.suites.core_to_core.pairs import Pair, chosen_pairs
from tierscope.suites.core_to_core.transfers import HOMES, STATES, Home, footprint, transfers

BLOCK_S = 0.25e-3  # a thousand hand-overs or more: two reads of the clock are under 0.1 % of it
MINIMUM_S = 0.02  # 80 blocks; a summary requires 50; 2016 pairs of 64 CPUs then take 40 s at least
HAND_OVER = "handover"
HANDED, READ = 16, 256  # lines
PAIR_S = 1.5 * MINIMUM_S  # with its threads, its pages and the check
ROLE = "pair"


class CoreToCoreOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run core-to-core`."""

    cpus: Annotated[Numbers | None, Help("CPUs to pair, two or more; auto: all that may be used")] = None
    target: Annotated[Target | None, Help("where the lines live; auto: the node of the pair's first CPU")] = None
    pairs: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Help(
            "most pairs: first one for each core, last-level cache and package, then a sample of the rest; auto: all, "
            "or as many as the limit has time for"
        ),
    ] = None
    lines: Annotated[
        Annotated[int, Meta(ge=1, le=4096)] | None,
        Help("lines that are used one after the other, 1 to 4096; auto: 16, and 256 of lines that are read"),
    ] = None
    state: Annotated[
        Names,
        several("state", (HAND_OVER, *STATES)),
        Help(
            "of the lines: `handover`, which both CPUs write; `clean` and `modified` in the cache of one CPU, which "
            "the other reads"
        ),
    ] = (HAND_OVER,)
    home: Annotated[
        Names,
        several("home", HOMES),
        Help("node of lines that are read, clean or modified: that of the `reader`, of the `owner`, or both"),
    ] = HOMES
    precision: Precision = 0.05
    budget: Annotated[Seconds, Help("most seconds timed for one pair")] = 0.1
    limit: Annotated[Seconds, Help("seconds after which pairs get 0.02 s only; they may then be inconclusive")] = 300.0
    visits: Visits = 3


def cpus_of(machine: Machine, chosen: CoreToCoreOptions) -> tuple[int, ...]:
    """Return the CPUs in the order of the topology; UsageError for one that may not be used or is named twice."""
    usable, asked = machine.cpus(), chosen.cpus or ()
    refuse_unusable(machine, asked)
    for cpu in asked:
        if asked.count(cpu) > 1:
            raise UsageError(f"cpus={word_numbers(asked)} names CPU {cpu} twice; a pair needs two CPUs")
    if len(asked) == 1:
        raise UsageError(f"cpus={asked[0]} is one CPU, and a pair needs two; usable: {','.join(map(str, usable))}")
    if len(usable) < 2:
        raise MachineError("a pair needs two CPUs; this process may use one: allow it another (doctor: cpus)")
    return machine.by_topology(asked or usable)


def home(machine: Machine, cpu: int) -> Target:
    """Return the CPU's node, or the nearest with memory. Pages are small, because only a few lines are used."""
    own = next(c.node for c in machine.identity.cpus if c.number == cpu)
    return Target(where=str(machine.nearest_memory(own)), pages="4k")


def plan(machine: Machine, chosen: CoreToCoreOptions) -> Plan:
    """Yield an experiment for each CPU, with a take for each pair with a later CPU; then the states that are read."""
    cpus = cpus_of(machine, chosen)
    found = chosen_pairs(machine, cpus, chosen.pairs or max(int(chosen.limit / PAIR_S / times(chosen)), len(cpus)))
    schedule = Schedule(
        block_s=BLOCK_S,
        precision=chosen.precision,
        minimum_s=MINIMUM_S,
        budget_s=max(chosen.budget, MINIMUM_S),
        visits=chosen.visits,
    )
    given = chosen.target and chosen.target.on("4k")
    at_home = partial(home, machine) if given is None else lambda _cpu: given
    if HAND_OVER in chosen.state:
        yield from hand_overs(found, at_home, (chosen.lines or HANDED) * machine.line_bytes(), schedule)
    read = [state for state in dict.fromkeys(chosen.state) if state in STATES]
    size = footprint(chosen.lines or READ, machine.line_bytes())
    yield from transfers(found, read, tuple(dict.fromkeys(chosen.home)), at_home, size, schedule)


def times(chosen: CoreToCoreOptions) -> int:
    """Return how many takes a pair has, at most: one, and one for each state, home and way."""
    read = sum(state in STATES for state in set(chosen.state))
    return max((HAND_OVER in chosen.state) + 2 * read * len(set(chosen.home)), 1)


def hand_overs(pairs: Sequence[Pair], at_home: Home, size: int, schedule: Schedule) -> Iterator[Experiment]:
    """Yield an experiment for each first CPU. size: bytes of the lines."""
    work = Workload(kernel="handover", footprint_bytes=size, work=HandOverWork())
    for first, own in groupby(pairs, key=itemgetter(0)):
        target = at_home(first)
        groups = tuple(Group(workload=work, target=target, team=Team(cpus=pair), role=ROLE) for pair in own)
        yield Experiment(
            table="core_to_core",
            groups=groups,
            schedule=schedule,
            labels=HandOverLabels(a_cpu=first).stored(),
            takes=tuple((group,) for group in range(len(groups))),
        )


suites.add(
    Suite(
        "core-to-core",
        "time of a cache line from one CPU to another, for every pair or a sample",
        CoreToCoreOptions,
        plan,
        details="See [how to measure pairs](../how-to/numa.md).",
    )
)
