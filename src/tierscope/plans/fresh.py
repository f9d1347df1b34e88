"""Experiments on fresh regions: each line of a region once, in a random order, then the next region.

No line is visited again before the whole footprint was visited, so the processor's caches hide nothing below them. Only
neighbours in a unit of the memory's own buffers are found there. A timed block contains whole regions, or a part of a
large one. The experiment then lasts for whole regions, and `stats.fresh` computes their mean.
Source: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020 (LENS).
"""

from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np

from tierscope.errors import UsageError
from tierscope.plans.kinds import Names, several
from tierscope.plans.simulation import NAME as SIMULATED
from tierscope.plans.simulation import SHORTER
from tierscope.plans.sizes import LARGEST, MEMORY_SHARE, TIMES_CACHE, free_bytes, half_of_what
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.block import BlockWork
from tierscope.record.work.hop import HopWork
from tierscope.tables.regions import FreshLabels
from tierscope.units import LINE_BYTES, GiB, KiB, MiB, show_bytes, word_bytes

TABLE = "regions"
OPERATIONS = ("read", "write")
Operations = Annotated[Names, several("operation", OPERATIONS, whole="both")]
LEAST = GiB  # of a footprint: a unit that a 64 MiB buffer contains is seldom met again
BLOCK_BYTES = 64 * KiB  # of one timed block, at least: some 0.2 ms
WHOLE_BYTES = 128 * KiB  # of one timed block, at most: a busy machine leaves no thread alone for long
TWICE = 2  # factor over the needed parts: where a part is not a whole share, its place in the region is not known
PAIR = 2  # lines
ENOUGH = 192  # blocks of a small region: with under 10x the usual noise their median is known to 1 %
BLOCKS = 128  # of a large region, or of several
LINE_S = 300e-9  # where nothing is known yet
MORE = 2.0  # time than the last latency asks for: neighbours take some; twice as much costs less than once more
ALONE = 1.2  # the same where there are none
WRITTEN_BYTES = 16 * MiB  # stores pass the caches by, so that less is enough


@dataclass(frozen=True)
class Field:
    """The values that all points of one run share. of: "latency" or "buffers", the suite that asked."""

    cpu: int
    target: Target
    footprint_bytes: int
    schedule: Schedule
    of: str
    note: str = ""
    line_s: float = LINE_S  # of a read, near enough
    ways: int = 1  # number of interleaved memories, if known
    grain_bytes: int = 4 * KiB  # bytes of each memory before the next one follows
    line_bytes: int = LINE_BYTES  # of the caches

    def read(self, region: int, block: int = 64, *, scattered: bool = False) -> Experiment:
        """Return dependent reads of blocks. If a block is more than a line, all its lines are in flight at the same
        time.

        scattered: regions follow one another at random, not by address.
        """
        kernel = "chase" if block == self.line_bytes else "chase_blocks"
        return self._experiment("read", kernel, region, block, "random" if scattered else "sequential")

    def read_pairs(self, stride: int) -> Experiment:
        """Return dependent reads of two lines that are `stride` bytes apart, then of two others at a random place."""
        return self._experiment("read", "chase", PAIR * self.line_bytes, self.line_bytes, "random", stride)

    def read_passes(self, region: int, stride: int) -> Experiment:
        """Return dependent reads of one line of each stride of a region, in a random order, then of the next line of
        each in the same order; after all lines the next region follows by address.
        """
        return self._experiment("read", "chase", region, self.line_bytes, "sequential", stride)

    def write(self, region: int, block: int = 64) -> Experiment:
        """Return stores past the caches, with a fence behind each region."""
        return self._experiment("write", "flush_nt", region, block, "once")

    def _experiment(
        self, operation: str, kernel: str, region: int, block: int, order: str, stride: int = 0
    ) -> Experiment:
        most = self.footprint_bytes if operation == "read" else min(self.footprint_bytes, WRITTEN_BYTES)
        whole, walked = region, region
        if stride and order == "random":
            whole = region // block * stride
        elif stride:
            walked = region // stride * block
        work = Workload(
            kernel=kernel,
            footprint_bytes=max(most // whole, 2) * whole,
            work=HopWork(element_bytes=block, locality_bytes=walked, order=order, spacing_bytes=stride)
            if operation == "read"
            else BlockWork(element_bytes=block, locality_bytes=region, order=order, fence="region"),
            per_block=max(_block_bytes(region) // block, 1),
        )
        labels = FreshLabels(operation=operation, region_bytes=region, scattered=order == "random", of=self.of)
        if self.ways > 1:
            labels = msgspec.structs.replace(labels, ways=self.ways, grain_bytes=self.grain_bytes)
        if stride:
            labels = msgspec.structs.replace(labels, stride_bytes=stride)
        group = Group(workload=work, target=self.target, team=Team(cpus=(self.cpu,)), role=f"{operation}r")
        return Experiment(
            table=TABLE, groups=(group,), schedule=self._lasting(region), labels=labels.stored(), note=self.note
        )

    def _lasting(self, region: int) -> Schedule:
        """Return a schedule for whole regions, or for as many blocks of small ones as a verdict needs."""
        small = region <= WHOLE_BYTES
        walked = ENOUGH * _block_bytes(region) if small else -(-BLOCKS * WHOLE_BYTES // region) * region + WHOLE_BYTES
        own = SHORTER if self.target.name == SIMULATED else 1.0  # its seconds are virtual, and no program takes any
        more = MORE if own == 1 else ALONE
        least = max(more * self.line_s * walked / self.line_bytes * own, self.schedule.minimum_s)
        most = max(least, self.schedule.budget_s * own)
        return msgspec.structs.replace(self.schedule, minimum_s=least, budget_s=most, piece_s=least)


def _block_bytes(region: int) -> int:
    """Return the bytes of one timed block: whole regions, or a part of a large one; equal parts up to TWICE as many."""
    if region <= WHOLE_BYTES:
        return -(-BLOCK_BYTES // region) * region
    lines, fewest = region // LINE_BYTES, -(-region // WHOLE_BYTES)
    parts = next((count for count in range(fewest, TWICE * fewest + 1) if lines % count == 0), None)
    return region // parts if parts else WHOLE_BYTES


def sizes(block: int, largest: int, per_octave: int) -> list[int]:
    """Return regions of whole blocks from one block to the largest, `per_octave` to a doubling."""
    steps = int(np.log2(largest / block) * per_octave + 1e-9)  # rounding loses no step
    found = {round(2 ** (step / per_octave)) * block for step in range(steps + 1)}
    return sorted(found | {largest // block * block})


def footprint(machine: Machine, target: Target, asked: int | None, largest: int) -> tuple[int, str]:
    """Return the bytes, and why they are fewer than 1 GiB, 4x the last-level cache and four regions.

    UsageError if they do not contain two of the largest region.
    """
    wanted = max(LEAST, TIMES_CACHE * machine.last_level_cache_bytes(), 4 * largest)
    limit = max(min(LARGEST, int(free_bytes(machine, target) * MEMORY_SHARE)) // MiB, 1) * MiB
    size = min(wanted, limit) if asked is None else asked
    if size < 2 * largest:
        raise UsageError(
            f"footprint={word_bytes(size)} has no space for two regions of {show_bytes(largest)}; "
            f"try to={word_bytes(max(size // 4 // MiB, 1) * MiB)} or a larger footprint"
        )
    if asked is not None or size >= wanted:
        return size, ""
    why = half_of_what(machine, target) if limit < LARGEST else "the time that filling takes"
    return size, f"fresh regions in {show_bytes(size)} instead of {show_bytes(wanted)}: limited by {why}"
