"""Streams of the tracer, made by hand as tracer/README.md defines them."""

import struct
from collections.abc import Sequence

MAGIC = b"TSFLOW01"
NONE = 255
INTEGER, MOVE, BRANCH = 1, 11, 12
LENGTH = 3  # bytes of an instruction


def chunk(kind: int, payload: bytes, thread: int = 0) -> bytes:
    return struct.pack("<IIQ", kind, thread, len(payload)) + payload


def instruction(
    kind: int = INTEGER,
    *,
    at: int = 0x1000,
    address: Sequence[int] = (),
    data: Sequence[int] = (),
    writes: Sequence[int] = (),
    loads: int = 0,
    stores: int = 0,
    flags: int = 0,
) -> bytes:
    registers = b"".join(
        bytes([*some, *[NONE] * (size - len(some))]) for some, size in ((address, 4), (data, 8), (writes, 8))
    )
    return struct.pack("<QQHHBBBBB", at, 0, 8, 8, LENGTH, kind, flags, loads, stores) + registers + bytes(3)


def block(number: int, *instructions: bytes) -> bytes:
    return chunk(1, struct.pack("<II", number, len(instructions)) + b"".join(instructions))


def access(address: int, of: int = 0, *, store: bool = False, shift: int = 3) -> int:
    return address | of << 48 | store << 57 | shift << 58 | 1 << 61


def events(*words: int, thread: int = 0) -> bytes:
    return chunk(2, struct.pack(f"<{len(words)}Q", *words), thread)


def lines(*addresses: int, thread: int = 0, of: int = 0) -> bytes:
    """Return a chunk of lines of a gap: loads of data, or with of=1 instructions."""
    words = [access(address, of, shift=6) for address in addresses]
    return chunk(8, struct.pack(f"<{len(words)}Q", *words), thread)


def gap(instructions: int, warm: int = 0, stated: int = 0) -> bytes:
    return chunk(5, struct.pack("<QQQ", instructions, warm, stated))


def place(number: int, name: str = "module+0x10", kind: str = "site") -> bytes:
    return chunk(6, f"{kind} {number}\t{name}".encode())


def phase(name: bytes, untraced: int = 0, thread: int = 0) -> bytes:
    return chunk(7, struct.pack("<Q", untraced) + name, thread)


def allocation(address: int, size: int, of: int) -> tuple[int, int]:
    return address | 1 << 62, size | of << 48


def end_of(address: int) -> int:
    return address | 3 << 62


END = chunk(4, b"")

SMALL = (
    MAGIC + block(0, instruction(MOVE, address=[0], writes=[0])) + events(0, access(0x4000), 0, access(0x8000)) + END
)
"""One instruction, run twice: a load whose address is what it loaded before."""
