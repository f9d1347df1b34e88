"""The load and its place: kernels with a stride, CPUs and memory of other nodes.

A load in sequence without gaps runs the kernels on whole arrays in their calibrated loop variant. A load that leaves
out lines, or that accesses them at random, runs kernels on blocks of one line: `read_blocks`, `flush_none`, `flush_nt`
and `mix_blocks_...`. Gaps do not enlarge the capacity of the caches. So arrays with gaps are larger by the size of the
gaps, within a quarter of the free memory for the chaser and for the load.
"""

from dataclasses import dataclass

from tierscope.errors import MachineError, UsageError
from tierscope.plans.cpus import near_cpus, refuse_unusable
from tierscope.plans.kernels import walk_of
from tierscope.plans.kinds import Numbers, word_numbers
from tierscope.plans.sizes import Memory, free_bytes
from tierscope.record.experiment import Target, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.block import BlockWork
from tierscope.record.work.hop import HopWork
from tierscope.record.work.line import LineWork
from tierscope.units import LINE_BYTES, MiB, show_bytes

RANDOM, SEQUENTIAL = ORDERS = ("random", "sequential")
ON_BLOCKS = {"read": "read_blocks", "write": "flush_none", "write_nt": "flush_nt"}
QUARTER = 0.25  # of the free memory, for arrays with gaps


@dataclass(frozen=True)
class Steps:
    """How accesses follow each other: bytes from one to the next, and their order."""

    stride: int = LINE_BYTES
    order: str = SEQUENTIAL

    @property
    def whole(self) -> bool:
        """Return whether the accesses go through whole arrays."""
        return self == Steps()


@dataclass(frozen=True)
class Place:
    """CPUs and memory of the load, and the chaser's CPU."""

    chaser: int
    cpus: tuple[int, ...]
    target: Target
    note: str = ""


def spread(machine: Machine, array_bytes: int, stride: int, target: Target) -> tuple[int, str]:
    """Return the bytes over which an array with gaps has as many lines as one without, and why they are fewer."""
    wanted = array_bytes * (stride // LINE_BYTES)
    limit = max(int(free_bytes(machine, target) * QUARTER) // MiB * MiB, stride * LINE_BYTES)
    if wanted <= max(limit, array_bytes):
        return wanted, ""
    size = max(limit, array_bytes)
    fewer = show_bytes(size // stride * LINE_BYTES)
    return size, f"lines of {fewer} instead of {show_bytes(array_bytes)}, {stride} bytes apart: limited by free memory"


def chase_of(machine: Machine, array_bytes: int, steps: Steps, target: Target) -> tuple[Workload, str]:
    """Return the chaser's work, and a note. In sequence, each window of the cycle is one element."""
    size, note = spread(machine, array_bytes, steps.stride, target)
    work = HopWork(element_bytes=steps.stride)
    if steps.order == SEQUENTIAL:
        work = HopWork(element_bytes=steps.stride, locality_bytes=steps.stride, order=SEQUENTIAL)
    return Workload(kernel="chase", footprint_bytes=size, work=work), note


def load_of(
    machine: Machine, mix: str, memory: Memory, steps: Steps, target: Target, pace: tuple[int, int]
) -> tuple[Workload, str]:
    """Return the work of a load, and a note. pace: core cycles of delay, and bytes between two delays."""
    arrays, (delay, burst) = walk_of(machine, mix).arrays, pace
    if steps.whole:
        size, note, kernel = memory.footprint(arrays), "", mix
    else:
        kernel = ON_BLOCKS.get(mix, mix.replace("mix_", "mix_blocks_"))
        lines = memory.footprint(arrays) * LINE_BYTES // steps.stride
        size, note = spread(machine, max(memory.array_bytes, lines), steps.stride, target)
    stores = mix.startswith("write")
    work = LineWork() if steps.whole else BlockWork(
        element_bytes=steps.stride, access_bytes=LINE_BYTES, order=steps.order, fence="never" if stores else ""
    )  # fmt: skip
    return Workload(kernel=kernel, footprint_bytes=size, work=work, pace_cycles=delay, burst_bytes=burst), note


def apart(machine: Machine, cpus: tuple[int, ...]) -> tuple[tuple[int, ...], str]:
    """Return the CPUs without the other hardware threads of the chaser's core, which share its first caches.

    The second value is a note if no CPU is left.
    """
    core_of = {cpu.number: (cpu.package, cpu.core) for cpu in machine.identity.cpus}
    others = tuple(cpu for cpu in cpus[1:] if core_of[cpu] != core_of[cpus[0]])
    if others:
        return (cpus[0], *others), ""
    return cpus, "the load shares the chaser's core: no other core may be used"


def place_of(
    machine: Machine,
    target: Target,
    cpus: Numbers | None,
    load_cpus: Numbers | None,
    load_node: int | None,
    load_target: Target | None,
) -> Place:
    """Return who chases and who loads; UsageError for CPUs that do not fit, MachineError where there are too few."""
    refuse_unusable(machine, (*(cpus or ()), *(load_cpus or ())))
    near = cpus or near_cpus(machine, target)
    memory = load_target.on(target.pages) if load_target else target
    if load_cpus is None and load_node is None:
        return _beside(machine, near, memory, named=cpus is not None)
    others = load_cpus or _of_node(machine, load_node)
    if near[0] in others:
        if cpus is not None or load_cpus is not None:
            raise UsageError(f"CPU {near[0]} chases, and cannot load; try other load_cpus= than {word_numbers(others)}")
        others = tuple(cpu for cpu in others if cpu != near[0])
    if not others:
        raise MachineError(f"node {load_node} has no CPU but the chaser's; name the chaser's with cpus=")
    return Place(near[0], others, memory)


def _beside(machine: Machine, cpus: tuple[int, ...], memory: Target, *, named: bool) -> Place:
    """Return the place in which the first CPU chases, and the others load."""
    if len(cpus) < 2:
        why = "loaded latency needs two CPUs, one to chase and one to load; this process may use one"
        raise MachineError(f"{why}; allow it another, or measure without load: tierscope run latency")
    kept, crowded = (cpus, "") if named else apart(machine, cpus)
    return Place(kept[0], kept[1:], memory, crowded)


def _of_node(machine: Machine, node: int | None) -> tuple[int, ...]:
    """Return the CPUs of a node that may be used; UsageError where there is none."""
    usable = machine.cpus()
    nodes = {cpu.number: cpu.node for cpu in machine.identity.cpus}
    found = tuple(cpu for cpu in usable if nodes[cpu] == node)
    if not found:
        known = sorted({nodes[cpu] for cpu in usable})
        raise UsageError(f"load_node={node} has no CPU that may be used; nodes with CPUs: {word_numbers(known)}")
    return found
