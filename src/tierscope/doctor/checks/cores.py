"""Cores: big and little ones in one machine, by `cpu_capacity`.

A plan that chooses CPUs by itself takes those of the largest capacity alone, and those with at least 95 % of it, since
threads on unlike cores measure the mix. Blind to kernels that state no capacity (before 6.x on x86-64 with hybrid
cores); there, `cpu_core` and `cpu_atom` distinguish them.
Source: Linux, Documentation/scheduler/sched-capacity.rst; Documentation/ABI/testing/sysfs-devices-system-cpu.
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks, good, note
from tierscope.host.system import System, parse_list
from tierscope.record.machine import EQUAL_CAPACITY

BASE = "/sys/devices/system/cpu"
HYBRID = ("/sys/devices/cpu_core/cpus", "/sys/devices/cpu_atom/cpus")
EFFECT = (
    "unequal cores differ in clock, caches and lines in flight; Tierscope uses only the largest, "
    "and `cpus=` names others; not quantified here"
)


def look(system: System) -> Seen:
    kinds = kinds_of(system)
    if len(kinds) > 1 and min(kinds) >= EQUAL_CAPACITY * max(kinds):
        return good(f"capacities of {min(kinds)} to {max(kinds)}: used together")
    if len(kinds) > 1:
        told = ", ".join(f"CPUs {_list(cpus)} ({size})" for size, cpus in sorted(kinds.items(), reverse=True))
        return note(f"{len(kinds)} kinds: {told}", EFFECT)
    groups = [cpus for path in HYBRID if (cpus := parse_list(system.read(path, 4096)))]
    if len(groups) > 1:
        told = " and ".join(_list(list(cpus)) for cpus in groups)
        return note(f"2 kinds: CPUs {told}; this kernel states no capacities", f"{EFFECT}; name cpus= yourself")
    return good("all of one capacity" if kinds else "no capacities stated: assumed equal")


def kinds_of(system: System) -> dict[int, list[int]]:
    """Return the CPUs of each capacity."""
    kinds: dict[int, list[int]] = {}
    for path in system.glob(f"{BASE}/cpu[0-9]*/cpu_capacity"):
        size = system.number(path)
        if size is not None and size > 0:
            kinds.setdefault(size, []).append(int(path.split("/cpu")[-2].split("/")[0]))
    return kinds


def _list(cpus: list[int]) -> str:
    """Return the short form of a list: [0, 1, 2, 5] -> '0-2,5'."""
    parts: list[list[int]] = []
    for cpu in sorted(cpus):
        if parts and cpu == parts[-1][-1] + 1:
            parts[-1].append(cpu)
        else:
            parts.append([cpu])
    return ",".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


EXAMPLES = {
    "good": {f"{BASE}/cpu{n}/cpu_capacity": "1024" for n in range(8)},
    "note": {f"{BASE}/cpu{n}/cpu_capacity": "1024" if n < 4 else "446" for n in range(8)},
}

checks.add(
    Check(
        "cores",
        EVERY,
        look,
        looks_at="big and little cores (`cpu_capacity`)",
        advice="nothing: the largest cores are used alone; `cpus=` names others",
    )
)
