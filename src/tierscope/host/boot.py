"""The identity of the current start of the kernel.

Source: Linux, random(4), /proc/sys/kernel/random/boot_id.
"""

from tierscope.host.system import System

BOOT_ID = "/proc/sys/kernel/random/boot_id"


def boot_of(system: System) -> str:
    """Return the identifier of this start of the system; "" where it is not shown."""
    return system.read(BOOT_ID, 64) or ""
