"""TheBandwidthBenchmark: best and average of its passes, plain or built with AVX512_INTRINSICS (non-temporal).

Source: RRZE-HPC, "TheBandwidthBenchmark".
"""

import re
from pathlib import Path

from against.reading import PeerError, Reading, Task, output

PASSES = 8
PLAIN = {"write": "Init", "read": "Sum", "copy": "Copy", "update": "Update", "triad": "Triad"}
STREAMED = {"write_nt": "Init", "copy_nt": "Copy", "triad_nt": "Triad"}


class BandwidthBenchmark:
    """One build of it; `streamed`: the one with non-temporal stores."""

    pages = "thp"

    def __init__(self, program: Path, streamed: bool) -> None:
        self._words = STREAMED if streamed else PLAIN
        self.name = f"TheBandwidthBenchmark{' NT' * streamed} ({program.name})"  # builds of several compilers
        self.runs: tuple[tuple[str, ...], ...] = (tuple(self._words),)
        self._program = program

    def array_bytes(self, wanted: int) -> int:
        return wanted

    def run(self, kernels: tuple[str, ...], task: Task) -> list[Reading]:
        elements = task.array_bytes // 8 // 64 * 64
        text = output([self._program, "-s", str(elements), "-n", str(PASSES)], task.threads)
        if "Failed Validation" in text:
            raise PeerError(f"{self._program} computed wrongly")
        return [self._reading(kernel, text) for kernel in kernels]

    def _reading(self, kernel: str, text: str) -> Reading:
        """Function, rate of the shortest pass in GB/s, flops, average, shortest and longest time."""
        word = self._words[kernel]
        row = re.search(rf"^{word}\s+([\d.]+)\s+\S+\s+([\d.]+)\s+([\d.]+)\s", text, re.MULTILINE)
        if row is None:
            raise PeerError(f"{self._program} printed no line for {word}")
        best = float(row[1]) * 1e9
        return Reading(self.name, kernel, word, best, best * float(row[3]) / float(row[2]))
