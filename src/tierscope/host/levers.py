"""Levers on the speed of memory that the kernel offers as files: which there are, and what they may be set to.

    resctrl   MB of the root group: percent of the memory bandwidth of each core (Intel MBA, AMD QoS in percent)
    uncore    max_freq_khz of each die (Intel)
    clock     scaling_max_freq of each policy

They are found when the machine is inspected, and stored in its state, so that a plan depends on the machine alone.
Blind to what a hypervisor or the firmware does with a value: the take measures it.
Source: Linux, Documentation/filesystems/resctrl.rst; Documentation/admin-guide/pm/intel_uncore_frequency_scaling.rst
and cpufreq.rst.
"""

import os
import re
from dataclasses import dataclass

from tierscope.host.system import System
from tierscope.record.experiment import Setting
from tierscope.record.machine import Machine

RESCTRL = "/sys/fs/resctrl"
UNCORE = "/sys/devices/system/cpu/intel_uncore_frequency"
CPUFREQ = "/sys/devices/system/cpu/cpufreq"
SCHEMATA = f"{RESCTRL}/schemata"
FILES = {
    "uncore": f"{UNCORE}/package_*/max_freq_khz",
    "clock": f"{CPUFREQ}/policy*/scaling_max_freq",
}
WRITABLE = (SCHEMATA, *FILES.values())
"""Nothing else is written as a setting."""
STATE = "lever_"  # keys of the state: the range as 'LOWEST-HIGHEST/STEP DOMAINS', or why there is none
LEAST_SPAN = 1.05  # highest over lowest: less is not a lever


@dataclass(frozen=True)
class Range:
    """Values that a lever can be set to, in percent or kHz. domains: of resctrl, as (0, 1)."""

    name: str
    lowest: int
    highest: int
    step: int
    domains: tuple[int, ...] = ()

    def down(self, count: int) -> list[int]:
        """Return at most `count` values from below the highest down to the lowest, evenly apart."""
        width = (self.highest - self.lowest) / count
        near = [self.highest - round(number * width / self.step) * self.step for number in range(1, count + 1)]
        return list(dict.fromkeys(max(value, self.lowest) for value in near if value < self.highest))

    def settings(self, value: int) -> tuple[Setting, ...]:
        """Return what is written for a value."""
        if self.name == "resctrl":
            caps = ";".join(f"{domain}={value}" for domain in self.domains)
            return (Setting(path=SCHEMATA, text=f"MB:{caps}"),)
        return (Setting(path=FILES[self.name], text=str(value)),)

    def show(self, value: int) -> str:
        """Return 'bandwidth capped at 40 %', 'uncore at 1.2 GHz', 'cores at 1.2 GHz'."""
        if self.name == "resctrl":
            return f"bandwidth capped at {value} %"
        return f"{'uncore' if self.name == 'uncore' else 'cores'} at {value / 1e6:.3g} GHz"


def look(system: System) -> dict[str, str]:
    """Return the state of all that exist here; those without files are left out."""
    found = {"resctrl": _resctrl(system), "uncore": _clock(system, "uncore"), "clock": _clock(system, "clock")}
    return {f"{STATE}{name}": text for name, text in found.items() if text}


def range_of(machine: Machine, name: str) -> Range | str:
    """Return its range, or why it cannot be used here."""
    text = machine.state.get(f"{STATE}{name}")
    if not isinstance(text, str):
        return {
            "resctrl": f"{RESCTRL} is not mounted, or has no MB",
            "uncore": f"there is no {UNCORE}",
            "clock": f"there is no {CPUFREQ}/policy*",
        }.get(name, "unknown")
    match = re.fullmatch(r"(\d{1,12})-(\d{1,12})/(\d{1,12}) ?([\d,]*)", text)
    if match is None:
        return text
    low, high, step = (int(match[number]) for number in (1, 2, 3))
    return Range(name, low, high, max(step, 1), tuple(int(one) for one in match[4].split(",") if one))


def _resctrl(system: System) -> str:
    line = mb_of(system.read(SCHEMATA) or "")
    if line is None:
        return ""
    caps = dict(re.findall(r"(\d{1,4})=\s*(\d{1,6})", line))
    if system.number(f"{RESCTRL}/info/MB/min_bandwidth") is None or any(int(cap) > 100 for cap in caps.values()):
        return f"{RESCTRL} caps bandwidth in another unit than percent"
    least = system.number(f"{RESCTRL}/info/MB/min_bandwidth") or 10
    step = system.number(f"{RESCTRL}/info/MB/bandwidth_gran") or 10
    if why := _refused(system, SCHEMATA):
        return why
    return f"{least}-{max(map(int, caps.values()), default=100)}/{step} {','.join(sorted(caps, key=int))}"


def mb_of(schemata: str) -> str | None:
    """Return the line of MB in a schemata file; None where there is none."""
    found = re.search(r"^[ \t]*(MB:[^\n]*)$", schemata, re.MULTILINE)
    return found[1].strip() if found else None


def _clock(system: System, name: str) -> str:
    paths = system.glob(FILES[name])
    if not paths:
        return ""
    folders = [path.rpartition("/")[0] for path in paths]
    least = "initial_min_freq_khz" if name == "uncore" else "cpuinfo_min_freq"
    lows = [system.number(f"{folder}/{least}") for folder in folders]
    highs = [system.number(path) for path in paths]
    known = [(low, high) for low, high in zip(lows, highs, strict=True) if low and high]
    if len(known) < len(paths):
        return f"{paths[0]} or its limits cannot be read"
    low, high = max(low for low, _ in known), min(high for _, high in known)
    if high < low * LEAST_SPAN:
        return f"it is at its lowest value already, {high / 1e6:.3g} GHz"
    if why := next((why for path in paths if (why := _refused(system, path))), ""):
        return why
    return f"{low}-{high}/1"


def _refused(system: System, path: str) -> str:
    """Return why a file may not be written; "" if it may."""
    return "" if os.access(system.place(path), os.W_OK) else f"{path} may not be written; it needs root"


def reads(system: System, path: str) -> str | None:
    """Return the text that restores the present setting of a file; of a schemata file, only the line of MB."""
    text = system.read(path, 4096)
    return mb_of(text or "") if path == SCHEMATA else text


def same(now: str | None, text: str) -> bool:
    """Return whether a file has a text; blanks between numbers do not matter."""
    return now is not None and re.sub(r"\s+", "", now) == re.sub(r"\s+", "", text)
