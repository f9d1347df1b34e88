"""The tracer's stream (tracer/README.md) as arrays: which blocks ran, and the addresses of their loads and stores.

Only one thread is served. Everything behind a gap is dropped: another simulator gets a trace without gaps.
"""

import struct
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from tierscope.errors import UsageError

MAGIC = b"TSFLOW01"
INSTRUCTION = np.dtype(
    [("address", "<u8"), ("target", "<u8"), ("load_bytes", "<u2"), ("store_bytes", "<u2"), ("length", "u1"),
     ("kind", "u1"), ("flags", "u1"), ("loads", "u1"), ("stores", "u1"), ("address_registers", "u1", 4),
     ("data_registers", "u1", 8), ("written", "u1", 8), ("reserved", "u1", 3)]
)  # fmt: skip
HEAD = struct.Struct("<IIQ")  # kind, thread, bytes
BLOCK = struct.Struct("<II")  # number, instructions
GAP = struct.Struct("<QQ")  # untraced instructions before it, instructions behind it that warm caches
DEFINED, EVENTS, NOTE, END, LEFT, PLACE, PHASE = range(1, 8)  # kinds of chunks

REGISTERS, NO_REGISTER, CLASSES = 58, 255, 30
LARGEST_CHUNK = 64 << 20  # bytes
MOST_INSTRUCTIONS = 512  # of a block
IS_ACCESS, IS_OBJECT = np.uint64(1 << 61), np.uint64(1 << 62)
LOW_32, LOW_48 = np.uint64((1 << 32) - 1), np.uint64((1 << 48) - 1)

Words = np.ndarray  # of 8 bytes


@dataclass(frozen=True, eq=False)
class Trace:
    """A run of a program: `events` begin with a block, and each of their blocks is defined."""

    blocks: tuple[np.ndarray, ...]  # of INSTRUCTION, by number
    events: Words

    def starts(self) -> np.ndarray:
        """Return the places of the events at which a block runs."""
        return np.flatnonzero(self.events & IS_ACCESS == 0)

    def numbers(self, starts: np.ndarray) -> np.ndarray:
        """Return the number of the block that runs at each of these places."""
        return (self.events[starts] & LOW_32).astype(np.int64)

    def sizes(self) -> np.ndarray:
        """Return the instructions of each block, by number."""
        return np.array([block.size for block in self.blocks], dtype=np.int64)

    def part(self, first: int, end: int) -> "Trace":
        """Return what ran in these places of the events; `first` must be the start of a block."""
        return Trace(self.blocks, self.events[first:end])


def read(stream: BinaryIO) -> Trace:
    """Return what the stream contains, which is read to its end: its writer waits for that.

    UsageError if it is damaged, has a second thread, or has no instruction.
    """
    if stream.read(len(MAGIC)) != MAGIC:
        raise UsageError("this is not a stream of tierscope-tracer: it does not begin with TSFLOW01")
    blocks: list[np.ndarray] = []
    parts: list[Words] = []
    kept = True
    while head := stream.read(HEAD.size):
        kind, thread, payload = _chunk(head, stream)
        if kind == DEFINED:
            blocks.append(_block(payload, len(blocks)))
        elif kind == EVENTS and kept:
            parts.append(_events(thread, payload))
        elif kind == LEFT:
            kept = not parts
    events = np.concatenate(parts) if parts else np.zeros(0, np.uint64)
    found = Trace(tuple(blocks), _without_objects(events))
    _check(found)
    return found


def write(trace: Trace, warm: int, to: BinaryIO) -> None:
    """Write a stream of this part, whose first `warm` instructions warm caches, and whose others are timed."""
    to.write(MAGIC)
    for number, block in enumerate(trace.blocks):
        _put(to, DEFINED, BLOCK.pack(number, block.size) + block.tobytes())
    _put(to, LEFT, GAP.pack(0, warm))
    step = LARGEST_CHUNK // 8
    for first in range(0, trace.events.size, step):
        _put(to, EVENTS, trace.events[first : first + step].astype("<u8").tobytes())
    _put(to, END, b"")


