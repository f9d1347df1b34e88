"""File systems on persistent memory: do mappings reach it directly, and by pages of 2 MiB.

Direct: mode fsdax, `dax=always`, blocks as large as a page. Large: namespace aligned to 2 MiB, and files too, which a
stripe of 2 MiB brings about. Blind to single files with a flag of their own (`xfs_io -c 'chattr +x'`), to how full and
scattered the file system is, and to a device mapper between: a target proves its own mapping.
Source: Linux, Documentation/filesystems/dax.rst; pmem.io, "Using Huge Pages with DAX"; mkfs.ext4(8), mkfs.xfs(8).
"""

from shlex import quote

from tierscope.doctor.check import NONE, Check, Seen, checks, good, note, unknown
from tierscope.host.persistent import mounts, regions
from tierscope.host.persistent.facts import Mount, Namespace
from tierscope.host.system import System
from tierscope.units import KiB, MiB, show_bytes

LARGE_BYTES = 2 * MiB
PAGE_BYTES = 4 * KiB  # where the kernel does not show its own
COPIED = "without DAX a file is in the page cache: `fsdax:` refuses it, and `file:` measures DRAM"
SMALL = (
    "mappings of 4 KiB where 2 MiB is possible: 512x the page faults, and more TLB misses; "
    "WARNING: making it again erases its content"
)
UNUSED = "`fsdax:` needs a file on a mount with DAX; the command makes a file system only where there is none"


def look(system: System) -> Seen:
    direct = {each.block: each for each in regions.namespaces(system) if each.mode == "fsdax" and each.block}
    found = mounts.mounts(system)
    if not direct and not found:
        return good("none")
    if system.read(mounts.PATH) is None:
        return unknown(f"{mounts.PATH} is {system.why(mounts.PATH)}", UNUSED)
    pairs = [(mount, direct.get(_disk(mount.device))) for mount in found]
    page = system.page_bytes() or PAGE_BYTES
    doubts = [doubt for mount, namespace in pairs if (doubt := _copied(mount, namespace, page))]
    doubts += [doubt for mount, namespace in pairs if (doubt := _small(mount, namespace))]
    if doubts:
        return doubts[0]
    state = ", ".join(_told(each) for each in found)
    free = sorted(set(direct) - {_disk(mount.device) for mount in found})
    if free:
        return note(
            "; ".join(part for part in (state, f"not mounted: {', '.join(free)}") if part), UNUSED, _use(free[0])
        )
    return good(state)


def _disk(device: str) -> str:
    """Return the disk of a part: 'pmem0p1' -> 'pmem0'."""
    head, _, number = device.rpartition("p")
    return head if head and number.isdigit() else device


def _told(mount: Mount) -> str:
    return (
        f"{mount.path} is {mount.file_system} on {mount.device}, {f'dax={mount.dax}' if mount.dax else 'without dax'}"
    )


def _copied(mount: Mount, namespace: Namespace | None, page: int) -> Seen | None:
    if mount.block_bytes is not None and mount.block_bytes != page:
        blocks = f"blocks of {show_bytes(mount.block_bytes)} are not pages of {show_bytes(page)}"
        return note(f"{_told(mount)}; {blocks}", f"{COPIED}; WARNING: making it again erases it", _make(mount))
    if mount.dax == "always":
        return None
    if namespace is None:
        return note(_told(mount), f"{COPIED}; its namespace is not in mode fsdax")
    again = f"sudo umount {quote(mount.path)} && sudo mount -o dax=always /dev/{mount.device} {quote(mount.path)}"
    return note(_told(mount), COPIED, again)


def _small(mount: Mount, namespace: Namespace | None) -> Seen | None:
    align, stripe = namespace.align_bytes if namespace else None, mount.stripe_bytes
    if namespace and align and align % LARGE_BYTES:
        again = f"sudo ndctl create-namespace -f -e {namespace.name} -m fsdax --map=mem --align=2M"
        return note(f"{_told(mount)}; {namespace.name} is aligned to {show_bytes(align)}", SMALL, again)
    unasked = mount.file_system == "ext4" and mount.block_bytes is None  # it states its stripe in blocks
    if unasked or (stripe and stripe % LARGE_BYTES == 0):
        return None
    return note(f"{_told(mount)}; stripe {show_bytes(stripe) if stripe else 'not set'}, not 2 MiB", SMALL, _make(mount))


def _make(mount: Mount) -> str:
    """Return the command; its programs ask before they write over a file system, or refuse."""
    return f"sudo umount {quote(mount.path)}; {_new(mount.device, mount.file_system)}"


def _new(device: str, kind: str = "ext4") -> str:
    if kind == "xfs":
        return f"sudo mkfs.xfs -m reflink=0 -d su=2m,sw=1 /dev/{device}"
    return f"sudo mkfs.ext4 -b 4096 -E stride=512,stripe_width=512 /dev/{device}"


def _use(device: str) -> str:
    place = f"/mnt/{device}"
    make = f"sudo blkid -p /dev/{device} || {_new(device)}"
    return f"{make}; sudo mkdir -p {place} && sudo mount -o dax=always /dev/{device} {place}"


checks.add(
    Check(
        "pmem_mounts",
        NONE,
        look,
        looks_at="file systems without DAX, with other blocks than pages, or not aligned to 2 MiB",
        advice="mount with `dax=always`, or [make it again](../how-to/persistent-memory.md#making-a-namespace)",
    )
)
