"""A session with fio: the same steps as one with the core, so that the same loop runs it.

`prepare` opens and fills the place and tries the engine; `measure` is one call of fio, one batch; `told` returns fio's
other output. A block is one run of fio, its clock that of fio: nanoseconds, exact to milliseconds.

    rate = operations of reads and writes / the longer of their times        [operations/s]

Blind to the order of the operations of one run: fio's histogram has no time in it.
"""

import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np

from tierscope.errors import MachineError, UsageError
from tierscope.fio import job
from tierscope.fio import process as fio
from tierscope.fio.answer import Document, Job, Side
from tierscope.fio.engine import Engine, choose
from tierscope.fio.place import Place, in_folder, on_device
from tierscope.fio.program import find
from tierscope.fio.verified import verified_fill
from tierscope.fio.walk import Walk
from tierscope.host.system import System
from tierscope.record.counting import Counting, Counts
from tierscope.record.experiment import Group, Workload
from tierscope.record.program import BIN, MOST_THREADS, SIDES, Bins, Moved, Program, Repeat
from tierscope.record.result import BLOCK, Blocks, Clock, GroupFacts
from tierscope.record.timing import Timing
from tierscope.record.work.job import JobWork

HZ = 1e9
DEVICE = "blockdev"  # the target whose place is a whole device; all others are folders
FILL_BYTES_PER_S = 2e6  # the slowest storage that is waited for


