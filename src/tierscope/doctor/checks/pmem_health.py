"""DIMMs of persistent memory: the firmware's complaints, locks, lost shutdowns; and blocks that cannot be read.

Blind to wear and temperature, which `ndctl list -DH` shows to root.
Source: Linux, Documentation/ABI/testing/sysfs-bus-nfit, drivers/acpi/nfit/core.c (flags_show), sysfs-bus-nvdimm.
"""

from tierscope.doctor.check import NONE, Check, Seen, bad, checks, good, note, unknown
from tierscope.host.persistent import regions
from tierscope.host.persistent.facts import Nvdimm
from tierscope.host.system import System

FAULTS = ("save_fail", "restore_fail", "flush_fail", "not_armed", "map_fail")
"""The steps that the firmware failed to do; `not_armed`: contents would not be saved at a power failure."""
LOST = "data written to `fsdax:`, `devdax:` or `pool:` here may be lost, or were lost"
POISON = "a read of a bad block ends a run (SIGBUS, status 3); WARNING: to clear it sets its 512 bytes to zero"
WORN = "power failed at least once before all writes were safe, so pools made before may be torn; no speed changes"
LISTED = "sudo ndctl list -DHu"


def look(system: System) -> Seen:
    places, dimms = regions.regions(system), regions.nvdimms(system)
    if not places and not dimms:
        return good("none")
    if faults := [f"{dimm.name} {word}" for dimm in dimms for word in _faults(dimm)]:
        return bad(", ".join(faults), LOST, LISTED)
    if poisoned := [place for place in places if place.bad_blocks]:
        state = ", ".join(f"{place.name} {place.bad_blocks} bad blocks" for place in poisoned)
        held = [each.name for each in regions.namespaces(system) if each.region == poisoned[0].name]
        return bad(state, POISON, f"sudo ndctl clear-errors {held[0]}" if held else "")
    if any(place.bad_blocks is None for place in places):
        return unknown("bad blocks of a region are not readable", POISON, "sudo ndctl list -RMu")
    if not dimms:
        return unknown("no DIMM is shown below the regions (memmap= and virtio have none)", LOST)
    dirty = [f"{dimm.name} {dimm.dirty_shutdowns} times" for dimm in dimms if dimm.dirty_shutdowns]
    asked = [dimm.name for dimm in dimms if any(word.startswith("smart") for word in dimm.flags)]
    if dirty or asked:
        told = (
            *(f"not shut down cleanly: {each}" for each in dirty),
            *(f"{name} asks to be looked at" for name in asked),
        )
        return note(", ".join(told), WORN if dirty else LOST, LISTED)
    return good(f"{len(dimms)} DIMM{'s' if len(dimms) > 1 else ''} without complaint, no bad blocks")


def _faults(dimm: Nvdimm) -> list[str]:
    locked = ["locked"] if dimm.security == "locked" else []
    return [word for word in dimm.flags if word in FAULTS] + locked


checks.add(
    Check(
        "pmem_health",
        NONE,
        look,
        looks_at="DIMMs that are not armed, locked, or were not shut down cleanly; bad blocks",
        advice="look with `ndctl list -DHu`; clear bad blocks",
    )
)
