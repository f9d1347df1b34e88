"""Modes of persistent namespaces: which of them a target can map. `raw` and `sector` are block devices without DAX.

Source: ndctl-create-namespace(1); Linux, Documentation/driver-api/nvdimm/nvdimm.rst.
"""

from tierscope.doctor.check import NONE, Check, Seen, checks, good, note, unknown
from tierscope.host.persistent import dax, regions
from tierscope.host.persistent.facts import Namespace
from tierscope.host.system import System

DIRECT = ("fsdax", "devdax")
NOTHING = "no persistent memory, so no `fsdax:` and no `devdax:` target; `file:` on tmpfs can replace them"
EFFECT = (
    "`fsdax:` needs mode fsdax, `devdax:` mode devdax, and others are refused; WARNING: a change of mode erases "
    "the content of the namespace"
)


def look(system: System) -> Seen:
    found, places = regions.namespaces(system), regions.regions(system)
    if not found and not places:
        return good(_without(system))
    state = ", ".join(f"{each.name} {each.mode or 'unknown'}{_device(each)}" for each in found)
    blunt = [each for each in found if each.mode and each.mode not in DIRECT]
    if blunt:
        return note(state, EFFECT, f"sudo ndctl create-namespace -f -e {blunt[0].name} -m fsdax --map=mem")
    if any(not each.mode for each in found):
        return unknown(f"{state}: the mode is not readable", EFFECT, "ndctl list -NRDu")
    used = {each.region for each in found}
    idle = [place.name for place in places if place.name not in used and place.size_bytes]
    if idle:
        state = "; ".join(part for part in (state, f"no namespace in {', '.join(idle)}") if part)
        return note(state, EFFECT, f"sudo ndctl create-namespace -r {idle[0]} -m fsdax --map=mem")
    return good(state) if found else unknown("regions without a size or a namespace", EFFECT, "ndctl list -NRDu")


def _device(each: Namespace) -> str:
    device = each.block or each.character
    return f" (/dev/{device})" if device else ""


def _without(system: System) -> str:
    """Return the state without namespaces: DAX devices also come from CXL and from memory set aside by the firmware."""
    devices = [f"/dev/{each.name}" for each in dax.devices(system) if each.mode == "devdax"]
    return f"none; `devdax:` can map {', '.join(devices)}" if devices else NOTHING


checks.add(
    Check(
        "pmem_namespaces",
        NONE,
        look,
        looks_at="modes of namespaces: `raw` and `sector` have no DAX",
        advice="[make one](../how-to/persistent-memory.md#making-a-namespace)",
    )
)
