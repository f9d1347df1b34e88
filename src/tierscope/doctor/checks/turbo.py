"""Turbo: clock frequencies above the nominal one, given while power, heat and neighbours allow.

A steady clock needs it off, the highest clock needs it on: a note, not a fault. Blind to the budget
that decides how long a turbo lasts.
Source: Linux, Documentation/admin-guide/pm/intel_pstate.rst and cpufreq.rst ("boost"); D. Hackenberg et
al., "An Energy Efficiency Feature Survey of the Intel Haswell Processor", IPDPSW 2015.
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks, good, note, unknown
from tierscope.doctor.setting import Setting
from tierscope.host.proc import virtual
from tierscope.host.system import System

BASE = "/sys/devices/system/cpu"
SWITCHES = ((f"{BASE}/intel_pstate/no_turbo", 0), (f"{BASE}/cpufreq/boost", 1))
"""The file, and its value when turbo is on."""


def look(system: System) -> Seen:
    for path, on in SWITCHES:
        value = system.number(path)
        if value is not None:
            return _seen(system, path, on) if value == on else good("off: the clock stays at or below the nominal one")
    place = "the host decides" if virtual(system) else "no switch in sysfs; firmware may decide"
    return unknown(f"not shown: {place}", "clock and cache latency may change during a run; not quantified here")


def _seen(system: System, path: str, on: int) -> Seen:
    base, top = (system.number(f"{BASE}/cpu0/cpufreq/{name}") for name in ("base_frequency", "cpuinfo_max_freq"))
    size = "size not known here"
    if base and top and top > base:
        size = (
            f"here the clock may be anywhere from {base / 1e6:.1f} to {top / 1e6:.1f} GHz, which is {top / base:.2f}x"
        )
    effect = f"clock and cache latency move with power, heat and busy cores; off is steadier, but slower; {size}"
    return note("on", effect, Setting(path, str(1 - on)))


checks.add(
    Check(
        "turbo",
        EVERY,
        look,
        looks_at="clock frequencies above the nominal one",
        advice="off is steadier, on is faster: choose one, and report it",
        applies=True,
    )
)
