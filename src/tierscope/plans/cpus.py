"""The CPUs and the number of threads of a suite, from its options and the machine."""

from collections.abc import Iterable

from tierscope.errors import UsageError
from tierscope.plans.kinds import Numbers, word_numbers
from tierscope.record.experiment import Target
from tierscope.record.machine import Machine


def near_cpus(machine: Machine, target: Target) -> tuple[int, ...]:
    """Return the CPUs of the target's node; all usable CPUs if the node has none (CXL) or the target is not a node.

    If cores differ in size, only the largest are returned: a team of different cores measures the mix, not the memory.
    """
    nodes = {cpu.number: cpu.node for cpu in machine.identity.cpus}
    equal = machine.equal_cpus()
    near = tuple(cpu for cpu in equal if str(nodes[cpu]) == target.node)
    return near or equal


def refuse_unusable(machine: Machine, asked: Iterable[int]) -> None:
    """Raise UsageError for a CPU that this process may not use."""
    usable = machine.cpus()
    for cpu in asked:
        if cpu not in usable:
            raise UsageError(f"CPU {cpu} may not be used here; usable: {','.join(map(str, usable))}")


def chosen_cpu(machine: Machine, asked: int | None, target: Target) -> int:
    """Return the CPU asked for, which this process may use, or the first of the target's node."""
    cpu = near_cpus(machine, target)[0] if asked is None else asked
    refuse_unusable(machine, (cpu,))
    return cpu


def chosen_cpus(machine: Machine, asked: Numbers | None, target: Target) -> tuple[int, ...]:
    """Return the requested CPUs, or those of the target's node.

    UsageError for one that this process may not use, and for one that is named twice: two threads would share it.
    """
    refuse_unusable(machine, asked or ())
    if asked and len(set(asked)) < len(asked):
        raise UsageError(f"cpus={word_numbers(asked)} names a CPU twice; name each once")
    return asked or near_cpus(machine, target)


def thread_counts(asked: Numbers | None, cpus: tuple[int, ...]) -> tuple[int, ...]:
    """Return powers of two and all, or those asked for; UsageError for more than there are CPUs."""
    powers = tuple(1 << shift for shift in range(16))
    counts = asked or (*(count for count in powers if count < len(cpus)), len(cpus))
    for count in counts:
        if not 1 <= count <= len(cpus):
            usable = ",".join(map(str, cpus))
            raise UsageError(
                f"threads={count} does not fit the CPUs that may be used, {usable}; try threads={len(cpus)}"
            )
    return counts
