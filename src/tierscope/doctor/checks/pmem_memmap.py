"""The steps from DRAM to an emulated persistent memory with files: command line, region, namespace, file system, mount.

Each step needs the one before it. The check names the first that is not done, with its command. Where none was begun,
it is good: such memory is an offer, not a fault. Udev's records show what an unmounted device contains.
Source: "Performance modelling of data structures on persistent memory" (document 004 of this project's sources), 6.1;
Linux, Documentation/admin-guide/kernel-parameters.txt (memmap=nn!ss), drivers/nvdimm/e820.c.
"""

import re
from shlex import quote

from tierscope.doctor import boot_parameter
from tierscope.doctor.check import NONE, Check, Seen, checks, good, note, unknown
from tierscope.host.persistent import memmap, mounts, regions
from tierscope.host.persistent.facts import Mount, Namespace, Region
from tierscope.host.system import System

STEPS = ("kernel command line", "region", "namespace", "file system", "mount")
ALL = len(STEPS)
E820 = "e820"  # provider of the kernel's own bus for such memory
PART = re.compile(r"(?<=[0-9])p[0-9]+$")  # of a disk: pmem0p1
PLACE = "/mnt/emdram"  # as document 004 names it
EFFECT = f"emulated persistent memory needs {ALL} steps; it is DRAM, and results on it count as emulated"
ERASES = f"{EFFECT}; WARNING: the command erases what the namespace contains"
REBOOT = " && sudo reboot"
SHOW = f"sudo grep 'System RAM' {memmap.ADDRESSES}"


def look(system: System) -> Seen:
    """Return the first step that is not done."""
    word, waiting = memmap.asked(system), memmap.asked_later(system)
    made = [each for each in regions.regions(system) if each.provider == E820]
    if made:
        spaces = [each for each in regions.namespaces(system) if each.region in {one.name for one in made}]
        return _behind_region(system, word or "memory set aside by the firmware", made[0], spaces)
    if word:
        return _no_region(system, word)
    if waiting:
        state = f"{waiting} is in GRUB's settings, not in this boot"
        return _line(state, waiting, boot_parameter.applying(system, waiting))
    if not re.search(r"^flags\s*:", system.read("/proc/cpuinfo") or "", re.MULTILINE):  # Arm has Features, RISC-V isa
        return good("none; memmap= sets memory aside on x86 alone")
    return good(f"not set up: no memmap= on the kernel's command line; {_first(system)}")


def _step(number: int, state: str, command: str, effect: str = EFFECT) -> Seen:
    return note(f"step {number} of {ALL}, {STEPS[number - 1]}: {state}", effect, command)


def _line(state: str, word: str, command: str) -> Seen:
    """Return step 1 with the command that ends in a reboot, or with what to do where no command is known."""
    if command:
        return _step(1, state, command + REBOOT)
    return _step(1, f"{state}; {boot_parameter.by_hand(word)}", "")


def _first(system: System) -> str:
    """Return how step 1 is done. It is an offer, so nothing in it restarts the machine."""
    word = memmap.proposed(system)
    if not word:
        return f"step 1 of {ALL} needs the addresses of the memory: {SHOW}"
    command = boot_parameter.adding(system, word) or boot_parameter.by_hand(word)
    return f"step 1 of {ALL}, in effect from the next boot: {command}"


def _no_region(system: System, word: str) -> Seen:
    aside = memmap.set_aside(system)
    if aside is None:
        return unknown(f"step 2 of {ALL}, {STEPS[1]}: {word} made none", f"{memmap.ADDRESSES} is not readable")
    if aside:
        return _step(2, f"{word} set memory aside, and no driver uses it", "sudo modprobe -a nd_e820 nd_pmem")
    state, better = f"{word} set nothing aside: its addresses are not RAM", memmap.proposed(system)
    return _line(state, better, boot_parameter.adding(system, better)) if better else _step(1, state, SHOW)


def _behind_region(system: System, word: str, region: Region, spaces: list[Namespace]) -> Seen:
    ready = [each for each in spaces if each.mode == "fsdax" and each.block]
    if not ready:
        what = f"{spaces[0].name} has mode {spaces[0].mode or 'unknown'}" if spaces else f"none in {region.name}"
        which = f"-f -e {spaces[0].name}" if spaces else f"-r {region.name}"
        make = f"sudo ndctl create-namespace {which} -m fsdax --map=mem"
        return _step(3, f"{word}: {what}", make, ERASES if spaces else EFFECT)
    blocks = {each.block for each in ready}
    mounted = [mount for mount in mounts.mounts(system) if PART.sub("", mount.device) in blocks]
    direct = [mount for mount in mounted if mount.dax == "always"]
    if direct:
        state = f"all {ALL} steps are done: {word}, {_told(direct[0])}"
        return good(f"{state}; try target=fsdax:{direct[0].path}/FILE")
    if mounted:
        path = quote(mounted[0].path)
        again = f"sudo umount {path} && sudo mount -o dax=always /dev/{mounted[0].device} {path}"
        return _step(5, f"{_told(mounted[0])}, without dax=always", again)
    return _unmounted(system, word, ready[0].block)


def _told(mount: Mount) -> str:
    return f"{mount.file_system} of /dev/{mount.device} on {mount.path}"


def _unmounted(system: System, word: str, device: str) -> Seen:
    kind, known = _content(system, device)
    mount = f"sudo mkdir -p {PLACE} && sudo mount -o dax=always /dev/{device} {PLACE}"
    if kind:
        return _step(5, f"{word}: {kind} on /dev/{device} is not mounted", mount)
    make = f"sudo mkfs.ext4 -b 4096 -E stride=512,stripe_width=512 /dev/{device}"
    if known:
        return _step(4, f"{word}: /dev/{device} contains none", make)
    unseen = f"{word}: what /dev/{device} contains is not visible"
    return _step(4, unseen, f"sudo blkid -p /dev/{device} || {make}; {mount}")


def _content(system: System, device: str) -> tuple[str, bool]:
    """Return the file system of a block device, and whether udev has a record of the device."""
    number = system.read(f"/sys/class/block/{device}/dev", 32)
    record = system.read(f"/run/udev/data/b{number}") if number else None
    facts = dict(line.removeprefix("E:").split("=", 1) for line in (record or "").splitlines() if "=" in line)
    return facts.get("ID_FS_TYPE", ""), record is not None


EXAMPLES = {
    "good": {"/proc/cmdline": "quiet"},
    "note": {"/proc/cmdline": "memmap=4G!12G", memmap.ADDRESSES: "300000000-3ffffffff : Persistent Memory (legacy)"},
    "unknown": {"/proc/cmdline": "memmap=4G!12G", memmap.ADDRESSES: None},
}

checks.add(
    Check(
        "pmem_memmap",
        NONE,
        look,
        looks_at="the steps of emulated persistent memory by `memmap=`, from the command line to the mount",
        advice="[set DRAM aside](../how-to/persistent-memory.md#emulate-it-with-dram): the next command",
    )
)
