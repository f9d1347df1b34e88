"""Storage: operations per second, bandwidth, latency and CPU time of blocks read and written past the page cache.

Jobs are run by fio on one file without a name, which is written once before and is gone when the run ends, however it
ends. Each job is repeated, since shared storage differs from run to run by a fifth and more: one point is one repeat.
Presets: `paper`, the nine jobs of document 003 with both orders, since it does not say which it had; `depths`, small
blocks over the depth of the queue; `latency`, one operation at a time.
Blind to what the storage itself caches: a file that fits into its cache measures that; to wear and garbage collection
that take longer than a run.
Source: document 003 (fio: queue depth 16; 4, 32, 128 KiB; writes, 70 % reads, reads).
"""

from dataclasses import dataclass
from pathlib import Path

from tierscope.errors import MachineError, UsageError
from tierscope.plans import Option, Options, Plan, Suite, options, suites
from tierscope.record.experiment import Experiment, Group, Label, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.program import MOST_THREADS
from tierscope.units import GiB, KiB, MiB, parse_bytes, show_bytes

ENGINES = ("auto", "io_uring", "libaio", "psync")
MIXES = ("write", "mix", "read")
ORDERS = ("random", "sequential")
LARGEST = 4 * GiB  # of a file chosen by itself: more takes longer to fill than to measure
SMALLEST = 16 * MiB
ROOM_SHARE = 0.25  # of the free bytes that may be taken without being asked
SECTOR_BYTES = 512
DEEPEST = 4096


@dataclass(frozen=True)
class Preset:
    """Words for the options that were left to it."""

    blocks: str
    mixes: str
    orders: str
    depths: str


PRESETS = {
    "paper": Preset("4KiB,32KiB,128KiB", "write,mix,read", "random,sequential", "16"),
    "depths": Preset("4KiB", "write,read", "random", "1,2,4,8,16,32,64,128"),
    "latency": Preset("4KiB", "write,read", "random,sequential", "1"),
}


def _absolute(word: str) -> Label:
    """As kept in the manifest: a run goes on from another folder."""
    return str(Path(word).absolute())


OPTIONS: tuple[Option, ...] = (
    options.text(
        "preset",
        "paper",
        f"{options.listed(PRESETS)}: what blocks, mixes, orders and depths are where they are not named",
    ),
    Option("path", "/var/tmp", "folder of the file, which does not have a name", _absolute),  # noqa: S108 (on a disk)
    Option(
        "device",
        None,
        "a whole block device instead, **whose content is lost**; refused when it is mounted, "
        "partitioned, in use or marked; auto: none",
        _absolute,
    ),
    options.size(
        "size", None, "bytes of the file, or of the device from its start; auto: 4 GiB, or a quarter of the free space"
    ),
    options.text("blocks", None, "bytes of one operation, whole sectors of 512 bytes; auto: by preset"),
    options.text("mixes", None, f"{options.listed(MIXES)}; auto: by preset"),
    options.share("read_share", 0.7, "reads among the operations of a mix"),
    options.text("orders", None, f"{options.listed(ORDERS)}; auto: by preset"),
    options.text("depths", None, "operations in flight, as `1,2,8-16`, up to 4096; auto: by preset"),
    options.text("engine", "auto", f"{options.listed(ENGINES[1:])}; auto: the first that works"),
    options.text("direct", "yes", "past the page cache: `yes`; `no` measures the page cache, and every row shows this"),
    options.seconds("repeat", 1.0, "seconds of one repeat, 0.1 or more"),
    options.seconds("ramp", 0.5, "seconds before each repeat that do not count"),
    options.share("precision", 0.05, "half of the 95 % interval over the median"),
    options.seconds("budget", 20.0, "most seconds of repeats for one job"),
    options.seconds("limit", 600.0, "seconds after which jobs get six repeats only, precise or not"),
)


@dataclass(frozen=True)
class Job:
    """One row of a table like that of document 003."""

    block_bytes: int
    mix: str
    order: str
    depth: int

    def words(self, chosen: Options) -> str:
        """fio's own."""
        name = {"read": "read", "write": "write", "mix": "rw"}[self.mix]
        words = [f"rw={'rand' if self.order == 'random' else ''}{name}", f"iodepth={self.depth}"]
        if self.mix == "mix":
            words.append(f"rwmixread={round(100 * float(chosen['read_share'] or 0))}")
        words += [f"ramp_time={round(float(chosen['ramp'] or 0) * 1e3)}ms", f"ioengine={chosen['engine']}"]
        return " ".join([*words, f"direct={int(chosen['direct'] == 'yes')}"])

    def share(self, chosen: Options) -> float:
        return {"read": 1.0, "write": 0.0}.get(self.mix, float(chosen["read_share"] or 0))


