"""BabelStream for OpenMP: the best and the average of its passes, without the first.

Its arrays are aligned to 2 MiB. Its dot product reads two arrays, so it is compared with read.
Source: T. Deakin, J. Price, M. Martineau, S. McIntosh-Smith,
`Evaluating Attainable Memory Bandwidth of Parallel Programming Models via BabelStream`,
International Journal of Computational Science and Engineering 17(3), 2018.
"""

import csv
from pathlib import Path

from against.reading import PeerError, Reading, Task, output

PASSES = 10
WORDS = {"copy": "Copy", "scale": "Mul", "add": "Add", "triad": "Triad", "read": "Dot"}
ARRAYS = {"copy": 2, "scale": 2, "add": 3, "triad": 3, "read": 2}


class BabelStream:
    """One build of it, called by the name of its file."""

    pages = "thp"
    runs: tuple[tuple[str, ...], ...] = (tuple(WORDS),)

    def __init__(self, program: Path) -> None:
        self.name = f"BabelStream ({program.name})"
        self._program = program

    def array_bytes(self, wanted: int) -> int:
        return wanted

    def run(self, kernels: tuple[str, ...], task: Task) -> list[Reading]:
        elements = str(task.array_bytes // 8 // 1024 * 1024)
        text = output([self._program, "--csv", "-s", elements, "-n", str(PASSES)], task.threads)
        table = {row["function"]: row for row in csv.DictReader(text[text.find("function,") :].splitlines())}
        return [self._reading(kernel, table) for kernel in kernels]

    def _reading(self, kernel: str, table: dict[str, dict[str, str]]) -> Reading:
        try:
            row = table[WORDS[kernel]]
            moved = ARRAYS[kernel] * int(row["n_elements"]) * int(row["sizeof"])
            shortest, average = float(row["min_runtime"]), float(row["avg_runtime"])
        except (KeyError, ValueError) as error:
            raise PeerError(f"{self._program} printed no line for {WORDS[kernel]}") from error
        return Reading(self.name, kernel, WORDS[kernel], moved / shortest, moved / average)
