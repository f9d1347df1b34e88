"""Storage: operations per second, bandwidth, latency and CPU time of blocks read and written past the page cache.

fio runs the jobs on one file without a name. The file is written once before, and is gone when the run ends in any way.
Each job is repeated, since shared storage differs from run to run by a fifth and more: one point is one repeat.
Presets: `paper`, the nine jobs of document 003 with both orders, since it does not state its order; `depths`, small
blocks over the depth of the queue; `latency`, one operation at a time.
Blind to what the storage itself caches: a file that fits into its cache measures that; to wear and garbage collection
that take longer than a run.
Source: document 003 (fio: queue depth 16; 4, 32, 128 KiB; writes, 70 % reads, reads).
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from tierscope.errors import MachineError, UsageError
from tierscope.fio.device import SECTOR_BYTES
from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.kinds import (
    NUMBERS,
    SECONDS,
    SHARE,
    Help,
    Kind,
    Names,
    Numbers,
    Seconds,
    Share,
    Size,
    listed,
    one_of,
    several,
    several_sizes,
)
from tierscope.plans.usual import Precision
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.program import MOST_THREADS
from tierscope.record.work.job import JobWork
from tierscope.suites.storage.labels import StorageLabels
from tierscope.units import GiB, KiB, MiB, show_bytes

ENGINES = ("auto", "io_uring", "libaio", "psync")
MIXES = ("write", "mix", "read")
ORDERS = ("random", "sequential")
LARGEST = 4 * GiB  # of a file chosen by itself: more takes longer to fill than to measure
SMALLEST = 16 * MiB
ROOM_SHARE = 0.25  # of the free bytes that may be taken without being asked
DEEPEST = 4096


@dataclass(frozen=True)
class Preset:
    """Words for the options that were left to it."""

    blocks: tuple[int, ...]
    mixes: Names
    orders: Names
    depths: Numbers


PRESETS = {
    "paper": Preset((4 * KiB, 32 * KiB, 128 * KiB), ("write", "mix", "read"), ("random", "sequential"), (16,)),
    "depths": Preset((4 * KiB,), ("write", "read"), ("random",), (1, 2, 4, 8, 16, 32, 64, 128)),
    "latency": Preset((4 * KiB,), ("write", "read"), ("random", "sequential"), (1,)),
}


def _absolute(word: str) -> str:
    """Return the absolute path, as kept in the manifest: a run may continue from another folder."""
    return str(Path(word).absolute())


def _per_cent(share: float) -> None:
    """Raise unless the share is a whole percent: fio takes no other, and rounding would name another job."""
    if not 1 <= round(100 * share) <= 99 or abs(100 * share - round(100 * share)) > 1e-6:
        raise UsageError("fio mixes by whole per cent, from 0.01 to 0.99; "
                         "for reads or writes alone give mixes=read or mixes=write")  # fmt: skip


Folder = Annotated[str, Kind(_absolute)]
Blocks = Annotated[
    tuple[Annotated[int, Meta(ge=SECTOR_BYTES, multiple_of=SECTOR_BYTES)], ...],
    Meta(min_length=1),
    several_sizes("block size", f"whole sectors of {SECTOR_BYTES} bytes are needed, such as 4KiB"),
]
Depths = Annotated[
    tuple[Annotated[int, Meta(ge=1, le=DEEPEST)], ...],
    Meta(min_length=1),
    replace(NUMBERS, needed=f"depths from 1 to {DEEPEST} are needed"),
]
Repeat = Annotated[
    float, Meta(ge=0.1), replace(SECONDS, needed="fio counts milliseconds; a repeat of 100ms or more is needed")
]


class StorageOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run storage`."""

    preset: Annotated[
        str,
        one_of("preset", PRESETS),
        Help(f"{listed(PRESETS)}: what blocks, mixes, orders and depths are where they are not named"),
    ] = "paper"
    path: Annotated[Folder, Help("folder of the file, which does not have a name")] = "/var/tmp"  # noqa: S108 (on a disk)
    device: Annotated[
        Folder | None,
        Help(
            "a whole block device instead, **whose content is lost**; refused when it is mounted, "
            "partitioned, in use or marked; auto: none"
        ),
    ] = None
    size: Annotated[
        Size | None,
        Help("bytes of the file, or of the device from its start; auto: 4 GiB, or a quarter of the free space"),
    ] = None
    blocks: Annotated[Blocks | None, Help("bytes of one operation, whole sectors of 512 bytes; auto: by preset")] = None
    mixes: Annotated[Annotated[Names, several("mix", MIXES)] | None, Help(f"{listed(MIXES)}; auto: by preset")] = None
    read_share: Annotated[Share, replace(SHARE, check=_per_cent), Help("reads among the operations of a mix")] = 0.7
    orders: Annotated[Annotated[Names, several("order", ORDERS)] | None, Help(f"{listed(ORDERS)}; auto: by preset")] = (
        None
    )
    depths: Annotated[Depths | None, Help("operations in flight, such as `1,2,8-16`, up to 4096; auto: by preset")] = (
        None
    )
    engine: Annotated[str, one_of("engine", ENGINES), Help(f"{listed(ENGINES[1:])}; auto: the first that works")] = (
        "auto"
    )
    direct: Annotated[
        str,
        one_of("direct", ("yes", "no")),
        Help("past the page cache: `yes`; `no` measures the page cache, and every row shows this"),
    ] = "yes"
    verify: Annotated[
        str,
        one_of("verify", ("yes", "no")),
        Help("`yes`: before the jobs each block gets a number and a checksum, and all are read back and checked"),
    ] = "no"
    repeat: Annotated[Repeat, Help("seconds of one repeat, 0.1 or more")] = 1.0
    ramp: Annotated[Seconds, Help("seconds before each repeat that do not count")] = 0.5
    precision: Precision = 0.05
    budget: Annotated[Seconds, Help("most seconds of repeats for one job")] = 20.0
    limit: Annotated[Seconds, Help("seconds after which jobs get six repeats only, precise or not")] = 600.0

    def target(self) -> Target:
        """Return the folder, or the whole device where one is named."""
        if self.device is None:
            return Target(name="storage", where=self.path, pages="4k")
        return Target(name="blockdev", where=self.device, pages="4k")

    def named_targets(self) -> tuple[Target, ...]:
        return (self.target(),)


