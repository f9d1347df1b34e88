"""Memory that comes and goes while the system runs: the blocks that are online, and the total that the kernel manages.

A block that goes offline takes its pages away; a balloon takes pages away and leaves the blocks. Machines with more
than MOST blocks are asked for the total alone: each block is a file.
Source: Linux, Documentation/admin-guide/mm/memory-hotplug.rst; Documentation/ABI/testing/sysfs-devices-memory.
"""

from typing import NamedTuple

from tierscope.host.proc import meminfo
from tierscope.host.system import System

MOST = 4096  # files; about 0.1 s
STATES = "/sys/devices/system/memory/memory[0-9]*/state"
TOTAL, BLOCKS = "memory_total_bytes", "memory_blocks_online"
"""Names in the state of a machine."""


class Memory(NamedTuple):
    """The memory that the kernel manages now; None for what it does not show."""

    total_bytes: int | None
    blocks_online: int | None

    @property
    def state(self) -> dict[str, int | None]:
        """As parts of the state of a machine."""
        return {TOTAL: self.total_bytes, BLOCKS: self.blocks_online}


def look(system: System) -> Memory:
    """Return what the kernel manages now."""
    paths = system.glob(STATES)
    known = 0 < len(paths) <= MOST
    online = sum(system.read(path, 16) == "online" for path in paths) if known else None
    return Memory(meminfo(system).get("MemTotal"), online)
