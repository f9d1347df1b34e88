"""The identity of the current start of the kernel.

Source: Linux, random(4), /proc/sys/kernel/random/boot_id.
"""

from tierscope.host.system import System

BOOT_ID = "/proc/sys/kernel/random/boot_id"


def boot_of(system: System) -> str:
    """Return the identifier of this start of the system; "" where it is not shown."""
    return system.read(BOOT_ID, 64) or ""


def is_earlier(system: System, boot: str) -> bool:
    """Return whether the machine was started again since `boot`; False where one of both is not known."""
    return "" not in (now := boot_of(system), boot) and boot != now
