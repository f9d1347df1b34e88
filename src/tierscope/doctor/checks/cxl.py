"""CXL memory: can `node:` or `devdax:` reach it.

Volatile memory needs a committed region and then a mode: system-ram is a node, devdax a device. Persistent memory needs
a region and then a namespace. Blind to memory that the firmware made a node itself: it needs no region.
Source: Linux, Documentation/ABI/testing/sysfs-bus-cxl; cxl-create-region(1), daxctl-reconfigure-device(1).
"""

from tierscope.doctor.check import NONE, Check, Seen, checks, good, note, unknown
from tierscope.host import cxl
from tierscope.host.persistent import dax
from tierscope.host.system import System
from tierscope.units import show_bytes

EFFECT = (
    "no target reaches memory without a region, unless the firmware made it a node already: see `tierscope topology`"
)
DEVICE = "`devdax:` reaches it, `node:` does not until it is plain memory; back again only if nothing uses it"


def look(system: System) -> Seen:
    found = cxl.look(system)
    if found is None:
        return good("none")
    state = ", ".join([*map(_memory, found.memories), *(_region(each) for each in found.regions)])
    live = [each for each in found.regions if each.committed is not False and each.size_bytes != 0]
    if found.memories and not live:
        first = found.memories[0]
        if first.ram_bytes is None and first.pmem_bytes is None:
            return unknown(f"{state}; its sizes are not readable", EFFECT, "cxl list -MRDu")
        kind = "ram" if first.ram_bytes else "pmem"
        make = f"sudo cxl create-region -m -t {kind} -w 1 {first.name}"
        return note(f"{state}; no region", EFFECT, make)
    names = {name for each in live for name in each.dax}
    held = [each.name for each in dax.devices(system) if each.name in names and each.mode != "system-ram"]
    if held:
        return note(state, DEVICE, f"sudo daxctl reconfigure-device -m system-ram {held[0]}")
    return good(state)


def _memory(memory: cxl.CxlMemory) -> str:
    total = (memory.ram_bytes or 0) + (memory.pmem_bytes or 0)
    return f"{memory.name} {show_bytes(total) if total else 'of unknown size'}"


def _region(region: cxl.CxlRegion) -> str:
    words = (region.name, region.mode, "not committed" if region.committed is False else "")
    return " ".join(word for word in words if word)


checks.add(
    Check(
        "cxl",
        NONE,
        look,
        looks_at="CXL memory that no target reaches: no region, or not plain memory",
        advice="make a region, or reconfigure its device; both commands are printed",
    )
)
