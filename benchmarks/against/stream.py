"""STREAM: best and average of its own ten passes. Its arrays are static, so they lie on 4 KiB pages.

Compilers make a library call of its copy loop, so that figure is the C library's memcpy.
Source: J. D. McCalpin, "STREAM: Sustainable Memory Bandwidth in High Performance Computers", stream.c 5.10.
"""

import re
from pathlib import Path

from against.reading import PeerError, Reading, Task, output

WORDS = {"memcpy": "Copy", "scale": "Scale", "add": "Add", "triad": "Triad"}
ARRAYS = {"memcpy": 2, "scale": 2, "add": 3, "triad": 3}


class Stream:
    """One build of stream.c, called by the name of its file."""

    pages = "4k"
    runs: tuple[tuple[str, ...], ...] = (tuple(WORDS),)

    def __init__(self, program: Path) -> None:
        self.name = program.name
        self._program = program
        self._array_bytes = 0

    def array_bytes(self, wanted: int) -> int:
        """Fixed when it was compiled; read from its first run."""
        return self._array_bytes or wanted

    def run(self, kernels: tuple[str, ...], task: Task) -> list[Reading]:
        text = output([self._program], task.threads)
        size = re.search(r"Array size = (\d+)", text)
        if size is None:
            raise PeerError(f"{self._program} printed no array size; is it stream.c?")
        self._array_bytes = int(size[1]) * 8
        return [self._reading(kernel, text) for kernel in kernels]

    def _reading(self, kernel: str, text: str) -> Reading:
        row = re.search(rf"^{WORDS[kernel]}:\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)", text, re.MULTILINE)
        if row is None:
            raise PeerError(f"{self._program} printed no line for {WORDS[kernel]}")
        average_s = float(row[2])
        return Reading(
            self.name, kernel, WORDS[kernel], float(row[1]) * 1e6, ARRAYS[kernel] * self._array_bytes / average_s
        )