@dataclass(frozen=True)
class Job:
    """One row of a table like that of document 003."""

    block_bytes: int
    mix: str
    order: str
    depth: int

    def words(self, chosen: StorageOptions) -> str:
        """Return fio's own options."""
        name = {"read": "read", "write": "write", "mix": "rw"}[self.mix]
        words = [f"rw={'rand' if self.order == 'random' else ''}{name}", f"iodepth={self.depth}"]
        if self.mix == "mix":
            words.append(f"rwmixread={round(100 * chosen.read_share)}")
        words += [f"ramp_time={round(chosen.ramp * 1e3)}ms", f"ioengine={chosen.engine}"]
        words += ["verify=1"] if chosen.verify == "yes" else []
        return " ".join([*words, f"direct={int(chosen.direct == 'yes')}"])

    def share(self, chosen: StorageOptions) -> float:
        return {"read": 1.0, "write": 0.0}.get(self.mix, chosen.read_share)


def jobs(chosen: StorageOptions) -> list[Job]:
    """Return the jobs as in document 003: writes, mixes, reads, small blocks first; UsageError for a wrong value."""
    preset = PRESETS[chosen.preset]
    mixes, orders = chosen.mixes or preset.mixes, chosen.orders or preset.orders
    sizes, depths = chosen.blocks or preset.blocks, chosen.depths or preset.depths
    if chosen.engine == "psync" and max(depths) > MOST_THREADS:
        raise UsageError(f"depths={max(depths)}: depths from 1 to {DEEPEST}, of psync to {MOST_THREADS}, are needed")
    return [Job(size, mix, order, n) for order in orders for mix in mixes for size in sizes for n in depths]


def size_of(machine: Machine, chosen: StorageOptions, target: Target, largest_block: int) -> tuple[int, str]:
    """Return the bytes, whole multiples of the largest block, and why they are fewer than usual.

    A file system that does not count its blocks limits nothing here: its blocks are reserved before they are written.
    """
    least = max(SMALLEST, largest_block) if chosen.size is None else largest_block
    usual = LARGEST if chosen.size is None else chosen.size
    if target.word not in machine.rooms:
        return usual // largest_block * largest_block, ""
    room = machine.rooms[target.word]
    may = int(room * ROOM_SHARE) if chosen.size is None and target.name == "storage" else room
    size = min(usual, may) // largest_block * largest_block
    if chosen.size is not None and usual > room:
        raise MachineError(f"{target.where} has {show_bytes(room)}, fewer than size={show_bytes(usual)}; "
                           "name a smaller size= or another path=")  # fmt: skip
    if size < least:
        raise MachineError(f"{target.where} has space for {show_bytes(size)} only, and {show_bytes(least)} are needed; "
                           "free some space, or name another path=")  # fmt: skip
    short = chosen.size is None and size < usual // 2
    note = f"a file of {show_bytes(size)} instead of {show_bytes(usual)}: limited by the free space there"
    return size, f"{note}; name another place with path=" if short else ""


def plan(machine: Machine, chosen: StorageOptions) -> Plan:
    """Yield one experiment for each job, all on one file."""
    asked, target = jobs(chosen), chosen.target()
    size, note = size_of(machine, chosen, target, max(128 * KiB, *(job.block_bytes for job in asked)))
    schedule = Schedule(
        precision=chosen.precision,
        minimum_s=chosen.repeat,
        budget_s=max(chosen.budget, chosen.repeat),
        repeats=True,
    )
    for number, job in enumerate(asked):
        work = Workload(
            kernel="fio",
            footprint_bytes=size,
            work=JobWork(block_bytes=job.block_bytes, order=job.order, arguments=job.words(chosen)),
        )
        yield Experiment(
            table="storage",
            groups=(Group(workload=work, target=target, team=Team(cpus=machine.cpus()), role="job"),),
            schedule=schedule,
            labels=StorageLabels(mix=job.mix, read_share=job.share(chosen), depth=job.depth).stored(),
            note="" if number else note,
        )


suites.add(
    Suite(
        "storage",
        "operations, bandwidth and latency of storage by fio, past the page cache",
        StorageOptions,
        plan,
        program="fio",
        details="**It writes.** See [how to measure storage](../how-to/storage.md).",
    )
)
