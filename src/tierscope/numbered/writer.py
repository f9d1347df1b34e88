"""Writes numbered blocks in a random order, makes each persist, and then reports it.

By `fdatasync` after each write, or through a mapping by `msync`, which a simulated power failure (`tierscope crash`)
sees. Each block is written once before any of them is written again.
"""

import mmap
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from tierscope.errors import MachineError, UsageError, reason
from tierscope.numbered import ledger
from tierscope.numbered.sector import SECTOR, block

WAYS = ("write", "map")

Put = Callable[[int, bytes], None]
Say = Callable[[str], object]


def orders(blocks: int, passes: int, seed: int) -> Iterator[int]:
    """Yield block numbers: all of them in a random order, `passes` times."""
    draw = random.Random(seed)  # noqa: S311 (no secret)
    for _ in range(passes):
        yield from draw.sample(range(blocks), blocks)


def write(path: Path, size_bytes: int, block_bytes: int, passes: int, seed: int, way: str, say: Say) -> None:
    """Write all blocks `passes` times; `say` receives each line of the ledger.

    UsageError for sizes that do not fit; MachineError if the file cannot be written.
    """
    if block_bytes % SECTOR or not block_bytes or block_bytes > size_bytes:
        raise UsageError(f"block={block_bytes}: whole sectors of {SECTOR} bytes up to size={size_bytes} are needed")
    run = random.Random(f"{seed} of numbered blocks").getrandbits(63)  # noqa: S311 (no secret)
    blocks = size_bytes // block_bytes
    say(ledger.first_line(run, block_bytes, blocks * block_bytes))
    try:
        with _Putting(path, blocks * block_bytes, way) as put:
            for number, place in enumerate(orders(blocks, passes, seed), 1):
                offset = place * block_bytes
                say(f"begin {number} {offset}\n")
                put(offset, block(run, number, offset, block_bytes))
                say(f"done {number} {offset}\n")
    except OSError as error:
        raise MachineError(f"write numbered blocks to {path}: {reason(error)}; name another file") from error


class _Putting:
    """A file that is open for blocks, in one of the ways."""

    def __init__(self, path: Path, size_bytes: int, way: str) -> None:
        self._way = way
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        self._map: mmap.mmap | None = None
        if os.fstat(self._handle).st_size < size_bytes:
            os.truncate(self._handle, size_bytes)
        if way == "map":
            self._map = mmap.mmap(self._handle, size_bytes)

    def __enter__(self) -> Put:
        return self._put

    def __exit__(self, *_: object) -> None:
        if self._map is not None:
            self._map.close()
        os.close(self._handle)

    def _put(self, offset: int, data: bytes) -> None:
        if self._map is not None:
            self._map[offset : offset + len(data)] = data
            first = offset // mmap.PAGESIZE * mmap.PAGESIZE
            self._map.flush(first, offset + len(data) - first)
            return
        if os.pwrite(self._handle, data, offset) != len(data):
            raise OSError(f"fewer than {len(data)} bytes of a block were written")
        os.fdatasync(self._handle)
