"""The content of a build of the core: kernels on ISAs, targets, victims; available here or not."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

FLUSH = "flush_"
"""The beginning of the name of each kernel that flushes what it stores."""
ROWS = ("grid2", "grid3", "tile", "crossed")
"""Places of operands that have rows."""


class Shape(msgspec.Struct, frozen=True):
    """One built way to walk."""

    streams: int
    unroll: int
    interleave_bytes: int
    prefetch: bool
    prefetchw: bool


class Operand(msgspec.Struct, frozen=True):
    """One array of a kernel: its lines in one operation, and whether they are loaded, stored or both."""

    lines: int
    loads: bool
    stores: bool
    place: str = "lines"  # where an operation touches it: see `Place` in core/kernels/kernel.hpp


class Kernel(msgspec.Struct, frozen=True):
    """One kernel on one ISA, as the core states it."""

    kernel: str
    isa: str
    rank: int
    available: bool
    reason: str
    summary: str
    source: str
    store: str
    operation: str
    needs_memory: bool
    program_bytes_per_operation: float
    bus_bytes_per_operation: float | None
    flops_per_operation: int
    operands: tuple[Operand, ...]
    shapes: tuple[Shape, ...]
    simulated: bool = True  # whether its descriptors state all that it does to memory
    flush: str = "none"  # how stored lines are written back: "none", "clflush", "clflushopt", "clwb", "msync"
    flushes: bool = False  # whether it stores blocks, and then brings them to memory
    needs: str = ""  # the CPU feature that it needs beyond those of its ISA
    check: str = "replayed"  # how its answer is checked: "replayed", "recomputed", "none"
    unchecked: str = ""  # why, where it is not


class Walk(msgspec.Struct, frozen=True):
    """The accesses of a kernel on lines, for plans that size its arrays."""

    arrays: Annotated[int, Meta(description="of equal length, as STREAM counts them")]
    read_share: Annotated[float, Meta(description="share of the program's lines that are read")]
    simulated: Annotated[bool, Meta(description="whether `target=sim` takes it")] = True
    rows: Annotated[bool, Meta(description="whether it works on a grid or a matrix, and takes `row=`")] = False


HeldIn = Literal["memory", "page cache", "file system", "pool", "device", "nothing"]


class TargetKind(msgspec.Struct, frozen=True):
    """A kind of target, and the word that names one."""

    name: str
    word: str
    summary: str
    available: bool = True
    reason: str = ""
    held_in: HeldIn = "memory"  # what its bytes are taken from


class VictimKind(msgspec.Struct, frozen=True):
    """A computation that suffers from its neighbours, as the core states it."""

    name: str
    available: bool
    reason: str
    summary: str
    source: str


class StructureKind(msgspec.Struct, frozen=True):
    """Keys and values that are inserted, found and removed, as the core states it; a persistent one is in a pool."""

    name: str
    available: bool
    reason: str
    persistent: bool
    summary: str
    source: str
    unrecorded: str = ""  # why its changes are refused on simulated memory; "" where they are not


class EventKind(msgspec.Struct, frozen=True):
    """A performance event by the kernel's own name, opened once on this machine."""

    name: str
    available: bool
    reason: str


class Preset(msgspec.Struct, frozen=True):
    """A simulated machine that is built in: the name after `sim:`."""

    name: str
    summary: str
    source: str


class Catalogue(msgspec.Struct, frozen=True):
    """All that this build contains, available here or not."""

    version: str
    compiler: str
    kernels: tuple[Kernel, ...]
    targets: tuple[TargetKind, ...]
    victims: tuple[VictimKind, ...] = ()
    structures: tuple[StructureKind, ...] = ()
    simulated: tuple[Preset, ...] = ()
    events: tuple[EventKind, ...] = ()

    def collision(self) -> str:
        """Return a name that two entries share and a plan could not distinguish, or ""."""
        work: list[tuple[str, str]] = [(f"the kernel {one.kernel}", one.kernel) for one in _once(self.kernels)]
        work += [(f"the victim {one.name}", one.name) for one in self.victims]
        work += [(f"the structure {one.name}", one.name) for one in self.structures]
        return _twice(work) or _twice([(f"the target {one.name}", one.name) for one in self.targets])

    def victims_here(self) -> dict[str, str]:
        """Return the victims: name -> "" or why this build lacks it."""
        return {one.name: "" if one.available else one.reason for one in self.victims}

    def walks(self) -> dict[str, Walk]:
        """Return the kernels on lines, by name."""
        return {
            kernel.kernel: Walk(
                len(kernel.operands),
                _read_share(kernel.operands),
                kernel.simulated,
                any(operand.place in ROWS for operand in kernel.operands),
            )
            for kernel in sorted(self.kernels, key=lambda one: one.kernel)
            if kernel.operation == "line"
        }

    def flushes(self) -> dict[str, str]:
        """Return the ways of stored lines to memory: the kernel's name without `flush_` -> the CPU feature it needs."""
        return {one.kernel.removeprefix(FLUSH): one.needs for one in self.kernels if one.flushes}

    def formless(self) -> frozenset[str]:
        """Return kernels that cannot run on simulated memory."""
        return frozenset(kernel.kernel for kernel in self.kernels if not kernel.simulated)

    def structures_here(self) -> dict[str, str]:
        """Name -> the kind of target that it takes, of those that this build has."""
        return {s.name: "pool" if s.persistent else "node" for s in self.structures if s.available}

    def structures_unrecorded(self) -> dict[str, str]:
        """Name -> why on simulated memory its keys can be got alone, of those that this build has."""
        return {s.name: s.unrecorded for s in self.structures if s.available and s.unrecorded}

    def held_in(self) -> dict[str, HeldIn]:
        """Return what limits the bytes of each kind of target, by its name."""
        return {one.name: one.held_in for one in self.targets}

    def tasks(self) -> dict[str, str]:
        """Return kernel, victim or structure -> its task: what one operation of it is."""
        return {
            **{one.name: "key" for one in self.structures},
            **{one.name: "task" for one in self.victims},
            **{one.kernel: one.operation for one in self.kernels},
        }

    def names(self) -> list[str]:
        """Return every kernel once, in the order of names."""
        return sorted({kernel.kernel for kernel in self.kernels})

    def variants(self, name: str) -> list[Kernel]:
        """Return the kernel on every ISA that runs here, best first."""
        found = [k for k in self.kernels if k.kernel == name and k.available]
        return sorted(found, key=lambda k: -k.rank)


def _once(kernels: Sequence[Kernel]) -> list[Kernel]:
    """Return the kernels, each on the first ISA that it names; one that names an ISA twice is there twice."""
    first = {one.kernel: one.isa for one in reversed(kernels)}
    return [one for one in kernels if first[one.kernel] == one.isa]


def _twice(entries: Sequence[tuple[str, str]]) -> str:
    seen: dict[str, str] = {}
    for what, name in entries:
        if name in seen:
            return f"{seen[name]} and {what} have one name"
        seen[name] = what
    return ""


def _read_share(operands: tuple[Operand, ...]) -> float:
    loads, stores = (sum(one.lines for one in operands if getattr(one, side)) for side in ("loads", "stores"))
    return loads / max(loads + stores, 1)
