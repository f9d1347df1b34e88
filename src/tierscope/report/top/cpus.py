"""The CPUs that load a target: how many, on how many cores, and whether they are next to it."""

from dataclasses import dataclass

from tierscope.plans.cpus import near_cpus
from tierscope.record.experiment import Target
from tierscope.record.machine import Machine
from tierscope.units import LINE_BYTES, show_rate


@dataclass(frozen=True, slots=True)
class Cpus:
    """The CPUs that may be used, of the target's node if it has any."""

    count: int
    cores: int  # as the system lists them
    nodes: tuple[int, ...]  # that they belong to
    near: bool  # they belong to the node of the target, or no CPU does
    whole: bool  # the target is all memory that the machine has: the theoretical peak is its own
    line_bytes: int = LINE_BYTES  # of the caches
    peak: str = ""  # theoretical, of all memory, and where it is from; "" where it is not known

    @property
    def siblings(self) -> bool:
        """Return whether two of them, and there are no others, are hardware threads of one core."""
        return self.count == 2 and self.cores == 1


def cpus_of(machine: Machine, target: str) -> Cpus:
    """Return the CPUs that load a target by its word, such as `node:0`."""
    name, _, where = target.partition(":")
    word = Target(name=name, where=where)
    usable = near_cpus(machine, word) if name == "node" else machine.equal_cpus()
    known = {cpu.number: cpu for cpu in machine.identity.cpus}
    nodes = tuple(sorted({known[cpu].node for cpu in usable}))
    memories = [node for node in machine.identity.nodes if node.memory_bytes > 0]
    own = [node for node in memories if f"node:{node.number}" == target]
    return Cpus(
        count=len(usable),
        cores=len({(known[cpu].package, known[cpu].core) for cpu in usable}),
        nodes=nodes,
        near=not own or not own[0].cpus or nodes == (own[0].number,),
        whole=bool(own) and len(memories) == 1 and bool(own[0].cpus),
        line_bytes=machine.line_bytes(),
        peak=_peak(machine),
    )


def _peak(machine: Machine) -> str:
    """Return '19.20 GB/s (SMBIOS: 1 x DDR4-2400)'."""
    if not machine.peak_bytes_per_s:
        return ""
    return f"{show_rate(machine.peak_bytes_per_s)}{f' ({machine.peak_source})' if machine.peak_source else ''}"
