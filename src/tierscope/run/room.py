"""The capacity of the paths that a plan names: looked up once, before the run begins, and kept in its manifest.

A file that will be made has the free bytes of its file system, a pool that is there its size, a DAX device its own.
Bytes that go through the page cache also take memory of the system, and are limited to it.
Blind to: quotas, and what a pool that is there has given away.
Source: POSIX.1-2017, statvfs (f_bavail: without what is kept for root); PMDK, poolset(5).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from tierscope.errors import MachineError
from tierscope.fio.dax_content import exists, refuse_content
from tierscope.fio.device import check
from tierscope.fio.place import IN_MEMORY, file_system_of
from tierscope.host.persistent.facts import Persistent
from tierscope.host.system import System
from tierscope.plans.sizes import free_bytes
from tierscope.record.catalogue import HeldIn
from tierscope.record.experiment import Experiment, Target
from tierscope.record.machine import Machine
from tierscope.run.commands import OVERWRITE
from tierscope.run.known import PLACES
from tierscope.units import MiB

ON_FILES = ("page cache", "file system", "pool")
OPEN = ",open"  # behind the path of a pool that is there
ALIGN_BYTES = 2 * MiB  # of a DAX device whose kernel, before 5.10, does not report it
POOL_BYTES = 8 * MiB  # what libpmemobj keeps for itself, see core/targets/pool.cpp
PART = re.compile(r"[0-9]+[KMGT]?B?\s+(/.+)")  # of a pool set
MOUNTS = "/proc/self/mounts"


def with_rooms(machine: Machine, experiments: list[Experiment], held: Mapping[str, HeldIn], system: System) -> Machine:
    """Return the machine with the bytes of each path among the targets; MachineError for one that is absent.

    `held`: what limits each kind of target, as the catalogue states it.
    """
    return with_rooms_of(machine, targets_of(experiments), held, system)


def with_rooms_of(machine: Machine, targets: Iterable[Target], held: Mapping[str, HeldIn], system: System) -> Machine:
    """Return the same for targets that are known before a plan is made of them."""
    each = {one.word: one for one in targets if one.where}.values()
    rooms = {one.word: _room(machine, one, held.get(one.name, "nothing"), system) for one in each}
    return msgspec.structs.replace(machine, rooms={word: size for word, size in rooms.items() if size is not None})


def targets_of(experiments: list[Experiment]) -> Iterator[Target]:
    """Yield every target of a plan."""
    for experiment in experiments:
        for group in experiment.groups:
            yield from group.targets


def _room(machine: Machine, target: Target, held: HeldIn, system: System) -> int | None:
    """Return None where the capacity is unknown, or where the target is not a path."""
    if target.name in PLACES:
        return _storage(machine, target, system)
    if held == "device":
        return _device(machine.persistent or Persistent(), target)
    if held not in ON_FILES:
        return None
    opens = held == "pool" and target.where.endswith(OPEN)
    path = Path(target.where.removesuffix(OPEN) if opens else target.where).absolute()
    _require_folder(target, str(path.parent), system)
    room = _pool(str(path), system) if opens else system.room_bytes(str(path.parent))
    if room is not None and held == "pool":
        room = max(room - POOL_BYTES, 0)
    direct = held == "file system" or (held == "pool" and _on_dax(machine, str(path)))
    return room if direct or room is None else min(room, free_bytes(machine))


def _device(known: Persistent, target: Target) -> int | None:
    """Return its size; MachineError where its content may not be lost. The core handles what is not a device."""
    path = target.where.removesuffix(OVERWRITE)
    name = re.fullmatch(r"/dev/(dax[0-9.]+)", path) or re.fullmatch(r"/dev/(dax[0-9.]+)", str(Path(path).resolve()))
    if name is None:
        return None
    devices = {each.name: each for each in known.dax}
    if name[1] not in devices:
        raise MachineError(
            f"target {target.word}: there is no {name[1]}; devices here: {', '.join(devices) or 'none'}; "
            "`daxctl list` shows them, `ndctl create-namespace -m devdax` makes one"
        )
    size = devices[name[1]].size_bytes
    if size and not target.where.endswith(OVERWRITE) and exists(path):
        refuse_content(path, size, devices[name[1]].align_bytes or ALIGN_BYTES)
    return size


def _storage(machine: Machine, target: Target, system: System) -> int | None:
    """Free bytes of the folder's file system, or the size of the device; memory limits what is kept in memory alone."""
    if target.name == "blockdev":
        return check(target.where, system).size_bytes
    _require_folder(target, target.where, system)
    room = system.room_bytes(target.where)
    in_memory = file_system_of(target.where, system)[0] in IN_MEMORY
    return min(room, free_bytes(machine)) if in_memory and room is not None else room


def _require_folder(target: Target, folder: str, system: System) -> None:
    mounted = [line.split(" ")[1] for line in (system.read(MOUNTS) or "").splitlines() if line.count(" ") > 1]
    if not system.is_folder(folder) and folder not in mounted:
        raise MachineError(f"target {target.word}: there is no folder {folder}; make it, or name another path")


def _pool(path: str, system: System) -> int | None:
    """Return the size of a pool, or of the parts of a pool set without its replicas."""
    text = system.read(path, 4096) or ""
    if not text.startswith("PMEMPOOLSET"):
        return system.file_bytes(path)
    lines = (line.strip() for line in text.partition("REPLICA")[0].splitlines())
    sizes = [system.file_bytes(part[1]) for line in lines if (part := PART.fullmatch(line))]
    known = [size for size in sizes if size is not None]
    return sum(known) if known and len(known) == len(sizes) else None


def _on_dax(machine: Machine, path: str) -> bool:
    mounts = (machine.persistent or Persistent()).mounts
    return any(mount.dax == "always" and path.startswith(mount.path.rstrip("/") + "/") for mount in mounts)
