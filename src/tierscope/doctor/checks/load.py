"""Load average: tasks that ran or waited over the last minute, against the CPUs that may be used.

Counts the user's own recent work, tasks in uninterruptible sleep, and in most containers the whole host.
Source: Linux, proc(5), /proc/loadavg; effect measured on a two-CPU guest while Tierscope was designed.
"""

from tierscope.doctor.check import EVERY, Check, Seen, bad, checks, good, note, unknown
from tierscope.host.proc import allowed
from tierscope.host.system import System, real

BAD, SOME = 0.5, 0.1  # of the CPUs: half of them taken; one in ten
EFFECT = (
    "with two other busy tasks on two CPUs, a two-thread triad fell from 31 to 10 GB/s of wall time; medians of "
    "blocks without a context switch stayed within 10 % (measured)"
)


def look(system: System) -> Seen:
    words = (system.read("/proc/loadavg", 128) or "").split()
    load, cpus = real(words[0]) if words else None, len(allowed(system))
    if load is None or not cpus:
        return unknown("needs /proc/loadavg and /proc/self/status", EFFECT)
    state = f"{load:.2f} tasks over the last minute, {cpus} CPUs"
    if load < SOME * cpus:
        return good(state)
    return (bad if load >= BAD * cpus else note)(state, EFFECT, "top -b -n 1 | head -15")


checks.add(
    Check(
        "load",
        EVERY,
        look,
        looks_at="tasks that ran or waited in the last minute",
        advice="end them, or read [busy machines](../how-to/busy-machines.md)",
    )
)
