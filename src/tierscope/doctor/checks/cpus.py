"""CPUs that this process may not use, by its affinity or its cpuset.

Source: Linux, proc(5), Cpus_allowed_list; cpuset(7); sched_setaffinity(2).
"""

from tierscope.doctor.check import BANDWIDTH, Check, Seen, checks, good, note, unknown
from tierscope.host.proc import allowed, online
from tierscope.host.system import System, show_list


def look(system: System) -> Seen:
    mine, everyone = allowed(system), online(system)
    if not mine or not everyone:
        return unknown("needs /proc/self/status and /sys/devices/system/cpu/online",
                       "the highest thread count may be below the machine's number of CPUs")  # fmt: skip
    if set(everyone) <= set(mine):
        return good(f"all {len(everyone)} online CPUs")
    usable = tuple(sorted(set(mine) & set(everyone)))
    return note(f"{len(usable)} of {len(everyone)} online CPUs: {show_list(usable)}",
                f"scaling ends at {len(usable)} threads, below the bandwidth of the whole machine",
                f"taskset -c {show_list(everyone)} tierscope run quick")  # fmt: skip


checks.add(
    Check(
        "cpus",
        BANDWIDTH,
        look,
        looks_at="CPUs that affinity or cpuset forbid",
        advice="start with `taskset -c` on all CPUs",
    )
)
