"""Cache sizes: what is reported, and whether one tenant can have it.

A hypervisor often shows the last-level cache of the whole socket to a guest with two CPUs. A guest that sees more per
CPU than any CPU of that maker has per core shares it with others; one that sees less may also share. Also checked: size
= sets x ways x line.
Source: Linux, Documentation/ABI/testing/sysfs-devices-system-cpu; data sheets of Intel Xeon E7-8893 v4 (60 MiB, 4
cores) and AMD EPYC 9184X (768 MiB, 16 cores), which have the most per core. The effective size was measured on a guest
with a working-set sweep while Tierscope was designed.
"""

from tierscope.doctor.check import EVERY, Check, Seen, bad, checks, good, note, unknown
from tierscope.host.proc import first_cpu, virtual
from tierscope.host.system import System, parse_list, whole
from tierscope.units import SIZES, MiB, show_bytes

FIRST = "/sys/devices/system/cpu/cpu0/cache/index[0-9]*"
LAST_LEVEL = 3
BEHIND = (
    "many ARM processors have a system-level cache behind these that no file reports: footprints by their sizes may "
    "be in it; `run latency` finds its size, and the suites search for it first"
)
LARGEST_SHARE = {"GenuineIntel": 15 * MiB, "AuthenticAMD": 48 * MiB}
EFFECT = (
    "on a two-CPU guest, 64 to 128 of the 480 MiB reported were effective, fewer with busy neighbours (measured); "
    "`run latency` finds the effective size"
)


def look(system: System) -> Seen:
    sizes = {path: size for path in system.glob(FIRST) if (size := _size(system.read(f"{path}/size", 32)))
             and system.read(f"{path}/type", 32) != "Instruction"}  # fmt: skip
    if not sizes:
        return unknown(
            "no cache is reported", "Tierscope cannot choose footprints from it; `run latency` finds the size"
        )
    path, size = max(sizes.items(), key=lambda item: item[1])
    level, sharers = system.read(f"{path}/level", 8), parse_list(system.read(f"{path}/shared_cpu_list", 4096)) or (0,)
    state = f"last level L{level}, {show_bytes(size)} for {len(sharers)} CPU{'s' if len(sharers) > 1 else ''}"
    if any(not _adds_up(system, each, value) for each, value in sizes.items()):
        return bad(f"{state}; the size is not sets x ways x line", EFFECT)
    if virtual(system) is not False:
        if size > len(sharers) * LARGEST_SHARE.get(first_cpu(system).get("vendor_id", ""), 48 * MiB):
            return bad(f"{state}: more than one tenant can have", EFFECT)
        if virtual(system):
            return note(f"{state}, as the hypervisor reports", EFFECT)
    if "CPU implementer" in first_cpu(system) and (whole(level) or 0) < LAST_LEVEL:
        return note(f"{state}; no L3 is reported", BEHIND)
    return good(state)


def _size(text: str | None) -> int:
    """Return the bytes of '2048K'; 0 for anything else."""
    number = whole((text or "")[:-1])
    return number * SIZES["KiB"] if text and text.endswith("K") and number and number > 0 else 0


def _adds_up(system: System, path: str, size: int) -> bool:
    """Return True where a part is unknown."""
    names = ("number_of_sets", "ways_of_associativity", "coherency_line_size")
    sets, ways, line = (system.number(f"{path}/{name}") for name in names)
    return not (sets and ways and line) or sets * ways * line == size


checks.add(
    Check(
        "caches",
        EVERY,
        look,
        looks_at="whether reported cache sizes are plausible, and whether one tenant can have them",
        advice="nothing: read the effective cache in the staircase instead; bandwidth is measured beyond it",
    )
)
