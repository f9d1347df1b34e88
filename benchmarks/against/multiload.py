"""multiload of multichase: best and average of SAMPLES samples, 2 s each after 6 s of its own
warm-up.

Its stream-triad is a[i] = b[i] + c[i] in SSE2 or scalar non-temporal code, so it is compared with both add and triad.
Source: google, "multichase".
"""

from pathlib import Path

from against.reading import PeerError, Reading, Task, output
from tierscope.units import MiB

SAMPLES = 3
LOADS = {
    ("memcpy",): ("memcpy-libc", 2),
    ("memset",): ("memset-libc", 1),
    ("read",): ("stream-sum", 1),
    ("add", "triad"): ("stream-triad", 3),
    ("add_nt", "triad_nt"): ("stream-triad-nontemporal-injection-delay", 3),
}


class Multiload:
    """Each load is a process of its own."""

    name = "multiload"
    pages = "thp"
    runs: tuple[tuple[str, ...], ...] = tuple(LOADS)

    def __init__(self, program: Path) -> None:
        self._program = program

    def array_bytes(self, wanted: int) -> int:
        return wanted

    def run(self, kernels: tuple[str, ...], task: Task) -> list[Reading]:
        load, arrays = LOADS[kernels]
        each = arrays * task.array_bytes // task.threads // MiB
        command: list[str | Path] = [
            self._program,
            "-H",
            "-l",
            load,
            "-m",
            f"{each}m",
            "-t",
            str(task.threads),
            "-n",
            str(SAMPLES),
        ]
        head, row = (line.split(",") for line in output(command, task.threads).strip().splitlines()[-2:])
        cells = {name.strip(): cell.strip() for name, cell in zip(head, row, strict=True)}
        try:
            best, average = (float(cells[name]) * MiB for name in ("LdMaxMibs", "LdAvgMibs"))
        except (KeyError, ValueError) as error:
            raise PeerError(f"multiload -l {load} printed no LdMaxMibs") from error
        return [Reading(self.name, kernel, load, best, average) for kernel in kernels]
