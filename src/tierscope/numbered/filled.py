"""Fills a file with numbered blocks and reads all of them back, past the page cache where it can.

Blind to: storage that answers from a cache of its own; a later loss.
"""

import io
import mmap
import os
from pathlib import Path

from tierscope.numbered.ledger import Ledger
from tierscope.numbered.sector import block
from tierscope.numbered.verdict import Verdict, judge


def fill(path: Path, size_bytes: int, block_bytes: int, run: int) -> Ledger:
    """Write each block once, in order, and sync once; return what was acknowledged. OSError where that fails."""
    blocks = size_bytes // block_bytes
    done = {number * block_bytes: number + 1 for number in range(blocks)}
    handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        for offset, number in done.items():
            if os.pwrite(handle, block(run, number, offset, block_bytes), offset) != block_bytes:
                raise OSError(f"fewer than {block_bytes} bytes were written at offset {offset}")
        os.fsync(handle)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(handle)
    return Ledger(run, block_bytes, blocks * block_bytes, done)


def faults(path: Path, ledger: Ledger, *, direct: bool) -> list[Verdict]:
    """Return the verdicts that are faults. direct: read with O_DIRECT, in blocks that the storage takes."""
    opened = _Direct(path, ledger.block_bytes) if direct else path.open("rb")
    with opened as file:
        return [one for one in judge(file, ledger) if one.fault]


class _Direct(io.RawIOBase):
    """Reads whole blocks into memory that is aligned to pages, as O_DIRECT wants."""

    def __init__(self, path: Path, block_bytes: int) -> None:
        super().__init__()
        self._handle = os.open(path, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
        self._buffer = mmap.mmap(-1, max(block_bytes, mmap.PAGESIZE))
        self._at = 0

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        assert whence == os.SEEK_SET
        self._at = offset
        return offset

    def read(self, size: int = -1) -> bytes:
        with memoryview(self._buffer) as view:
            found = os.preadv(self._handle, [view[:size]], self._at)
        return self._buffer[:found]

    def close(self) -> None:
        if not self.closed:
            os.close(self._handle)
            self._buffer.close()
        super().close()
