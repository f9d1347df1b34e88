"""Thermal throttling: how often cores or packages lowered their clock because of heat, since boot.

Counted on Intel only; blind to power limits, to the memory's own throttling, and to when it was.
Source: Linux, Documentation/ABI/testing/sysfs-devices-system-cpu (thermal_throttle); R. Schöne et al.,
"Memory Performance at Reduced CPU Clock Speeds", HotPower 2012.
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks, good, note, unknown
from tierscope.host.proc import virtual
from tierscope.host.system import System

BASE = "/sys/devices/system/cpu"
EFFECT = (
    "clock and cache bandwidth drop while it lasts; memory bandwidth at the lowest clock was 60 to 95 % "
    "(Schöne et al., HotPower 2012)"
)


def look(system: System) -> Seen:
    counts = {}
    for kind in ("core", "package"):
        paths = system.glob(f"{BASE}/cpu[0-9]*/thermal_throttle/{kind}_throttle_count")
        numbers = [system.number(path) for path in paths]
        counts[kind] = max((number for number in numbers if number is not None), default=None)
    told = {kind: count for kind, count in counts.items() if count is not None}
    if not told:
        why = "a guest cannot read them" if virtual(system) else "counted on Intel CPUs only"
        return unknown(f"no counts: {why}", EFFECT)
    state = "since boot, at most: " + ", ".join(f"{kind} {count} times" for kind, count in told.items())
    return note(state, EFFECT) if any(told.values()) else good("never since boot")


checks.add(
    Check(
        "throttling",
        EVERY,
        look,
        looks_at="clock frequencies lowered by heat since boot",
        advice="cool it; compare the count before and after the run",
    )
)