def _put(to: BinaryIO, kind: int, payload: bytes) -> None:
    to.write(HEAD.pack(kind, 0, len(payload)) + payload)


def _chunk(head: bytes, stream: BinaryIO) -> tuple[int, int, bytes]:
    if len(head) < HEAD.size:
        raise _damaged("it ends within the head of a chunk")
    kind, thread, size = HEAD.unpack(head)
    if not DEFINED <= kind <= PHASE:
        raise _damaged(f"a chunk is of the unknown kind {kind}")
    if size > LARGEST_CHUNK:
        raise _damaged(f"a chunk states {size} bytes; at most 64 MiB")
    payload = stream.read(size)
    if len(payload) < size:
        raise _damaged("it ends within a chunk")
    return kind, thread, payload


def _block(payload: bytes, expected: int) -> np.ndarray:
    if len(payload) < BLOCK.size:
        raise _damaged("the definition of a block is too short")
    number, count = BLOCK.unpack_from(payload)
    if number != expected:
        raise _damaged(f"block {number} is defined out of order")
    if not 1 <= count <= MOST_INSTRUCTIONS or len(payload) != BLOCK.size + count * INSTRUCTION.itemsize:
        raise _damaged(f"block {number} states {count} instructions, which its bytes are not")
    block = np.frombuffer(payload, INSTRUCTION, offset=BLOCK.size)
    named = np.concatenate([block[name].ravel() for name in ("address_registers", "data_registers", "written")])
    if ((named >= REGISTERS) & (named != NO_REGISTER)).any() or (block["kind"] >= CLASSES).any():
        raise _damaged(f"an instruction of block {number} has a class or register that does not exist")
    return block


def _events(thread: int, payload: bytes) -> Words:
    if thread:
        raise UsageError("the program has several threads; another simulator gets traces of one; take one thread")
    if len(payload) % 8:
        raise _damaged("a chunk of events is not a multiple of 8 bytes")
    return np.frombuffer(payload, "<u8")


def _without_objects(events: Words) -> Words:
    """Return the events without allocations. A trace for another simulator is made without them."""
    if (events & IS_OBJECT).any():
        raise UsageError("the trace contains allocations; trace the program without its objects")
    return events


def _check(trace: Trace) -> None:
    """Refuse events that contradict each other or the blocks."""
    if trace.events.size == 0:
        raise UsageError("the trace contains no instruction; the program ended before its first")
    starts = trace.starts()
    if starts.size == 0 or starts[0] != 0:
        raise _damaged("an access comes before any block")
    numbers = trace.numbers(starts)
    if numbers.max() >= len(trace.blocks):
        raise _damaged(f"block {numbers.max()} ran and is not defined")
    of_event = np.repeat(trace.sizes()[numbers], np.diff(np.append(starts, trace.events.size)))
    access = trace.events & IS_ACCESS != 0
    if (instruction_of(trace.events[access]) >= of_event[access]).any():
        raise _damaged("an access names an instruction that its block does not have")


def instruction_of(accesses: Words) -> np.ndarray:
    """Return the instruction of its block that each access belongs to."""
    return (accesses >> np.uint64(48) & np.uint64(511)).astype(np.int64)


def is_store(accesses: Words) -> np.ndarray:
    """Return whether each access is a store."""
    return accesses >> np.uint64(57) & np.uint64(1) != 0


def address_of(accesses: Words) -> np.ndarray:
    """Return the address of each access."""
    return accesses & LOW_48


def bytes_of(accesses: Words) -> np.ndarray:
    """Return the bytes of each access."""
    return np.uint64(1) << (accesses >> np.uint64(58) & np.uint64(7))


def _damaged(why: str) -> UsageError:
    return UsageError(f"the trace is damaged: {why}; trace the program again")
