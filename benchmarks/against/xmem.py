"""X-Mem: the largest and the mean of its samples of reads and of writes, the widest chunks that it offers.

Each thread has a share of its own. Its pages are those that the system gives.
Source: M. Gottscho, S. Govindan, B. Sharma, M. Shoaib, P. Gupta, "X-Mem: A Cross-Platform and Extensible Memory
Characterization Tool for the Cloud", ISPASS 2016.
"""

import csv
import tempfile
from pathlib import Path

from against.reading import PeerError, Reading, Task, output
from tierscope.units import KiB, MiB

SAMPLES = 5
CHUNK_BITS = 256
WORDS = {"read": "READ", "write": "WRITE"}


class XMem:
    """The program. Reads and writes are one run."""

    name = "X-Mem"
    pages = "4k"
    runs: tuple[tuple[str, ...], ...] = (tuple(WORDS),)

    def __init__(self, program: Path) -> None:
        self._program = program

    def array_bytes(self, wanted: int) -> int:
        return wanted

    def run(self, kernels: tuple[str, ...], task: Task) -> list[Reading]:
        share = task.array_bytes // task.threads // (4 * KiB) * 4
        with tempfile.TemporaryDirectory(prefix="tierscope-") as folder:
            table = Path(folder) / "xmem.csv"
            command: list[str | Path] = [self._program, "-t", "-s", "-R", "-W", "-S", "1", "-u", "-c", str(CHUNK_BITS)]
            command += ["-w", str(share), "-j", str(task.threads), "-n", str(SAMPLES), "-f", table]
            text = output(command, task.threads)
            if not table.is_file():
                raise PeerError(f"{self._program} wrote no table: {text.strip()[-200:]}")
            rows = list(csv.DictReader(table.read_text().splitlines()))
        return [self._reading(kernel, rows) for kernel in kernels]

    def _reading(self, kernel: str, rows: list[dict[str, str]]) -> Reading:
        for row in rows:
            if row.get("Load Read/Write Mix") == WORDS[kernel]:
                variant = f"{WORDS[kernel].lower()} {row['Load Chunk Size (bits)']} bits"
                largest, mean = row["Max Load Throughput"], row["Mean Load Throughput"]
                return Reading(self.name, kernel, variant, float(largest) * MiB, float(mean) * MiB)
        raise PeerError(f"{self._program} has no row of {WORDS[kernel]}")
