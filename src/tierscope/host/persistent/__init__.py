"""Persistent memory and DAX devices as the kernel shows them: text files alone, no library, no root.

A value that no file states is None or "", never a guess. Blind to device mapper above a persistent block device, to
what is below a hypervisor, and to whether a mapping is really direct: only a mapping with MAP_SYNC proves that.
Source: Linux, Documentation/ABI/testing/sysfs-bus-nvdimm, sysfs-bus-nfit, sysfs-bus-dax; drivers/nvdimm, drivers/dax.
"""

from tierscope.host.persistent import dax, mounts, regions
from tierscope.host.persistent.facts import Persistent
from tierscope.host.system import System


def look(system: System) -> Persistent | None:
    """Return all that the system shows; None where it shows none."""
    found = Persistent(
        regions=regions.regions(system),
        namespaces=regions.namespaces(system),
        nvdimms=regions.nvdimms(system),
        dax=dax.devices(system),
        mounts=mounts.mounts(system),
    )
    return None if found == Persistent() else found