class Session:
    """One place, filled once for all experiments of a run; leaving it frees the bytes."""

    def __init__(self) -> None:
        self.clock = Clock(source="fio", hz=HZ, resolution_s=1e-3, read_cost_s=0.0)
        self._fio, self._version = find()
        self._system = System()
        self._place: Place | None = None
        self._held: tuple[str, int] = ("", 0)
        self._engines: dict[tuple[str, int, bool, bool], Engine] = {}
        self._began = time.monotonic_ns()
        self._documents: list[Document] = []
        self._walk = Walk()
        self._verified = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the bytes; more than once does no harm."""
        if self._place is not None:
            self._place.close()
        self._place, self._held = None, ("", 0)

    def prepare(self, groups: Sequence[Group]) -> tuple[GroupFacts, ...]:
        """Open and fill the place; raise MachineError where the place, direct I/O, or the engine is refused."""
        (self._group,) = groups
        work = self._group.workload.of(JobWork)
        self._words = {**job.words_of(work), "bs": str(work.block_bytes)}
        self._direct = self._words.pop("direct", "1") == "1"
        asked = self._words.pop("ioengine")
        self._verify = self._words.pop("verify", "0") == "1"
        place = self._opened(self._group.workload, self._direct)
        if self._direct and (why := place.refuses_direct(work.block_bytes)):
            raise MachineError(
                f"{self._group.target.where} refuses direct I/O ({why}); name another place with path=, "
                "or measure the page cache with it: direct=no"
            )
        self._engine = self._chosen(asked, place, work.block_bytes)
        if job.is_sequential(self._words):
            job.slice_bytes(place, self._words, self._engine.name)
        self._fill(place)
        self._walk.begin()
        self._documents = []
        return (self._facts(place),)

    def set(self, number: int, group: Group) -> GroupFacts:
        """Raise UsageError: a job of fio has no loop variants."""
        raise UsageError(f"group {number}: {group.workload.kernel} has only one variant; leave calibration out")

    def measure(self, seconds: float, block_s: float, groups: Sequence[int] = ()) -> Blocks:
        """Return one repeat of `seconds` after its ramp, shape (1,), dtype BLOCK; raise MachineError like `fio.run`."""
        del block_s, groups
        assert self._place is not None
        options = self._options(seconds, len(self._documents), self._walk.start())
        begin = time.monotonic_ns() - self._began
        document = fio.run(self._fio, options, (self._place.handle,), seconds + 60)
        done = _only_job(document)
        block = np.zeros(1, dtype=BLOCK)
        block["batch"], block["switches"] = len(self._documents), min(done.switches, (1 << 32) - 1)
        block["start_ticks"] = begin
        block["stop_ticks"] = begin + round(max(side.seconds for side in done.sides.values()) * HZ)
        block["operations"] = sum(side.operations for side in done.sides.values())
        self._documents.append(document)
        self._walk.moved(self._share(done))
        return block

    def count(self, events: str) -> Counting:
        """Raise UsageError: fio works in processes of its own."""
        raise UsageError(f"counters={events}: fio works in processes of its own, which counters of a thread leave out")

    def counts(self) -> tuple[Counts, ...]:
        return ()

    def machine_counts(self) -> Counts:
        return Counts(blocks=0, operations=0, ticks=0, events=())

    def check(self) -> tuple[float, tuple[str, ...], dict[str, int]]:
        """Return what was verified: fio's bytes are its own, and nothing is compared with scalar code."""
        read_back = f"; {self._verified} numbered blocks read back before the jobs" if self._verified else ""
        return 0.0, (f"fio {self._version}, {self._engine.name}{read_back}",), {}

    def timings(self) -> tuple[tuple[Timing, ...], ...]:
        """Return no timings: fio does not run a structure."""
        return ()

    def drop(self) -> None:
        """Do nothing: another experiment may use the file again, and `close` frees it."""

    def told(self) -> tuple[Program, Bins]:
        """Return what fio reported since `prepare`."""
        assert self._place is not None
        jobs = [_only_job(document) for document in self._documents]
        program = Program(
            name="fio",
            version=self._version,
            engine=self._engine.name,
            refused=self._engine.refused,
            threads=job.threads_of(self._words, self._engine.name),
            direct=self._direct,
            file_system=self._place.file_system,
            source=self._place.source,
            command=self._typed(),
            repeats=tuple(_repeat(one) for one in jobs),
            said=tuple(dict.fromkeys(document.said for document in self._documents if document.said)),
        )
        return program, np.concatenate([np.empty(0, dtype=BIN), *(_bins(n, one) for n, one in enumerate(jobs))])

    def _opened(self, work: Workload, direct: bool) -> Place:
        """Return the previous place if it is the same; else a new one, not yet filled."""
        wanted = (self._group.target.word, work.footprint_bytes)
        if self._place is None or self._held[:2] != wanted:
            self.close()
            open_it = on_device if self._group.target.name == DEVICE else in_folder
            self._place = open_it(self._group.target.where, work.footprint_bytes, self._system)
            self._held, self._filled = wanted, False
        return self._place

    def _chosen(self, asked: str, place: Place, block_bytes: int) -> Engine:
        depth = int(self._words.get("iodepth", "1"))
        key = (asked, block_bytes, depth > MOST_THREADS, self._direct)
        if key not in self._engines:
            self._engines[key] = choose(self._fio, asked, place, block_bytes, depth, direct=self._direct)
        return self._engines[key]

    def _fill(self, place: Place) -> None:
        if self._verify and not self._filled:
            self._verified = verified_fill(place, direct=self._direct)
        elif not self._filled:
            options = job.fill(place, self._engine.name, direct=self._direct)
            fio.run(self._fio, options, (place.handle,), place.size_bytes / FILL_BYTES_PER_S)
        self._filled = True

    def _options(self, seconds: float, repeat: int, start: float) -> dict[str, str]:
        assert self._place is not None
        words = self._words
        return job.measured(self._place, self._engine.name, words, seconds, repeat, start, direct=self._direct)

    def _share(self, done: Job) -> float:
        """Return the share of the place that one repeat walked, ramp included: reads and writes walk separately."""
        assert self._place is not None
        ramp_s = float(self._words.get("ramp_time", "0ms").removesuffix("ms")) / 1e3
        most = max(side.bytes * (1 + ramp_s / side.seconds) for side in done.sides.values())
        return most / self._place.size_bytes

    def _typed(self) -> str:
        """Return the call for a person: the file has a name there, and the seconds are those of the schedule."""
        options = self._options(1.0, 0, 0.0)
        where = self._group.target.where
        named = where if self._group.target.name == DEVICE else str(Path(where, "FILE"))
        options |= {"filename": named, "runtime": "SECONDS", "output-format": "json+"}
        options.pop("allow_file_create")
        return shlex.join(fio.command("fio", options))

    def _facts(self, place: Place) -> GroupFacts:
        group, asked = self._group, self._group.workload
        block_bytes = asked.of(JobWork).block_bytes
        below = f"{place.file_system} on {place.source}" if place.file_system else place.source
        return GroupFacts(
            kernel=asked.kernel, isa="", store="direct" if self._direct else "plain", streams=1, unroll=1,
            prefetch_bytes=0, prefetchw_bytes=0, interleave_bytes=0, target=group.target.word, origin="real",
            cpus=group.team.cpus, footprint_bytes=asked.footprint_bytes, pages={}, nodes={},
            placement=below, program_bytes_per_operation=float(block_bytes), bus_bytes_per_operation=None,
            operation="call", element_bytes=block_bytes,
        )  # fmt: skip


def _only_job(document: Document) -> Job:
    """Return the job; raise MachineError if a side has no time or latency: its repeat is too short for the storage."""
    (done,) = document.jobs
    if not done.sides or not all(side.seconds > 0 and "total" in side.latency for side in done.sides.values()):
        raise MachineError("fio finished too few operations in the time of a repeat; give a longer repeat=")
    return done


def _repeat(done: Job) -> Repeat:
    sides = [side for side in done.sides.values() if side.name in SIDES]
    return Repeat(cpu_user=done.cpu_user, cpu_system=done.cpu_system, moved=tuple(_moved(side) for side in sides))


def _moved(side: Side) -> Moved:
    total = side.latency["total"]
    return Moved(
        side=side.name,
        operations=side.operations,
        bytes=side.bytes,
        seconds=side.seconds,
        latency_least_s=total.least_s,
        latency_mean_s=total.mean_s,
        latency_most_s=total.most_s,
    )


def _bins(batch: int, done: Job) -> Bins:
    rows = [
        (batch, number, ns, count)
        for number, name in enumerate(SIDES)
        if name in done.sides
        for ns, count in done.sides[name].latency["total"].bins.items()
    ]
    return np.array(rows, dtype=BIN)
