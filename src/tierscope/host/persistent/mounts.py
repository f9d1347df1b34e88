"""File systems on persistent block devices, with what decides whether a mapping of theirs is direct and large.

ext4 shows its stripe in blocks (`stripe=512`), XFS in units of 512 B (`sunit=4096`).
Source: Linux, Documentation/filesystems/dax.rst, proc(5); ext4(5), xfs(5).
"""

import re
from collections.abc import Iterator

from tierscope.host.persistent.facts import Mount
from tierscope.host.system import System, whole

PATH = "/proc/self/mounts"
DEVICE = re.compile(r"/dev/(pmem[0-9]+(?:\.[0-9]+)?s?(?:p[0-9]+)?)")  # namespace 0.1: pmem0.1; sectors: pmem0s; a part
XFS_UNIT_BYTES = 512


def mounts(system: System) -> tuple[Mount, ...]:
    """Return the mounts of devices pmemN, in order of the table."""
    return tuple(_mounts(system))


def _mounts(system: System) -> Iterator[Mount]:
    for line in (system.read(PATH) or "").splitlines():
        words = line.split(" ")
        device = DEVICE.fullmatch(words[0])
        if device is None or len(words) < 4:
            continue
        path, options = _plain(words[1]), words[3].split(",")
        block = system.block_bytes(path)
        yield Mount(
            device=device[1],
            path=path,
            file_system=words[2],
            dax=_dax(options),
            block_bytes=block,
            stripe_bytes=_stripe(options, block),
        )


def _plain(path: str) -> str:
    """Return the path: the table writes its blanks and backslashes as three octal digits."""
    return re.sub(r"\\([0-3][0-7]{2})", lambda match: chr(int(match[1], 8)), path)


def _dax(options: list[str]) -> str:
    if "dax" in options:
        return "always"
    return next((word.removeprefix("dax=") for word in options if word.startswith("dax=")), "")


def _stripe(options: list[str], block: int | None) -> int | None:
    values = dict(word.split("=", 1) for word in options if "=" in word)
    blocks, units = (whole(values.get(name)) for name in ("stripe", "sunit"))
    if blocks is not None and block:
        return blocks * block if 0 < blocks <= 1 << 32 else None
    return units * XFS_UNIT_BYTES if units is not None and 0 < units <= 1 << 32 else None
