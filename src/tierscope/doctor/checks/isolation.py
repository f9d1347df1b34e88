"""CPUs kept free of other tasks (isolcpus) or of timer ticks (nohz_full).

They are the quietest place to measure, and only used by those who ask for them.
Source: Linux, Documentation/admin-guide/kernel-parameters.txt; timers/no_hz.rst.
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks, good, note, unknown
from tierscope.host.proc import allowed
from tierscope.host.system import System, parse_list, show_list

BASE = "/sys/devices/system/cpu"


def look(system: System) -> Seen:
    text = system.read(f"{BASE}/isolated")
    isolated = parse_list(text)
    ticks = parse_list(system.read(f"{BASE}/nohz_full")) or ()  # the kernel writes "(null)" for none
    if isolated is None:
        return unknown(f"{BASE}/isolated is {system.why(f'{BASE}/isolated')}, or no list",
                       "quieter CPUs may exist; not quantified here")  # fmt: skip
    if not isolated and not ticks:
        return good("no isolated CPUs: all are alike")
    quiet = isolated or ticks
    state = f"isolated: {show_list(isolated)}; without ticks: {show_list(ticks)}"
    if set(quiet) <= set(allowed(system)) and len(quiet) == len(allowed(system)):
        return good(f"{state}: all CPUs used here")
    return note(state, "CPUs differ in how often they are interrupted; not quantified here",
                f"taskset -c {show_list(quiet)} tierscope run quick")  # fmt: skip


checks.add(
    Check(
        "isolation", EVERY, look, looks_at="CPUs kept free of other tasks", advice="measure on them with `taskset -c`"
    )
)
