"""NUMA: latency and bandwidth from every node with CPUs to every node with memory, those without CPUs included.

Latency is that of one CPU, the first of the initiator, alone on the machine; bandwidth is what all CPUs of the
initiator reach together, and no other node's. Both on the same target, one after the other, beyond the caches.
Blind to what nodes reach that all work at once: links between them are shared.
Source: Intel, "Memory Latency Checker" user guide (latency and bandwidth matrices); J. D. McCalpin, "STREAM:
Sustainable Memory Bandwidth in High Performance Computers" (sizes).
"""

from collections.abc import Generator
from dataclasses import dataclass

from tierscope.errors import UsageError
from tierscope.plans import Option, Options, Plan, Suite, options, suites
from tierscope.plans.answer import Answer
from tierscope.plans.kernels import walk_of
from tierscope.plans.sizes import MEMORY_SHARE, SEARCH, Memory, array, effective_cache, free_bytes
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.units import MiB, show_bytes, word_bytes

OPTIONS: tuple[Option, ...] = (
    options.text("initiators", None, "nodes whose CPUs ask; auto: all with CPUs that may be used"),
    options.text("targets", None, "nodes whose memory answers; auto: all that have some, with CPUs or without"),
    options.text("kernel", "read", "kernel of the bandwidth"),
    options.size("array", None, "bytes of each array, as for `stream`, within half of the target node's free memory"),
    options.text("pages", "thp", "page size: `4k`, `thp`, `2m`, `1g`"),
    options.share("precision", 0.02, "half of the 95 % interval over the median"),
    options.seconds("budget", 1.0, "most seconds timed for one point"),
)


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


def chosen_nodes(chosen: Options, option: str, possible: tuple[int, ...], what: str) -> tuple[int, ...]:
    """Those asked for, or all; UsageError for a node that cannot be one, or stands there twice."""
    asked = options.numbers_of(chosen[option], option)
    for node in asked:
        if node not in possible:
            known = ",".join(map(str, possible))
            raise UsageError(f"{option}={chosen[option]}: node {node} has no {what}; nodes that have: {known}")
        if asked.count(node) > 1:
            raise UsageError(f"{option}={chosen[option]} names node {node} twice")
    return tuple(asked) or possible


def matrix_of(machine: Machine, chosen: Options) -> Matrix:
    """UsageError for nodes, kernels and pages that do not exist."""
    cpus = cpus_of(machine)
    (kernel,) = options.names_of("kernel", chosen["kernel"], machine.kernels)[:1]
    if chosen["kernel"] != kernel:
        raise UsageError(f"kernel={chosen['kernel']}: one kernel is measured; try kernel={kernel}")
    found = Matrix(
        initiators={node: cpus[node] for node in chosen_nodes(chosen, "initiators", tuple(cpus), "CPU to use")},
        targets=chosen_nodes(chosen, "targets", machine.memory_nodes(), "memory"),
        kernel=kernel,
        pages=str(chosen["pages"]),
        schedule=Schedule(
            precision=float(chosen["precision"] or 0), minimum_s=0.15, budget_s=float(chosen["budget"] or 0)
        ),
    )
    found.target(found.targets[0])
    return found


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
        work = Workload(kernel=kernel, footprint_bytes=count * memory.array_bytes)
        yield Experiment(
            table="numa",
            groups=(Group(workload=work, target=target, team=Team(cpus=team), role=what),),
            schedule=matrix.schedule,
            labels={"initiator": initiator, "target": node, "what": what},
            calibrate=what == "bandwidth",
            note=memory.note,
        )


def plan(machine: Machine, chosen: Options) -> Plan:
    """All targets of one initiator before the next; the caches are searched once, by the first one beside it."""
    matrix = matrix_of(machine, chosen)
    asked = None if chosen["array"] is None else int(chosen["array"])
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
        OPTIONS,
        plan,
        kernels=True,
        details="See [how to measure nodes](../how-to/numa.md#latency-and-bandwidth-from-node-to-node).",
    )
)
