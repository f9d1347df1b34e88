"""DIMMs as the firmware lists them: SMBIOS structures of type 17 in /sys/firmware/dmi/tables/DMI.

A structure is type, length, handle (little-endian), its fields, then its strings, each ended by a zero
byte, and one more zero byte. A field is at a fixed offset and exists if the length reaches past it.
Damaged tables end early: what was whole before the damage counts. The file is readable by root alone.
Source: DMTF, System Management BIOS (SMBIOS) Reference Specification, DSP0134 3.7.0, 2023: 6.1, 7.17, 7.18.
"""

from collections.abc import Iterator
from typing import NamedTuple

from tierscope.host.system import System
from tierscope.units import GiB, KiB, MiB

PATH = "/sys/firmware/dmi/tables/DMI"
ARRAY, DEVICE, END = 16, 17, 127  # types of structures: physical memory array, memory device, end of table
SHORTEST = 0x15  # a memory device of SMBIOS 2.1, up to its type
SYSTEM_MEMORY, CXL_CARD = 3, 0xA4  # a memory array's use; its location
NON_VOLATILE = (4, 5, 6, 7)  # memory technology: NVDIMM-N, -F, -P, Intel Optane
TYPES = {0x12: "DDR", 0x13: "DDR2", 0x18: "DDR3", 0x1A: "DDR4", 0x1B: "LPDDR", 0x1C: "LPDDR2", 0x1D: "LPDDR3",
         0x1E: "LPDDR4", 0x20: "HBM", 0x21: "HBM2", 0x22: "DDR5", 0x23: "LPDDR5", 0x24: "HBM3"}  # fmt: skip
MODULES = (0x09, 0x0D, 0x0F)  # form factors: DIMM, SODIMM, FB-DIMM


class Dimm(NamedTuple):
    """One memory device. Zero, "" and None mean: the firmware does not report it."""

    locator: str
    bank: str
    kind: str  # "DDR4", "DDR5", ...
    size_bytes: int  # 0 is an empty slot
    rated_mt_s: int  # what the module can, 10^6 transfers per second
    configured_mt_s: int  # what it runs at
    data_bits: int
    module: bool  # a DIMM, not a soldered chip
    volatile: bool
    cxl: bool  # on a CXL card, not on the memory bus


class Structure(NamedTuple):
    """One structure of the table."""

    kind: int
    handle: int
    fields: bytes  # with the header of four bytes, so that offsets are those of the specification
    strings: tuple[str, ...]

    def number(self, offset: int, size: int) -> int:
        """Return a little-endian field; 0 where the structure ends before it."""
        return int.from_bytes(self.fields[offset : offset + size], "little") if len(self.fields) >= offset + size else 0

    def text(self, offset: int) -> str:
        """Return a string by its number, counted from one; "" where there is none."""
        index = self.number(offset, 1)
        return self.strings[index - 1].strip() if 0 < index <= len(self.strings) else ""


def structures(table: bytes) -> Iterator[Structure]:
    """Yield all whole structures of a table, in its order."""
    at = 0
    while at + 4 <= len(table):
        kind, length = table[at], table[at + 1]
        end = table.find(b"\0\0", at + length)
        if length < 4 or at + length > len(table) or end < 0:
            return
        strings = tuple(part.decode("latin-1") for part in table[at + length : end].split(b"\0"))
        yield Structure(kind, int.from_bytes(table[at + 2 : at + 4], "little"), table[at : at + length], strings)
        if kind == END:
            return
        at = end + 2


def dimms(system: System) -> tuple[Dimm, ...] | None:
    """Return all slots of system memory, empty ones too; None when the table is absent or not readable."""
    table = system.bytes(PATH)
    return None if table is None else parse(table)


def parse(table: bytes) -> tuple[Dimm, ...]:
    """Return the memory devices of a raw table; those of arrays that are not system memory are left out."""
    found = tuple(structures(table))
    arrays = {each.handle: each for each in found if each.kind == ARRAY}
    devices = [each for each in found if each.kind == DEVICE and len(each.fields) >= SHORTEST]
    pairs = ((each, arrays.get(each.number(0x04, 2))) for each in devices)
    return tuple(_dimm(each, array) for each, array in pairs if array is None or array.number(0x05, 1) == SYSTEM_MEMORY)


def _dimm(device: Structure, array: Structure | None) -> Dimm:
    code, bits = device.number(0x12, 1), device.number(0x0A, 2)
    return Dimm(
        locator=device.text(0x10),
        bank=device.text(0x11),
        kind=TYPES.get(code, ""),
        size_bytes=_size(device),
        rated_mt_s=_speed(device, 0x15, 0x54),
        configured_mt_s=_speed(device, 0x20, 0x58),
        data_bits=0 if bits == 0xFFFF else bits,
        module=device.number(0x0E, 1) in MODULES,
        volatile=device.number(0x28, 1) not in NON_VOLATILE,
        cxl=array is not None and array.number(0x04, 1) == CXL_CARD,
    )


def _size(device: Structure) -> int:
    """Return the size in bytes; 0 is unknown.

    At 0x0C: bit 15 set is KiB, else MiB; 0x7FFF: the extended size at 0x1C in MiB; 0xFFFF: unknown.
    """
    size = device.number(0x0C, 2)
    if size == 0x7FFF:
        return (device.number(0x1C, 4) & 0x7FFFFFFF) * MiB
    if size == 0xFFFF:
        return 0
    return (size & 0x7FFF) * KiB if size & 0x8000 else size * MiB


def _speed(device: Structure, offset: int, extended: int) -> int:
    """Return MT/s; 0xFFFF stands for the extended field."""
    speed = device.number(offset, 2)
    return device.number(extended, 4) & 0x7FFFFFFF if speed == 0xFFFF else speed


def describe(slots: tuple[Dimm, ...]) -> str:
    """Return '16 x 32 GiB DDR5-4800'; kinds apart, by the speed they run at; "" for no filled slot."""
    groups: dict[str, int] = {}
    for dimm in slots:
        if dimm.size_bytes:
            speed = f"-{dimm.configured_mt_s}" if dimm.configured_mt_s else ""
            special = ("" if dimm.volatile else " non-volatile") + (" on CXL" if dimm.cxl else "")
            name = f"{dimm.size_bytes / GiB:g} GiB {dimm.kind or 'memory'}{speed}{special}"
            groups[name] = groups.get(name, 0) + 1
    return ", ".join(f"{count} x {name}" for name, count in sorted(groups.items()))
