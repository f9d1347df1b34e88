"""CPU quota of the control group: run time per period, after which all its threads are stopped.

Blind to limits above a container's own view of the hierarchy.
Source: Linux, Documentation/scheduler/sched-bwc.rst, admin-guide/cgroup-v2.rst (cpu.max).
"""

from tierscope.doctor.cgroups import Level, groups
from tierscope.doctor.check import BANDWIDTH, Check, Seen, bad, checks, good, unknown
from tierscope.host.proc import allowed
from tierscope.host.system import System, whole

EFFECT = (
    "all threads stop for the rest of each period, which lengthens the blocks that it interrupts; not quantified here"
)


def look(system: System) -> Seen:
    found = list(groups(system, "cpu"))
    if not found:
        return unknown("needs a mounted cgroup file system", EFFECT)
    quotas = [(cpus, level) for level in found if (cpus := _cpus(system, level))]
    mine = len(allowed(system))
    if not quotas or (mine and min(quotas)[0] >= mine):
        return good("none below the allowed CPUs")
    cpus, level = min(quotas)
    file, word = ("cpu.max", "max") if level.version == 2 else ("cpu.cfs_quota_us", "-1")
    return bad(f"{cpus:.3g} of {mine or 'unknown'} CPUs", EFFECT, level.remedy(file, word))


def _cpus(system: System, level: Level) -> float | None:
    """Return quota over period; None without a quota."""
    if level.version == 2:
        words = (system.read(f"{level.folder}/cpu.max", 64) or "").split()
        quota, period = (whole(words[0]), whole(words[1])) if len(words) == 2 else (None, None)
    else:
        quota, period = (system.number(f"{level.folder}/cpu.cfs_{name}_us") for name in ("quota", "period"))
    return quota / period if quota and period and quota > 0 and period > 0 else None


checks.add(
    Check(
        "cgroup_cpu",
        BANDWIDTH,
        look,
        looks_at="a CPU quota below the allowed CPUs",
        advice="raise `cpu.max` of the group, or measure outside the container",
    )
)
