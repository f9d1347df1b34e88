"""Samples that many commands of one process read again and again, read from their files once.

A content in memory is reused as long as the file is the same; nobody may change it.
"""

from pathlib import Path

import numpy as np
import pytest

from tierscope.record import result
from tierscope.record.samples import BLOCK, Blocks


def samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the test, or the module of tests, read each file of samples once."""
    real = result.read_blocks
    known: dict[tuple[Path, str, int, int, int], Blocks] = {}

    def read(path: Path, kind: np.dtype[np.void] = BLOCK) -> Blocks:
        try:
            there = path.stat()
        except OSError:
            return real(path, kind)  # which raises it
        key = (path, str(kind), there.st_ino, there.st_mtime_ns, there.st_size)
        if key not in known:
            known[key] = real(path, kind)
            known[key].setflags(write=False)
        return known[key]

    monkeypatch.setattr(result, "read_blocks", read)
