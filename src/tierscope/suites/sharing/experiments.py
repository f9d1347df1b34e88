"""Two CPUs alone and together, on work within a core and on memory: what they share, whatever the system reports.

A hypervisor may show two hardware threads of one core as two cores, and may move the CPUs of a guest at any time. If
two CPUs share a core, work that fills the core takes twice as long while both run: here additions in registers
(`busy`), which touch no memory. If one thread fills their path to memory, or the path is capped, two threads move no
more bytes than one: here they write past the caches.

All four takes (core alone, core together, memory alone, memory together) alternate in one experiment of half a second,
which is a moment. Visits of a point are further moments, and are not pooled. On a machine with many CPUs, a few pairs
are measured: the first with the next, and with the one in the middle of the others, none that the system lists on its
own core. CPUs of a simulated machine are cores, so only memory is measured there.
Blind to other kernels, which may gain where this one does not, and to what more than two CPUs share. Also blind to the
difference between one core and a host on which two CPUs alternate on one core for less than a block. Longer alternation
is unknown.
Source: D. M. Tullsen, S. J. Eggers, H. M. Levy, "Simultaneous Multithreading: Maximizing On-Chip Parallelism", ISCA
1995 (threads of one core share its issue slots); J. D. McCalpin, "Memory Bandwidth and Machine Balance in Current High
Performance Computers", IEEE TCCA Newsletter, 1995 (bandwidth over threads).
"""

from collections.abc import Generator
from typing import Annotated

from tierscope.errors import MachineError, UsageError
from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import chosen_cpus
from tierscope.plans.kernels import walk_of
from tierscope.plans.kinds import Help, Numbers, Share, Time, Visits
from tierscope.plans.simulation import NAME as SIMULATED
from tierscope.plans.sizes import MEMORY_SHARE, Memory, array, free_bytes, half_of_what
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.call import CallWork
from tierscope.record.work.line import LineWork
from tierscope.stats.contrast import ROUNDS, VICTIM
from tierscope.suites.sharing.labels import SharingLabels
from tierscope.units import MiB, show_bytes

IN_CORE = "busy"
DIRECT, PLAIN = "write_nt", "write"  # the second where no store passes the caches by
DIRECT_BYTES = 64 * MiB  # passes the caches by, so that only page walks grow with it
OTHER = "other"  # the role of the CPU that runs with the first
TAKES, AGAINST = ((0,), (0, 1), (2,), (2, 3)), (0, 0, 2, 2)  # within the core alone, together; the same on memory
BLOCK_S = 0.5e-3
BATCH_S = 0.01  # of one take in one round: twenty blocks; the contrast takes the second half
ROUNDS_S = 0.16  # of one take in one moment: sixteen rounds at most; eight are enough


class SharingOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run sharing`."""

    target: Annotated[Target | None, Help("where the bytes live; auto: the node of the first CPU")] = None
    cpus: Annotated[
        Numbers | None,
        Help(
            "CPUs to pair, the first with each of the others; auto: two pairs at most, none that is listed as one core"
        ),
    ] = None
    kernel: Annotated[
        str | None, Help("kernel on memory; auto: `write_nt`, or `write` where no store passes the caches by")
    ] = None
    precision: Annotated[Share, Help("half of the 95 % interval over a ratio")] = 0.1
    budget: Annotated[Time, Help("most seconds timed for each take of one moment")] = ROUNDS_S
    visits: Visits = 3


def pairs(machine: Machine, chosen: SharingOptions) -> tuple[tuple[int, int], ...]:
    """Return the first CPU with some others; MachineError if it is alone, UsageError for too few or equal ones."""
    cpus = chosen_cpus(machine, chosen.cpus, home(machine, chosen))
    if len(cpus) < 2 or len(set(cpus)) < len(cpus):
        if chosen.cpus:
            raise UsageError(f"cpus={','.join(map(str, cpus))}: a pair needs two CPUs, each named once; try cpus=0,1")
        raise MachineError("a pair needs two CPUs; this process may use one: allow it another (doctor: cpus)")
    if chosen.cpus:
        return tuple((cpus[0], other) for other in cpus[1:])
    core_of = {cpu.number: (cpu.package, cpu.core) for cpu in machine.identity.cpus}
    others = [cpu for cpu in cpus[1:] if core_of[cpu] != core_of[cpus[0]]] or cpus[1:]
    return tuple((cpus[0], other) for other in dict.fromkeys((others[0], others[len(others) // 2])))


def home(machine: Machine, chosen: SharingOptions) -> Target:
    """Return the target that was asked for, or the nearest node with memory."""
    if chosen.target is not None:
        return chosen.target
    first = (chosen.cpus or machine.cpus())[0]
    node = next((cpu.node for cpu in machine.identity.cpus if cpu.number == first), 0)
    return Target(where=str(machine.nearest_memory(node)))


def kernel_of(machine: Machine, chosen: SharingOptions) -> str:
    """Return the kernel on memory; UnknownNameError for one that visits no lines."""
    kernel = chosen.kernel or (DIRECT if DIRECT in machine.kernels else PLAIN)
    walk_of(machine, kernel)
    return kernel


def memory_of(machine: Machine, kernel: str, pair: tuple[int, int], target: Target) -> Memory:
    """Return the bytes of each array of one CPU: beyond the caches, unless no cache keeps what is written."""
    if not kernel.endswith("_nt"):
        return array(machine, None, pair, 2 * walk_of(machine, kernel).arrays, target)
    limit = int(free_bytes(machine, target) * MEMORY_SHARE / 2 / walk_of(machine, kernel).arrays)
    if limit >= DIRECT_BYTES:
        return Memory(DIRECT_BYTES, "")
    size = max(limit // MiB, 1) * MiB
    less = f"arrays of {show_bytes(size)} instead of {show_bytes(DIRECT_BYTES)}"
    return Memory(size, f"{less}: limited by {half_of_what(machine, target)}")


def point(machine: Machine, pair: tuple[int, int], chosen: SharingOptions) -> Experiment:
    """Return the experiment with the four takes of one pair."""
    target, kernel = home(machine, chosen), kernel_of(machine, chosen)
    memory = memory_of(machine, kernel, pair, target)
    bytes_of_one = walk_of(machine, kernel).arrays * memory.array_bytes
    works = [(Workload(kernel=kernel, footprint_bytes=bytes_of_one, work=LineWork()), target)]
    if target.name != SIMULATED:
        inside = Workload(kernel=IN_CORE, footprint_bytes=0, work=CallWork())
        works.insert(0, (inside, Target(name="null", where="")))
    groups = tuple(
        Group(workload=work, target=where, team=Team(cpus=(cpu,)), role=role)
        for work, where in works
        for cpu, role in zip(pair, (VICTIM, OTHER), strict=True)
    )
    takes = len(groups)
    schedule = Schedule(
        block_s=BLOCK_S,
        precision=chosen.precision,
        minimum_s=BATCH_S,
        budget_s=chosen.budget * max(chosen.visits, 1),
        visits=chosen.visits,
        piece_s=ROUNDS * BATCH_S,  # each moment stands for itself
    )
    return Experiment(
        table="sharing",
        groups=groups,
        schedule=schedule,
        labels=SharingLabels(a_cpu=pair[0], b_cpu=pair[1]).stored(),
        note=memory.note,
        takes=TAKES[:takes],
        against=AGAINST[:takes],
    )


def measure(machine: Machine, chosen: SharingOptions) -> Generator[Experiment, Answer, None]:
    """Yield one experiment for each pair."""
    for pair in pairs(machine, chosen):
        yield point(machine, pair, chosen)


def plan(machine: Machine, chosen: SharingOptions) -> Plan:
    yield from measure(machine, chosen)


suites.add(
    Suite(
        "sharing",
        "whether two CPUs share a core, and whether two threads get more from memory than one",
        SharingOptions,
        plan,
        kernels=True,
        details="Runs work within a core and work on memory on one CPU and on two, alternately, for half a second. "
        "Each visit is a moment of its own, so that a change during the run shows. `quick` does the same at its start "
        "and at its end. Needs two CPUs.",
    )
)
