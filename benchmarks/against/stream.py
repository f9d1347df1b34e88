"""STREAM: best and average of its own ten passes. Its arrays are static, so they are on 4 KiB pages.

With `large`, a library of ours that is loaded before it advises huge pages for them (native/large_pages.c). Compilers
make a library call of its copy loop, so that figure is the C library's memcpy. With `streamed`, the program is a build
whose stores are non-temporal (benchmarks/README.md), so its copy is a loop.
Source: J. D. McCalpin, "STREAM: Sustainable Memory Bandwidth in High Performance Computers", stream.c 5.10.
"""

import atexit
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from against.reading import PeerError, Reading, Task, output

PLAIN = {"memcpy": "Copy", "scale": "Scale", "add": "Add", "triad": "Triad"}
STREAMED = {"copy_nt": "Copy", "scale_nt": "Scale", "add_nt": "Add", "triad_nt": "Triad"}
ARRAYS = {"Copy": 2, "Scale": 2, "Add": 3, "Triad": 3}
LARGE_PAGES = Path(__file__).resolve().parent.parent / "native" / "large_pages.c"


class Stream:
    """One build of stream.c, called by the name of its file."""

    def __init__(self, program: Path, *, large: bool = False, streamed: bool = False) -> None:
        self.name = program.name + (", large pages" if large else "")
        self.pages = "thp" if large else "4k"
        self._words = STREAMED if streamed else PLAIN
        self.runs: tuple[tuple[str, ...], ...] = (tuple(self._words),)
        self._program = program
        self._array_bytes = 0
        self._library = library() if large else None

    def array_bytes(self, wanted: int) -> int:
        """Return the size that was fixed by the compilation; read from its first run."""
        return self._array_bytes or wanted

    def run(self, kernels: tuple[str, ...], task: Task) -> list[Reading]:
        before = [] if self._library is None else ["env", f"LD_PRELOAD={self._library}"]
        text = output([*before, self._program], task.threads)
        size = re.search(r"Array size = (\d+)", text)
        if size is None:
            raise PeerError(f"{self._program} printed no array size; is it stream.c?")
        self._array_bytes = int(size[1]) * 8
        return [self._reading(kernel, text) for kernel in kernels]

    def _reading(self, kernel: str, text: str) -> Reading:
        word = self._words[kernel]
        row = re.search(rf"^{word}:\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)", text, re.MULTILINE)
        if row is None:
            raise PeerError(f"{self._program} printed no line for {word}")
        average_s = float(row[2])
        return Reading(self.name, kernel, word, float(row[1]) * 1e6, ARRAYS[word] * self._array_bytes / average_s)


@cache
def library() -> Path:
    """Build the library that advises huge pages; it stays until this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="tierscope-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    command: list[str | Path] = ["cc", "-O2", "-shared", "-fPIC", LARGE_PAGES, "-o", folder / "large_pages.so"]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise PeerError(f"{LARGE_PAGES.name} was not built: {error}") from error
    return folder / "large_pages.so"
