"""Limits of the control groups above this process, version 1 and 2, container or not.

The path in /proc/self/cgroup counts from the root of the hierarchy, the mount may begin below it (its
field `root` in mountinfo). Groups above the mount are invisible from inside a container.
Source: Linux, Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst; proc(5), mountinfo; cgroups(7).
"""

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from tierscope.host.system import System

DEEPEST = 32  # levels looked at; systemd and Kubernetes together make about ten
MEMORY = {
    1: (("memory.limit_in_bytes",), "memory.usage_in_bytes"),
    2: (("memory.max", "memory.high"), "memory.current"),
}
"""Version -> files of limits of memory in bytes, and that of what is used."""


class Level(NamedTuple):
    """One control group: its folder, the version (1 or 2) of its hierarchy, whether its mount can be written."""

    folder: str
    version: int
    writable: bool

    def remedy(self, file: str, word: str) -> str:
        """Return the command that writes a word; "" in a container, whose limits are set from outside."""
        return f"echo {word} | sudo tee {self.folder}/{file}" if self.writable else ""


def groups(system: System, controller: str) -> Iterator[Level]:
    """Yield the process's own group and all above it, where they are visible."""
    own = _own(system)
    for line in (system.read("/proc/self/mountinfo") or "").splitlines():
        left, _, right = line.partition(" - ")
        before, after = left.split(), right.split()
        if len(before) < 6 or len(after) < 3 or after[0] not in ("cgroup", "cgroup2"):
            continue
        version = 2 if after[0] == "cgroup2" else 1
        if version == 1 and controller not in after[2].split(","):
            continue
        path = own.get("" if version == 2 else controller)
        if path is not None:
            writable = "ro" not in before[5].split(",")
            yield from (Level(folder, version, writable) for folder in _upwards(before[4], _below(path, before[3])))


def memory_left(system: System) -> int | None:
    """Return the bytes below the nearest limit of memory; None without a limit, 0 where what is used is not shown."""
    left = [
        max(0, limit - used) if (used := system.number(f"{level.folder}/{MEMORY[level.version][1]}")) is not None else 0
        for level in groups(system, "memory")
        for name in MEMORY[level.version][0]
        if (limit := system.number(f"{level.folder}/{name}")) is not None
    ]
    return min(left, default=None)


def _own(system: System) -> dict[str, str]:
    """Return controller -> path of this process in its hierarchy; "" is version 2."""
    own: dict[str, str] = {}
    for line in (system.read("/proc/self/cgroup") or "").splitlines():
        parts = line.split(":", 2)
        if len(parts) == 3:
            own.update(dict.fromkeys(parts[1].split(","), parts[2]))
    return own


def _below(path: str, root: str) -> str:
    """Return the path seen from the mount; the mount's own folder where the process is not below it."""
    if root != "/":
        path = path[len(root) :] if path == root or path.startswith(root + "/") else ""
    return "" if "/.." in path else path.strip("/")


def _upwards(mount: str, path: str) -> Iterator[str]:
    for _ in range(DEEPEST):
        yield posixpath.join(mount, path).rstrip("/")
        if not path:
            return
        path = posixpath.dirname(path)
