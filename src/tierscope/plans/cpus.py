"""Which CPUs and how many threads a suite uses, from its options and the machine."""

from tierscope.errors import UsageError
from tierscope.plans import Options, options
from tierscope.record.experiment import Target
from tierscope.record.machine import Machine


def near_cpus(machine: Machine, target: Target) -> tuple[int, ...]:
    """The CPUs of the target's node, all that may be used where it has none (CXL) or is no node."""
    nodes = {cpu.number: cpu.node for cpu in machine.identity.cpus}
    near = tuple(cpu for cpu in machine.cpus() if str(nodes[cpu]) == target.node)
    return near or machine.cpus()


def chosen_cpus(machine: Machine, chosen: Options, target: Target) -> tuple[int, ...]:
    """The CPUs asked for, each of which this process may use, or those of the target's node."""
    usable = machine.cpus()
    asked = tuple(options.numbers_of(chosen["cpus"], "cpus"))
    for cpu in asked:
        if cpu not in usable:
            raise UsageError(f"CPU {cpu} may not be used here; usable: {','.join(map(str, usable))}")
    return asked or near_cpus(machine, target)


def thread_counts(chosen: Options, cpus: tuple[int, ...]) -> list[int]:
    """Powers of two and all, or those asked for; UsageError for more than there are CPUs."""
    counts = options.numbers_of(chosen["threads"], "threads")
    if not counts:
        counts = [n for n in (1 << shift for shift in range(16)) if n < len(cpus)] + [len(cpus)]
    for count in counts:
        if not 1 <= count <= len(cpus):
            usable = ",".join(map(str, cpus))
            raise UsageError(
                f"threads={count} does not fit the CPUs that may be used, {usable}; try threads={len(cpus)}"
            )
    return counts
