"""Devices of the kernel's DAX bus. As the memory of a node (driver kmem) one has no character device.

Source: Linux, Documentation/ABI/testing/sysfs-bus-dax, drivers/dax/bus.c.
"""

from tierscope.host.persistent.facts import DaxDevice
from tierscope.host.system import System

BUS = "/sys/bus/dax/devices"
MODES = {"device_dax": "devdax", "kmem": "system-ram"}  # by driver, in daxctl's words


def devices(system: System) -> tuple[DaxDevice, ...]:
    """Return those that contain memory, in order of their numbers."""
    found = (_device(system, path) for path in system.glob(f"{BUS}/dax[0-9]*"))
    return tuple(each for each in found if each.size_bytes != 0)


def _device(system: System, path: str) -> DaxDevice:
    return DaxDevice(
        name=path.rpartition("/")[2],
        mode=MODES.get(system.link(f"{path}/driver"), ""),
        size_bytes=system.count(f"{path}/size"),
        align_bytes=system.count(f"{path}/align"),
        numa_node=system.count(f"{path}/numa_node"),
        target_node=system.count(f"{path}/target_node"),
    )
