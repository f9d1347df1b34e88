"""Where a store to persistent memory is safe from a loss of power, as the firmware reports.

ADR: once it left the CPU's caches, so a program flushes each line and fences. eADR: once it is in a cache, so it only
fences. Unknown: nothing is promised, and the kernel prints "unable to guarantee persistence of writes" in its log.
Source: Linux, Documentation/ABI/testing/sysfs-bus-nvdimm; ACPI 6.5, 5.2.25.9 (platform capabilities); A. Rudoff,
"Persistent Memory Programming without All That Cache Flushing", SNIA Persistent Memory Summit, 2020.
"""

from tierscope.doctor.check import NONE, Check, Seen, checks, good, note, unknown
from tierscope.host.persistent import regions
from tierscope.host.system import System

ADR, EADR = "memory_controller", "cpu_cache"
WORDS = {ADR: "ADR", EADR: "eADR"}
CACHES = (
    "persistence needs a fence only, no flush: costs of flushes are those of programs written for ADR; "
    "the firmware reports the power supply's reserve, and Tierscope does not check it"
)
NOTHING = "a flush and a fence order stores, but whether they survive a loss of power is not promised"
READ_ONLY = "targets that write are refused there"


def look(system: System) -> Seen:
    found = regions.regions(system)
    if not found:
        return good("none")
    words = (f"{each.name} {WORDS.get(each.domain, 'unknown')}{' read-only' * bool(each.read_only)}" for each in found)
    state = ", ".join(words)
    if any(each.domain not in WORDS for each in found):
        return unknown(state, NOTHING, "ndctl list -Ru")
    if any(each.read_only for each in found):
        return note(state, READ_ONLY, "ndctl list -Ru")
    if any(each.domain == EADR for each in found):
        return note(state, CACHES)
    return good(f"{state}: flush and fence persist")


checks.add(
    Check(
        "pmem_domain",
        NONE,
        look,
        looks_at="from where a store survives a power failure: ADR, eADR, not reported; read-only regions",
        advice="nothing: the firmware decides",
    )
)