def jobs(chosen: Options) -> list[Job]:
    """In the order of document 003: writes, mixes, reads, each from small to large; UsageError for a wrong word."""
    preset = PRESETS[_one("preset", chosen, tuple(PRESETS))]
    _one("engine", chosen, ENGINES)
    _one("direct", chosen, ("yes", "no"))
    mixes = options.names_of("mix", chosen["mixes"] or preset.mixes, MIXES)
    orders = options.names_of("order", chosen["orders"] or preset.orders, ORDERS)
    sizes = [_block(word) for word in options.words_of(chosen["blocks"] or preset.blocks)]
    _per_cent(float(chosen["read_share"] or 0))
    depths = options.numbers_of(chosen["depths"] or preset.depths, "depths")
    if not sizes or not 1 <= min(depths) <= max(depths) <= (MOST_THREADS if chosen["engine"] == "psync" else DEEPEST):
        raise UsageError(f"blocks={chosen['blocks']} depths={chosen['depths']}: one block size or more, and depths "
                         f"from 1 to {DEEPEST}, of psync to {MOST_THREADS}, are needed")  # fmt: skip
    return [Job(size, mix, order, n) for order in orders for mix in mixes for size in sizes for n in depths]


def _one(key: str, chosen: Options, known: tuple[str, ...]) -> str:
    (name, *others) = options.names_of(key, chosen[key], known)
    if others:
        raise UsageError(f"{key}={chosen[key]}: one {key} at a time")
    return name


def _per_cent(share: float) -> None:
    """fio takes whole per cent; rounding would name another job than the one that ran."""
    if not 1 <= round(100 * share) <= 99 or abs(100 * share - round(100 * share)) > 1e-6:
        raise UsageError(f"read_share={share:g}: fio mixes by whole per cent, from 0.01 to 0.99; "
                         "for reads or writes alone say mixes=read or mixes=write")  # fmt: skip


def _block(word: str) -> int:
    size = parse_bytes(word)
    if size < SECTOR_BYTES or size % SECTOR_BYTES:
        raise UsageError(f"blocks={word}: whole sectors of {SECTOR_BYTES} bytes are needed, such as 4KiB")
    return size


def target_of(chosen: Options) -> Target:
    """A folder, or a whole device where one is named."""
    if chosen["device"] is None:
        return Target(name="storage", where=str(chosen["path"]), pages="4k")
    return Target(name="blockdev", where=str(chosen["device"]), pages="4k")


def size_of(machine: Machine, chosen: Options, target: Target, largest_block: int) -> tuple[int, str]:
    """Bytes, whole multiples of the largest block, and why they are fewer than usual.

    A file system that does not count its blocks limits nothing here: its blocks are reserved before they are written.
    """
    least = max(SMALLEST, largest_block) if chosen["size"] is None else largest_block
    usual = int(LARGEST if chosen["size"] is None else chosen["size"])
    if target.word not in machine.rooms:
        return usual // largest_block * largest_block, ""
    room = machine.rooms[target.word]
    may = int(room * ROOM_SHARE) if chosen["size"] is None and target.name == "storage" else room
    size = min(usual, may) // largest_block * largest_block
    if chosen["size"] is not None and usual > room:
        raise MachineError(f"{target.where} has {show_bytes(room)}, fewer than size={show_bytes(usual)}; "
                           "name a smaller size= or another path=")  # fmt: skip
    if size < least:
        raise MachineError(f"{target.where} has room for {show_bytes(size)} only, and {show_bytes(least)} are needed; "
                           "make room, or name another path=")  # fmt: skip
    short = chosen["size"] is None and size < usual // 2
    note = f"a file of {show_bytes(size)} instead of {show_bytes(usual)}: limited by the room there"
    return size, f"{note}; name another place with path=" if short else ""


def plan(machine: Machine, chosen: Options) -> Plan:
    """One experiment for each job, all on one file."""
    asked, target = jobs(chosen), target_of(chosen)
    size, note = size_of(machine, chosen, target, max(128 * KiB, *(job.block_bytes for job in asked)))
    repeat_s = float(chosen["repeat"] or 0)
    if repeat_s < 0.1:
        raise UsageError(f"repeat={repeat_s:g}s: fio counts milliseconds; a repeat of 100ms or more is needed")
    schedule = Schedule(
        precision=float(chosen["precision"] or 0),
        minimum_s=repeat_s,
        budget_s=max(float(chosen["budget"] or 0), repeat_s),
        repeats=True,
    )
    for number, job in enumerate(asked):
        work = Workload(
            kernel="fio",
            footprint_bytes=size,
            element_bytes=job.block_bytes,
            order=job.order,
            command=job.words(chosen),
        )
        yield Experiment(
            table="storage",
            groups=(Group(workload=work, target=target, team=Team(cpus=machine.cpus()), role="job"),),
            schedule=schedule,
            labels={"mix": job.mix, "read_share": job.share(chosen), "depth": job.depth},
            note="" if number else note,
        )


suites.add(
    Suite(
        "storage",
        "operations, bandwidth and latency of storage by fio, past the page cache",
        OPTIONS,
        plan,
        program="fio",
        paths=lambda chosen: (target_of(chosen),),
        details="**It writes.** See [how to measure storage](../how-to/storage.md).",
    )
)
