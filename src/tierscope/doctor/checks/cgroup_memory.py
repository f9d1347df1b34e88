"""Memory limit of the control group, lowest of all visible levels.

Blind to limits above a container's own view of the hierarchy.
Source: Linux, Documentation/admin-guide/cgroup-v2.rst (memory.max, memory.high), cgroup-v1/memory.rst.
"""

from tierscope.doctor.cgroups import MEMORY, groups
from tierscope.doctor.check import EVERY, Check, Seen, bad, checks, good, note, unknown
from tierscope.host.proc import meminfo
from tierscope.host.system import System
from tierscope.units import GiB, show_bytes

WANTED = 2 * GiB  # the largest footprint of `run quick`
EFFECT = "the kernel reclaims memory above the limit or ends the run; smaller footprints are unaffected; not quantified"


def look(system: System) -> Seen:
    total = meminfo(system).get("MemTotal")
    found = list(groups(system, "memory"))
    if not total or not found:
        return unknown("needs /proc/meminfo and a mounted cgroup file system", EFFECT)
    limits = [(limit, level, name) for level in found for name in MEMORY[level.version][0]
              if (limit := system.number(f"{level.folder}/{name}")) is not None and limit < total]  # fmt: skip
    if not limits:
        return good("none")
    limit, level, name = min(limits)
    used = system.number(f"{level.folder}/{MEMORY[level.version][1]}")
    remedy = level.remedy(name, "max" if level.version == 2 else "-1")
    if used is None:
        return note(f"{show_bytes(limit)} of {show_bytes(total)} ({name}), what is left is not known", EFFECT, remedy)
    left = max(0, limit - used)
    state = f"{show_bytes(limit)} of {show_bytes(total)} ({name}), {show_bytes(left)} left"
    return (note if left >= WANTED else bad)(state, EFFECT, remedy)


checks.add(
    Check(
        "cgroup_memory",
        EVERY,
        look,
        looks_at="a memory limit below the machine's memory",
        advice="raise `memory.max`, or choose smaller arrays with `array=`",
    )
)
