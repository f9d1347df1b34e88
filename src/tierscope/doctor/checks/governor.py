"""CPU frequency governor: how the kernel selects the clock frequency of a busy core.

`performance` asks for the highest clock; `powersave` of the drivers intel_pstate and amd-pstate-epp is
dynamic, of every other driver it is the lowest clock. Blind to a limit set by firmware or host.
Source: Linux, Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst; R. Schöne, D. Hackenberg,
D. Molka, "Memory Performance at Reduced CPU Clock Speeds", HotPower 2012.
"""

from tierscope.doctor.check import EVERY, Check, Seen, bad, checks, good, note, unknown
from tierscope.doctor.setting import Setting
from tierscope.host.proc import virtual
from tierscope.host.system import System

BASE = "/sys/devices/system/cpu"
OWN_GOVERNORS = ("intel_pstate", "amd-pstate-epp", "amd_pstate_epp")
REMEDY = Setting(f"{BASE}/cpu*/cpufreq/scaling_governor", "performance")
EFFECT = (
    "cache latency is proportional to 1/clock; memory bandwidth at the lowest clock was 95 % (Westmere-EP) and 60 % "
    "(Sandy Bridge-EP) of that at the highest (Schöne et al., HotPower 2012)"
)


def look(system: System) -> Seen:
    words = {system.read(path, 64) for path in system.glob(f"{BASE}/cpu[0-9]*/cpufreq/scaling_governor")}
    names = sorted(word for word in words if word)
    if not names:
        place = "the host sets the clock of a guest" if virtual(system) else "needs a cpufreq driver"
        return unknown(f"no cpufreq shown: {place}", EFFECT)
    state = ", ".join(names) + _range(system)
    if names == ["performance"]:
        return good(state)
    driver = system.read(f"{BASE}/cpu0/cpufreq/scaling_driver", 64)
    lowest = "powersave" in names and driver not in OWN_GOVERNORS
    return (bad if lowest else note)(f"{state}, driver {driver or 'not named'}", EFFECT, REMEDY)


def _range(system: System) -> str:
    low, high = (system.number(f"{BASE}/cpu0/cpufreq/scaling_{end}_freq") for end in ("min", "max"))
    return f", {low / 1e6:.1f} to {high / 1e6:.1f} GHz" if low and high else ""


checks.add(
    Check(
        "governor",
        EVERY,
        look,
        looks_at="how the kernel selects the clock frequency",
        advice="set `performance`",
        applies=True,
    )
)
