"""The parts of a virtual machine: nodes, CPUs, distances, HMAT, and further devices, as QEMU is given them.

Source: QEMU, "qemu-system-x86_64(1)" (-numa node, dist, hmat-lb); ACPI 6.5, 5.2.28 (HMAT).
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Node:
    """One NUMA node. `latency_ns`, `bandwidth_mb` (1e6 bytes/s): the HMAT, for each node with CPUs by its number."""

    memory_mib: int  # 0 where memory comes later
    cpus: str = ""  # "0-3"; "" is a node of memory alone
    nearest: int | None = None  # its initiator, where it has no CPUs
    latency_ns: tuple[int, ...] = ()
    bandwidth_mb: tuple[int, ...] = ()


@dataclass(frozen=True)
class Shape:
    """The emulated machine. `smp`: as QEMU takes it. `distances[i][j]`: of node j from i; (): the default."""

    nodes: tuple[Node, ...]
    smp: str = "2"
    distances: tuple[tuple[int, ...], ...] = ()
    modules: tuple[str, ...] = ()  # of the kernel, in addition to those of the network
    tools: tuple[str, ...] = ()  # programs of this system to copy, see image.TOOLS
    pools: bool = False  # copies the core that serves pools, with its libraries
    words: tuple[str, ...] = ()  # for QEMU: further devices
    boot: tuple[str, ...] = ()  # for the kernel
    cpu: str = "max,vendor=GenuineIntel"  # Linux believes AMD's threads only of models that QEMU does not emulate
    media_mib: int = 0  # bytes of its devices, which are files here

    @property
    def initiators(self) -> tuple[int, ...]:
        """Return the nodes with CPUs."""
        return tuple(number for number, node in enumerate(self.nodes) if node.cpus)

    @property
    def memory_mib(self) -> int:
        """Return the memory of all nodes."""
        return sum(node.memory_mib for node in self.nodes)

    def arguments(self, cpu: str = "") -> list[str]:
        """Return memory, CPUs, nodes, distances and HMAT for QEMU. cpu: another model than that of the shape."""
        hmat = "on" if any(node.latency_ns for node in self.nodes) else "off"
        words = ["-machine", f"pc,hmat={hmat}", "-cpu", cpu or self.cpu, "-smp", self.smp, "-m", f"{self.memory_mib}M"]
        for number, node in enumerate(self.nodes):
            if node.memory_mib:
                words += ["-object", f"memory-backend-ram,id=ram{number},size={node.memory_mib}M"]
            words += ["-numa", _node(number, node, hmat == "on")]
        for i, row in enumerate(self.distances):
            words += [w for j, d in enumerate(row) if i != j for w in ("-numa", f"dist,src={i},dst={j},val={d}")]
        return [*words, *(w for number, node in enumerate(self.nodes) for w in self._hmat(number, node)), *self.words]

    def _hmat(self, target: int, node: Node) -> Iterator[str]:
        for initiator, latency, bandwidth in zip(self.initiators, node.latency_ns, node.bandwidth_mb, strict=False):
            one = f"hmat-lb,initiator={initiator},target={target},hierarchy=memory,data-type=access"
            yield from ("-numa", f"{one}-latency,latency={latency}")
            yield from ("-numa", f"{one}-bandwidth,bandwidth={bandwidth}M")


def _node(number: int, node: Node, hmat: bool) -> str:
    cpus = "".join(f",cpus={part}" for part in node.cpus.split(",") if part)
    near = number if node.cpus else node.nearest
    initiator = f",initiator={near}" if hmat and near is not None else ""
    memory = f",memdev=ram{number}" if node.memory_mib else ""
    return f"node,nodeid={number}{memory}{cpus}{initiator}"
