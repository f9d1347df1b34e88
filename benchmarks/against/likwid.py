"""likwid-bench: the average over its passes; of each kernel's many variants the one that is best on this machine.

Source: J. Treibig, G. Hager, G. Wellein, "likwid-bench: An Extensible Microbenchmarking Platform for x86 Multicore
Compute Nodes", Tools for High Performance Computing 2011.
"""

import re
from pathlib import Path

from against.reading import PeerError, Reading, Task, output

PASSES = 6
TRIAL_PASSES = 3
TRIAL_SHARE = 4  # of the arrays: a quarter of 512 MiB each still exceeds most caches, and a trial only ranks
VARIANTS = {
    "read": r"(load|sum)_(sse|avx|avx512)",
    "write": r"store(_sse|_avx|_avx512)",
    "write_nt": r"store_mem_(sse|avx|avx512)",
    "copy": r"copy_(sse|avx|avx512)",
    "copy_nt": r"copy_mem_(sse|avx|avx512)",
    "update": r"update_(sse|avx|avx512)",
    "triad": r"stream_(sse|avx|avx512)(_fma)?",
    "triad_nt": r"stream_mem_(sse|avx|avx512)(_fma)?",
}
ARRAYS = {"read": 1, "write": 1, "write_nt": 1, "update": 1, "copy": 2, "copy_nt": 2, "triad": 3, "triad_nt": 3}


class Likwid:
    """The program and the variants that were best so far."""

    name = "likwid-bench"
    pages = "thp"
    runs: tuple[tuple[str, ...], ...] = tuple((kernel,) for kernel in VARIANTS)

    def __init__(self, program: Path) -> None:
        self._program = program
        self._chosen: dict[tuple[str, int], str] = {}
        self._known: list[str] = []

    def array_bytes(self, wanted: int) -> int:
        return wanted

    def run(self, kernels: tuple[str, ...], task: Task) -> list[Reading]:
        return [self._reading(kernel, task) for kernel in kernels]

    def _reading(self, kernel: str, task: Task) -> Reading:
        variant = self._best_variant(kernel, task)
        rate = self._rate(variant, ARRAYS[kernel], task, PASSES)
        return Reading(self.name, kernel, variant, None, rate)

    def _best_variant(self, kernel: str, task: Task) -> str:
        """Return the best variant; tried once for each thread count."""
        if not self._known:
            self._known = [line.split(" - ")[0] for line in output([self._program, "-a"], 1).splitlines()]
        key = (kernel, task.threads)
        if key not in self._chosen:
            fitting = [word for word in self._known if re.fullmatch(VARIANTS[kernel], word)]
            rates = {word: self._trial(word, ARRAYS[kernel], task) for word in fitting}
            if not any(rates.values()):
                raise PeerError(f"likwid-bench has no variant of {kernel} that runs here")
            self._chosen[key] = max(rates, key=rates.__getitem__)
        return self._chosen[key]

    def _trial(self, variant: str, arrays: int, task: Task) -> float:
        try:
            return self._rate(variant, arrays, Task(task.threads, task.array_bytes // TRIAL_SHARE), TRIAL_PASSES)
        except PeerError:
            return 0.0  # an ISA that this CPU lacks

    def _rate(self, variant: str, arrays: int, task: Task, passes: int) -> float:
        kilobytes = arrays * task.array_bytes // 1000
        place = f"S0:{kilobytes}kB:{task.threads}"
        text = output([self._program, "-t", variant, "-i", str(passes), "-W", place], task.threads)
        row = re.search(r"^MByte/s:\s+([\d.]+)", text, re.MULTILINE)
        if row is None:
            raise PeerError(f"likwid-bench -t {variant} printed no MByte/s")
        return float(row[1]) * 1e6
