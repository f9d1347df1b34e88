"""NUMA: latency and bandwidth from every node with CPUs to every node with memory, those without CPUs included.

Latency is that of one CPU, the first of the initiator, alone on the machine; bandwidth is what all CPUs of the
initiator reach together, and no other node's. Both on the same target, one after the other, beyond the caches.
If asked for, the latency is measured once more while the other CPUs of the initiator use the same target.
At the end each node uses its own memory alone, then all nodes at the same time, for each mix of reads and writes.
Blind to links between nodes that several nodes use at the same time: then each node uses its own memory alone.
Source: Intel, "Memory Latency Checker" user guide (latency and bandwidth matrices, peak injection bandwidth);
J. D. McCalpin, "STREAM: Sustainable Memory Bandwidth in High Performance Computers" (sizes).
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Annotated

from msgspec import UNSET
from msgspec.structs import replace

from tierscope.errors import UsageError
from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.answer import Answer
from tierscope.plans.kernels import walk_of
from tierscope.plans.kinds import (
    Before,
    Help,
    Numbers,
    Size,
    Visits,
    names_of,
    one_of,
    word_numbers,
    words_of,
)  # fmt: skip
from tierscope.plans.loaded import apart
from tierscope.plans.ran import walk_that_ran
from tierscope.plans.sizes import MEMORY_SHARE, SEARCH, Memory, array, effective_cache, free_bytes
from tierscope.plans.usual import Budget, PageSize, Precision
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.hop import HopWork
from tierscope.record.work.line import LineWork
from tierscope.suites.numa.labels import InjectionLabels, NumaLabels
from tierscope.units import MiB, show_bytes, word_bytes

TOGETHER = ("read", "mix_3r1w", "mix_2r1w", "mix_1r1w", "triad")  # as in "Memory Latency Checker"
NONE = "none"


class NumaOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run numa`."""

    initiators: Annotated[Numbers | None, Help("nodes whose CPUs ask; auto: all with CPUs that may be used")] = None
    targets: Annotated[
        Numbers | None, Help("nodes whose memory answers; auto: all that have some, with CPUs or without")
    ] = None
    kernel: Annotated[str, Help("kernels of the bandwidth, a matrix for each: `read,mix_1r1w`")] = "read"
    under_load: Annotated[
        str,
        one_of("answer", ("yes", "no")),
        Help("`yes`: also the latency while the other CPUs of the initiator run the kernel on the same target"),
    ] = "no"
    together: Annotated[
        str,
        Help("kernels that all nodes run at the same time, each on its own memory; `none`: leave this out"),
        Before(NONE),
    ] = ",".join(TOGETHER)
    array: Annotated[
        Size | None, Help("bytes of each array, as for `stream`, within half of the target node's free memory")
    ] = None
    pages: PageSize = "thp"
    precision: Precision = 0.02
    budget: Budget = 1.0
    visits: Visits = 3


@dataclass(frozen=True)
class Matrix:
    """The values that all cells of one run share."""

    initiators: dict[int, tuple[int, ...]]  # node -> its CPUs that may be used, one of each core first
    targets: tuple[int, ...]
    kernels: tuple[str, ...]
    under_load: bool
    pages: str
    schedule: Schedule

    def target(self, node: int) -> Target:
        return Target.parse(f"node:{node}", self.pages)


def cpus_of(machine: Machine) -> dict[int, tuple[int, ...]]:
    """Return the nodes with CPUs that this process may use, in order of their numbers."""
    node_of = {cpu.number: cpu.node for cpu in machine.identity.cpus}
    usable = machine.cpus()
    return {node: tuple(cpu for cpu in usable if node_of[cpu] == node) for node in sorted({node_of[c] for c in usable})}


def chosen_nodes(option: str, asked: Numbers | None, possible: tuple[int, ...], what: str) -> tuple[int, ...]:
    """Return those asked for, or all; UsageError for a node that is not possible or is named twice."""
    asked = asked or ()
    for node in asked:
        if node not in possible:
            known = ",".join(map(str, possible))
            raise UsageError(f"{option}={word_numbers(asked)}: node {node} has no {what}; nodes that have: {known}")
        if asked.count(node) > 1:
            raise UsageError(f"{option}={word_numbers(asked)} names node {node} twice")
    return asked or possible


def matrix_of(machine: Machine, chosen: NumaOptions) -> Matrix:
    """Return the matrix; UsageError for nodes, kernels and pages that do not exist."""
    cpus = cpus_of(machine)
    initiators = chosen_nodes("initiators", chosen.initiators, tuple(cpus), "CPU to use")
    return Matrix(
        initiators={node: cpus[node] for node in initiators},
        targets=chosen_nodes("targets", chosen.targets, machine.memory_nodes(), "memory"),
        kernels=names_of("kernel", words_of(chosen.kernel), machine.kernels),
        under_load=chosen.under_load == "yes",
        pages=chosen.pages,
        schedule=Schedule(precision=chosen.precision, minimum_s=0.15, budget_s=chosen.budget, visits=chosen.visits),
    )


