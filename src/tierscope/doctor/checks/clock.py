"""The clock: an invariant TSC that the kernel itself trusts, or the generic timer of ARM.

Invariant needs both flags: constant_tsc (same rate at every clock of the core) and nonstop_tsc (runs
on in deep idle states). Blind to a hypervisor that scales or traps the counter.
Source: Intel, Software Developer's Manual, volume 3, 18.17.1 "Invariant TSC"; Linux, Documentation/virt/kvm/x86/
timekeeping.rst; cost of one read measured on a Granite Rapids guest: rdtsc 7 ns, clock_gettime 16 ns.
"""

from tierscope.doctor.check import EVERY, Check, Seen, bad, checks, good, note, unknown
from tierscope.host.proc import flags
from tierscope.host.system import System

BASE = "/sys/devices/system/clocksource/clocksource0"
CURRENT = f"{BASE}/current_clocksource"
SLOW = ("hpet", "acpi_pm", "jiffies", "refined-jiffies")
EFFECT = "all times use it; a read of 16 ns is 0.002 % of a 1 ms block; blocks with drift are marked and left out"


def look(system: System) -> Seen:
    source, known = system.read(CURRENT, 64), flags(system)
    if not source:
        return unknown(f"{CURRENT} is {system.why(CURRENT)}", EFFECT)
    if source == "arch_sys_counter":
        return good(source)
    missing = [name for name in ("constant_tsc", "nonstop_tsc") if name not in known]
    if source == "tsc" and not missing:
        return good("tsc, invariant")
    offered = (system.read(f"{BASE}/available_clocksource", 256) or "").split()
    remedy = f"echo tsc | sudo tee {CURRENT}" if "tsc" in offered and source != "tsc" else ""
    state = f"{source}, TSC {'not invariant: no ' + ', '.join(missing) if missing else 'invariant'}"
    if source in SLOW:
        return bad(f"{state}: the kernel does not use the TSC", f"{EFFECT}; a read of {source} takes longer", remedy)
    return note(state, EFFECT, remedy)


checks.add(
    Check(
        "clock",
        EVERY,
        look,
        looks_at="whether the TSC is invariant, and whether the kernel uses it",
        advice="`echo tsc` into the current clock source where it is offered",
    )
)
