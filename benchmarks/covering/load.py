"""The rest of the machine during a run: CPUs that other programs used, and time that the hypervisor took.

Blind to programs of other guests and to traffic on memory that no CPU of this guest causes.
Source: Linux, proc(5), /proc/stat and /proc/PID/stat.
"""

import os
import platform
import resource
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tierscope.host.system import System
from tierscope.units import show_bytes

BUSY = (0, 1, 2, 5, 6)  # user, nice, system, irq, softirq
STEAL = 7
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Load:
    """CPUs that are neither ours nor of the programs that we started, and that were taken away; means over a run."""

    others_cpus: float
    steal_cpus: float
    average_before: float  # of the run queue, over the minute before
    seconds: float


@dataclass(frozen=True)
class Moment:
    """Counts so far, in CPU seconds."""

    at: float
    busy: float
    steal: float
    ours: float
    average: float

    @classmethod
    def now(cls, programs: float) -> "Moment":
        """Return the counts now. programs: CPU seconds of those that disturb."""
        fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return cls(
            time.monotonic(),
            sum(fields[number] for number in BUSY) / TICKS,
            fields[STEAL] / TICKS,
            programs + sum(one.ru_utime + one.ru_stime for one in used),
            os.getloadavg()[0],
        )

    def until(self, end: "Moment") -> Load:
        """Return the load between two moments."""
        lasted = max(end.at - self.at, 1e-9)
        others = (end.busy - self.busy) - (end.ours - self.ours)
        return Load(max(others, 0.0) / lasted, (end.steal - self.steal) / lasted, self.average, lasted)


def cpu_seconds(pid: int | None) -> float:
    """Return the CPU seconds of a process that runs; 0 where it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def machine() -> str:
    """Return the machine in a line: processor, CPUs, memory, kernel."""
    text = System().read("/proc/cpuinfo", 1 << 16) or ""
    facts = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    known = {name.strip(): value.strip() for name, value in facts.items()}
    names = [known.get("model name", platform.machine())]
    if "cpu family" in known:
        names.append(f"family {known['cpu family']}, model {known.get('model', '?')}")
    names.append(f"{os.cpu_count()} CPUs{', a virtual machine' if 'hypervisor' in known.get('flags', '') else ''}")
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return ", ".join([*names, show_bytes(memory >> 30 << 30), f"Linux {platform.release()}"])


def plain(load: Load) -> dict[str, float]:
    """Return it as JSON has it."""
    return {name: round(value, 3) for name, value in asdict(load).items()}
