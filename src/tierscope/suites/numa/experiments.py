"""NUMA: latency and bandwidth from every node with CPUs to every node with memory, those without CPUs included.

Latency is that of one CPU, the first of the initiator, alone on the machine; bandwidth is what all CPUs of the
initiator reach together, and no other node's. Both on the same target, one after the other, beyond the caches.
Blind to what nodes reach that all work at once: links between them are shared.
Source: Intel, "Memory Latency Checker" user guide (latency and bandwidth matrices); J. D. McCalpin, "STREAM:
Sustainable Memory Bandwidth in High Performance Computers" (sizes).
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Annotated

from tierscope.errors import UsageError
from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.answer import Answer
from tierscope.plans.kernels import walk_of
from tierscope.plans.kinds import Help, Numbers, Pages, Share, Size, Time, Visits, names_of, word_numbers, words_of
from tierscope.plans.sizes import MEMORY_SHARE, SEARCH, Memory, array, effective_cache, free_bytes
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.hop import HopWork
from tierscope.record.work.line import LineWork
from tierscope.suites.numa.labels import NumaLabels
from tierscope.units import MiB, show_bytes, word_bytes


class NumaOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run numa`."""

    initiators: Annotated[Numbers | None, Help("nodes whose CPUs ask; auto: all with CPUs that may be used")] = None
    targets: Annotated[
        Numbers | None, Help("nodes whose memory answers; auto: all that have some, with CPUs or without")
    ] = None
    kernel: Annotated[str, Help("kernel of the bandwidth")] = "read"
    array: Annotated[
        Size | None, Help("bytes of each array, as for `stream`, within half of the target node's free memory")
    ] = None
    pages: Annotated[Pages, Help("page size: `4k`, `thp`, `2m`, `1g`")] = "thp"
    precision: Annotated[Share, Help("half of the 95 % interval over the median")] = 0.02
    budget: Annotated[Time, Help("most seconds timed for one point")] = 1.0
    visits: Visits = 3


@dataclass(frozen=True)
class Matrix:
    """What all cells of one run share."""

    initiators: dict[int, tuple[int, ...]]  # node -> its CPUs that may be used, one of each core first
    targets: tuple[int, ...]
    kernel: str
    pages: str
    schedule: Schedule

    def target(self, node: int) -> Target:
        return Target.parse(f"node:{node}", self.pages)


def cpus_of(machine: Machine) -> dict[int, tuple[int, ...]]:
    """The nodes with CPUs that this process may use, in order of their numbers."""
    node_of = {cpu.number: cpu.node for cpu in machine.identity.cpus}
    usable = machine.cpus()
    return {node: tuple(cpu for cpu in usable if node_of[cpu] == node) for node in sorted({node_of[c] for c in usable})}


def chosen_nodes(option: str, asked: Numbers | None, possible: tuple[int, ...], what: str) -> tuple[int, ...]:
    """Those asked for, or all; UsageError for a node that cannot be one, or stands there twice."""
    asked = asked or ()
    for node in asked:
        if node not in possible:
            known = ",".join(map(str, possible))
            raise UsageError(f"{option}={word_numbers(asked)}: node {node} has no {what}; nodes that have: {known}")
        if asked.count(node) > 1:
            raise UsageError(f"{option}={word_numbers(asked)} names node {node} twice")
    return asked or possible


def matrix_of(machine: Machine, chosen: NumaOptions) -> Matrix:
    """UsageError for nodes, kernels and pages that do not exist."""
    cpus = cpus_of(machine)
    (kernel, *_) = names_of("kernel", words_of(chosen.kernel), machine.kernels)
    if chosen.kernel != kernel:
        raise UsageError(f"kernel={chosen.kernel}: one kernel is measured; try kernel={kernel}")
    initiators = chosen_nodes("initiators", chosen.initiators, tuple(cpus), "CPU to use")
    return Matrix(
        initiators={node: cpus[node] for node in initiators},
        targets=chosen_nodes("targets", chosen.targets, machine.memory_nodes(), "memory"),
        kernel=kernel,
        pages=chosen.pages,
        schedule=Schedule(precision=chosen.precision, minimum_s=0.15, budget_s=chosen.budget, visits=chosen.visits),
    )


def sized(
    machine: Machine, asked: int | None, cache_bytes: int | None, cpus: tuple[int, ...], arrays: int, target: Target
) -> Memory:
    """By the rule, within the target's own free memory; UsageError where what was asked for does not fit there."""
    if asked is None:
        return array(machine, cache_bytes, cpus, arrays, target)
    free = free_bytes(machine, target)
    if asked * arrays > free:
        most = word_bytes(int(free * MEMORY_SHARE) // arrays // MiB * MiB)
        what = f"array={show_bytes(asked)} needs {show_bytes(asked * arrays)} on {target.word}"
        raise UsageError(f"{what}, which has {show_bytes(free)} free; try array={most}")
    return Memory(asked, "")


def cell(
    machine: Machine, matrix: Matrix, initiator: int, node: int, asked: int | None, cache_bytes: int | None
) -> Generator[Experiment, Answer, None]:
    """Latency, then bandwidth, of one initiator on one target."""
    cpus, target = matrix.initiators[initiator], matrix.target(node)
    arrays = walk_of(machine, matrix.kernel).arrays
    for what, kernel, team, count in (("latency", "chase", cpus[:1], 1), ("bandwidth", matrix.kernel, cpus, arrays)):
        memory = sized(machine, asked, cache_bytes, team, count, target)
        work = Workload(
            kernel=kernel,
            footprint_bytes=count * memory.array_bytes,
            work=HopWork() if what == "latency" else LineWork(),
        )
        yield Experiment(
            table="numa",
            groups=(Group(workload=work, target=target, team=Team(cpus=team), role=what),),
            schedule=matrix.schedule,
            labels=NumaLabels(initiator=initiator, target=node, what=what).stored(),
            calibrate=what == "bandwidth",
            note=memory.note,
        )


def plan(machine: Machine, chosen: NumaOptions) -> Plan:
    """All targets of one initiator before the next; the caches are searched once, by the first one beside it."""
    matrix = matrix_of(machine, chosen)
    asked = chosen.array
    cache_bytes = None
    if asked is None:
        first, *_ = matrix.initiators
        near = matrix.target(machine.nearest_memory(first))
        cache_bytes = yield from effective_cache(machine, matrix.initiators[first][0], near, SEARCH)
    for initiator in matrix.initiators:
        for node in matrix.targets:
            yield from cell(machine, matrix, initiator, node, asked, cache_bytes)


suites.add(
    Suite(
        "numa",
        "latency and bandwidth from every node with CPUs to every node with memory",
        NumaOptions,
        plan,
        kernels=True,
        details="See [how to measure nodes](../how-to/numa.md#latency-and-bandwidth-from-node-to-node).",
    )
)
