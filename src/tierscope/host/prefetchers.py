"""Hardware prefetchers, switched by a model-specific register of each CPU through /dev/cpu/N/msr.

A bit that is 1 disables one prefetcher. Intel, family 6: register 0x1A4, bits 0 to 3 (L2 streamer, L2 adjacent line, L1
next line, L1 by instruction). AMD, family 0x19 and later: register 0xC0000108, bits 0 to 3 and 5 (L1 stream, stride,
region; L2 stream, up and down). The value of a switch is stored in a file before the first write, so that whoever comes
later can put it back. Every write is read back, since hypervisors may ignore it.
Blind to prefetchers that have no bit there: of the last-level cache, of the memory controller, of newer cores.
Source: Intel, "Disclosure of Hardware Prefetcher Control on Some Intel Processors", 2014; AMD, "Processor Programming
Reference for Family 19h", PrefetchControl; Linux, msr(4).
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tierscope.errors import MachineError, reason
from tierscope.host.boot import boot_of
from tierscope.host.kept import KeptFile, OfStart
from tierscope.host.system import System

STORED = "var/lib/tierscope/prefetchers.json"
"""Below the root of the system: what the registers contained before a run changed them."""


@dataclass(frozen=True)
class Register:
    """Where the bits are; each disables one prefetcher."""

    address: int
    bits: int


INTEL, AMD = Register(0x1A4, 0b1111), Register(0xC0000108, 0b101111)


class Kept(OfStart, frozen=True, kw_only=True):
    """The file STORED. values: CPU -> the whole register."""

    address: int
    bits: int
    values: dict[str, int]


def register_of(system: System) -> Register:
    """Return the register of this processor; MachineError for one without a published register."""
    text = system.read("/proc/cpuinfo", 1 << 16) or ""
    vendor, family = (_line(text, name) for name in ("vendor_id", "cpu family"))
    if vendor == "GenuineIntel" and family == "6":
        return INTEL
    if vendor == "AuthenticAMD" and family.isdecimal() and int(family) >= 0x19:
        return AMD
    known = "Intel family 6 and AMD family 25 and later have one"
    raise MachineError(
        f"no register for prefetchers is known of {vendor or 'this CPU'}, family {family or '?'}; {known}"
    )


def _line(text: str, name: str) -> str:
    found = re.search(rf"^{name}\s*: *(.*)$", text, re.MULTILINE)
    return found[1].strip() if found else ""


class Registers:
    """The registers of all CPUs below `root`. system: that reads the file, if it is that of another machine."""

    def __init__(self, root: Path, system: System | None = None) -> None:
        self.root = root
        self.system = system or System(root)
        self.file = KeptFile(
            self.system, STORED, Kept,
            content="the state of the prefetchers", changes="the prefetchers", option="prefetch=",
        )  # fmt: skip

    def cpus(self) -> list[int]:
        """Return the CPUs with a register file; MachineError where there is none."""
        found = sorted(
            int(path.parent.name) for path in (self.root / "dev/cpu").glob("*/msr") if path.parent.name.isdecimal()
        )
        if not found:
            raise MachineError("there is no /dev/cpu/*/msr: load the module with sudo modprobe msr; containers lack it")
        return found

    def read(self, cpu: int, address: int) -> int:
        """Return the register of a CPU; MachineError that names the cause."""
        path = self._path(cpu)
        try:
            handle = os.open(path, os.O_RDONLY)
            try:
                content = os.pread(handle, 8, address)
            finally:
                os.close(handle)
        except OSError as error:
            raise _refused(path, address, error, "read") from error
        if len(content) != 8:
            raise MachineError(f"{path} has no register {address:#x}: {len(content)} of 8 bytes were read")
        return int.from_bytes(content, "little")

    def write(self, cpu: int, address: int, value: int) -> None:
        """Write the register of a CPU, and read it back; MachineError where it is not what was written."""
        path = self._path(cpu)
        try:
            handle = os.open(path, os.O_WRONLY)
            try:
                os.pwrite(handle, value.to_bytes(8, "little"), address)
            finally:
                os.close(handle)
        except OSError as error:
            raise _refused(path, address, error, "write") from error
        back = self.read(cpu, address)
        if back != value:
            ignored = f"register {address:#x} of CPU {cpu} is {back:#x} after {value:#x} was written"
            raise MachineError(f"{ignored}: the hypervisor or the firmware ignores writes; leave prefetch= out")

    def kept(self) -> Kept | None:
        """Return what a run of this start stored and nobody has put back; MachineError for a file that is damaged."""
        return self.file.of_this_start()

    def keep(self, register: Register) -> Kept:
        """Store what all registers contain, before any is written; MachineError where another run has stored it."""
        values = {str(cpu): self.read(cpu, register.address) for cpu in self.cpus()}
        kept = Kept(address=register.address, bits=register.bits, boot=boot_of(self.system), values=values)
        self.file.write(kept)
        return kept

    def switch(self, kept: Kept, *, on: bool) -> None:
        """Enable or disable all prefetchers of all CPUs; their other bits stay."""
        for cpu, value in kept.values.items():
            self.write(int(cpu), kept.address, value & ~kept.bits if on else value | kept.bits)

    def restore(self) -> int:
        """Put back what was stored, and remove the file; return the number of CPUs, 0 where nothing was written.

        A CPU that went offline since is left out: it gets its register from the firmware.
        """
        if self.file.forget_earlier() or (kept := self.kept()) is None:
            return 0
        there = set(self.cpus())
        for cpu in (int(cpu) for cpu in kept.values if int(cpu) in there):
            self.write(cpu, kept.address, kept.values[str(cpu)])
        self.file.remove()
        return len(kept.values)

    def changed(self, kept: Kept) -> list[int]:
        """Return the CPUs whose register differs from what was stored."""
        there: Iterable[int] = self.cpus()
        return [c for c in there if str(c) in kept.values and self.read(c, kept.address) != kept.values[str(c)]]

    def _path(self, cpu: int) -> Path:
        return self.root / f"dev/cpu/{cpu}/msr"


def _refused(path: Path, address: int, error: OSError, what: str) -> MachineError:
    """Return the error, with what to try: a hypervisor that has no such register answers EIO."""
    steps = {
        "Permission denied": "prefetch= needs root",
        "Operation not permitted": "prefetch= needs root and CAP_SYS_RAWIO, and no lockdown of the kernel",
        "Input/output error": "this CPU or its hypervisor has no such register; leave prefetch= out",
    }
    why = reason(error)
    return MachineError(f"{what} register {address:#x} of {path}: {why}; {steps.get(why, 'see msr(4)')}")