def sized(
    machine: Machine, asked: int | None, cache_bytes: int | None, cpus: tuple[int, ...], arrays: int, target: Target
) -> Memory:
    """Return the size by the rule, within the target's own free memory; UsageError if the size does not fit."""
    if asked is None:
        return array(machine, cache_bytes, cpus, arrays, target)
    free = free_bytes(machine, target)
    if asked * arrays > free:
        most = word_bytes(int(free * MEMORY_SHARE) // arrays // MiB * MiB)
        what = f"array={show_bytes(asked)} needs {show_bytes(asked * arrays)} on {target.word}"
        raise UsageError(f"{what}, which has {show_bytes(free)} free; try array={most}")
    return Memory(asked, "")


@dataclass(frozen=True)
class Sizes:
    """How arrays are sized: as asked for, or by the cache that was found."""

    machine: Machine
    asked: int | None
    cache_bytes: int | None

    def group(self, kernel: str, cpus: tuple[int, ...], target: Target, role: str) -> tuple[Group, str]:
        """Return a group of these CPUs, and the note on its size."""
        chase = kernel == "chase"
        arrays = 1 if chase else walk_of(self.machine, kernel).arrays
        memory = sized(self.machine, self.asked, self.cache_bytes, cpus, arrays, target)
        work = HopWork() if chase else LineWork()
        load = Workload(kernel=kernel, footprint_bytes=arrays * memory.array_bytes, work=work)
        return Group(workload=load, target=target, team=Team(cpus=cpus), role=role), memory.note


def cell(matrix: Matrix, initiator: int, node: int, sizes: Sizes) -> Generator[Experiment, Answer, None]:
    """Yield latency, then bandwidth of each kernel and the latency under it, of one initiator on one target."""
    cpus, target = matrix.initiators[initiator], matrix.target(node)
    place = NumaLabels(initiator=initiator, target=node, what="latency")
    chaser, note = sizes.group("chase", cpus[:1], target, "latency")
    yield _experiment(matrix, "numa", (chaser,), place, note)
    for kernel in matrix.kernels:
        group, note = sizes.group(kernel, cpus, target, "bandwidth")
        several = len(matrix.kernels) > 1 or matrix.under_load
        labels = replace(place, what="bandwidth", kernel=kernel if several else UNSET)  # of one, as older runs have it
        yield _experiment(matrix, "numa", (group,), labels, note)
        if matrix.under_load and len(cpus) > 1:
            (_, *others), shares = apart(sizes.machine, cpus)
            load, small = sizes.group(kernel, tuple(others), target, "load")
            note = "; ".join(filter(None, (shares, small)))
            yield _experiment(matrix, "numa", (chaser, load), replace(place, what="loaded", kernel=kernel), note)


def all_at_once(matrix: Matrix, kernels: tuple[str, ...], sizes: Sizes) -> Generator[Experiment, Answer, None]:
    """Yield each node alone on its own memory, then all together with the loop variants that each had alone."""
    nodes = [node for node in matrix.initiators if node in sizes.machine.memory_nodes()]
    for kernel in kernels:
        groups, notes, share = [], [], walk_of(sizes.machine, kernel).read_share
        for node in nodes:
            group, note = sizes.group(kernel, matrix.initiators[node], matrix.target(node), f"node {node}")
            labels = InjectionLabels(kernel=kernel, node=node, read_share=share, what="alone")
            answer = yield _experiment(matrix, "injection", (group,), labels, note)
            walk = replace(walk_that_ran(answer, group), footprint_bytes=group.workload.footprint_bytes)
            groups.append(replace(group, workload=walk))
            notes.append(note)
        if len(nodes) > 1:
            note = "; ".join(dict.fromkeys(filter(None, notes)))
            both = InjectionLabels(kernel=kernel, what="together", read_share=share)
            yield _experiment(matrix, "injection", tuple(groups), both, note)


def _experiment(
    matrix: Matrix, table: str, groups: tuple[Group, ...], labels: NumaLabels | InjectionLabels, note: str
) -> Experiment:
    return Experiment(
        table=table,
        groups=groups,
        schedule=matrix.schedule,
        labels=labels.stored(),
        calibrate=labels.what not in ("latency", "together"),
        note=note,
    )


def together(machine: Machine, chosen: NumaOptions) -> tuple[str, ...]:
    """Return the kernels that all nodes run at the same time; UnknownNameError for others."""
    return () if chosen.together == NONE else names_of("kernel", words_of(chosen.together), machine.kernels)


def left_out(machine: Machine, chosen: NumaOptions) -> tuple[str, ...]:
    """Return the nodes that do not work at the same time as others, and those without a CPU apart from the chaser."""
    matrix, found = matrix_of(machine, chosen), []
    bare = [node for node in matrix.initiators if node not in machine.memory_nodes()]
    if bare and chosen.together != NONE:
        found.append(
            f"all nodes at the same time: node {word_numbers(tuple(bare))} is left out: it has no memory of its own"
        )
    few = [node for node, cpus in matrix.initiators.items() if len(cpus) < 2]
    if few and matrix.under_load:
        found.append(f"latency under load from node {word_numbers(tuple(few))} is left out: it has one CPU to use")
    return tuple(found)


def plan(machine: Machine, chosen: NumaOptions) -> Plan:
    """Yield all targets of one initiator before the next, then all together; the first one searches for the caches."""
    matrix, kernels = matrix_of(machine, chosen), together(machine, chosen)
    asked = chosen.array
    cache_bytes = None
    if asked is None:
        first, *_ = matrix.initiators
        near = matrix.target(machine.nearest_memory(first))
        cache_bytes = yield from effective_cache(machine, matrix.initiators[first][0], near, SEARCH)
    sizes = Sizes(machine, asked, cache_bytes)
    for initiator in matrix.initiators:
        for node in matrix.targets:
            yield from cell(matrix, initiator, node, sizes)
    yield from all_at_once(matrix, kernels, sizes)


suites.add(
    Suite(
        "numa",
        "latency and bandwidth from every node with CPUs to every node with memory, and of all nodes at the same time",
        NumaOptions,
        plan,
        left_out=left_out,
        kernels=True,
        details="See [how to measure nodes](../how-to/numa.md#latency-and-bandwidth-from-node-to-node).",
    )
)
