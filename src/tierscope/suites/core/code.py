"""The loops of much code that show how instructions come to a core, and how their points are combined.

* near: code that the cache of instructions contains: the time of a line that nothing delays.
* levels: code that it does not contain, in each cache behind it, in runs of several lines: few jumps, so that their
  targets are known. Shorter and longer runs take the same time for a line unless jumps limit it. A chain of loads on
  the same bytes shows the latency of that cache.
* jumps: two jumps in each line, and more and more lines, until the core no longer knows their targets. The same bytes
  with one jump in four lines show what else takes time.

A line has 64 bytes here, whatever the caches have.
Source: A. Fog, "The microarchitecture of Intel, AMD and VIA CPUs", 2024, chapter 3.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tierscope.record.machine import Machine
from tierscope.record.work.code import CodeWork
from tierscope.units import KiB, MiB

LINE = 64
PAGE = 4 * KiB
SECOND = 2  # the level behind the cache of instructions
NEAR_BYTES = 16 * KiB  # half of the smallest cache of instructions
SURE_BYTES = 384 * KiB  # twice the largest cache of instructions that we know: a hypervisor may not report it
TIMES_NEARER = 3  # factor on the cache before: all of its lines have left it when they come again
LEAST_TIMES = 2
MOST_BYTES = 16 * MiB
FEW_JUMPS = CodeWork(straight=4)
RUNS = {2: (FEW_JUMPS, CodeWork(straight=16)), 3: (CodeWork(straight=16), CodeWork(straight=64))}
"""Level -> shorter and longer runs; the last ones are those of all levels behind it."""
GRAIN = 64 * KiB  # of bytes: whole groups of runs
DENSE = CodeWork(jumps=2)
FEWEST, MOST = 512, 65536  # jumps
FINE = 1.15  # factor between the jumps that are known and those that are not
LITTLE = 3.0  # cycles: a target in any buffer hardly takes more
REDIRECT = 6.0  # a jump that must be decoded first takes more; between both, some of the jumps are known
Times = Mapping[tuple[CodeWork, int], tuple[float, float]]
"""(work, bytes of code) -> seconds of an iteration, and half of its interval."""


def levels(machine: Machine) -> Iterator[tuple[str, int, tuple[CodeWork, ...]]]:
    """Yield the level, the bytes of code in it, and the works; nothing of a level that is too small to distinguish."""
    caches = machine.identity.caches
    sizes = sorted({cache.size_bytes for cache in caches if cache.kind != "Instruction"})
    first = max((c.size_bytes for c in caches if c.level == 1), default=0)
    for number, (nearer, size) in enumerate(itertools.pairwise(sizes), 2):
        before = max(nearer, first)
        wanted = TIMES_NEARER * before if number > SECOND else max(TIMES_NEARER * before, SURE_BYTES)
        bytes_ = min(wanted, size // 2) // GRAIN * GRAIN
        if LEAST_TIMES * before <= bytes_ <= MOST_BYTES:
            yield f"L{number}", bytes_, RUNS[min(number, max(RUNS))]


def dense_bytes(jumps: int) -> int:
    """Return the bytes of code with this number of jumps, whole pages."""
    return -(-jumps * LINE // DENSE.jumps // PAGE) * PAGE


def most_jumps(machine: Machine) -> int:
    """Return the most jumps to ask for: those that the second cache contains."""
    sizes = sorted({cache.size_bytes for cache in machine.identity.caches if cache.kind != "Instruction"})
    second = sizes[1] if len(sizes) > 1 else 0
    return min(MOST, second // LINE * DENSE.jumps)


@dataclass(frozen=True, slots=True)
class Jump:
    """The time of a jump in cycles, `count` of them, beyond that of the same bytes with few jumps. half: of the 95 %
    interval of `more`.
    """

    count: int
    cycles: float
    more: float
    half: float

    @property
    def bytes(self) -> int:
        """Return the bytes of their code."""
        return self.count // DENSE.jumps * LINE

    @property
    def known(self) -> bool:
        """Return whether all targets are known, for sure."""
        return self.more + self.half <= LITTLE

    @property
    def unknown(self) -> bool:
        """Return whether many targets are not known, for sure."""
        return self.more - self.half >= REDIRECT


def jumps(times: Times, cycle_s: float) -> list[Jump]:
    """Return the points by number of jumps."""
    found = []
    for (work, bytes_), (seconds, half) in times.items():
        control = times.get((FEW_JUMPS, bytes_))
        if work != DENSE or control is None:
            continue
        count = bytes_ // LINE * DENSE.jumps
        each, its = seconds / count / cycle_s, half / count / cycle_s
        other, of_other = (value / count / cycle_s for value in control)
        found.append(Jump(count, each, each - other, its + of_other))
    return sorted(found, key=lambda jump: jump.count)


@dataclass(frozen=True, slots=True)
class Targets:
    """Jumps whose targets are known: at least `low`, and fewer than `high`, None if that was not found."""

    low: int
    high: int | None
    why: str = ""


def targets(points: list[Jump]) -> Targets:
    """Return how many targets a core knows. points: by number of jumps."""
    known = [point.count for point in points if point.known]
    first = next((point.count for point in points if point.unknown), None)
    if not known or (first is not None and first < known[0]):
        why = "no point is sure" if first is None else "the fewest jumps already take longer than their code"
        return Targets(0, None, why)
    if first is None:
        return Targets(known[-1], None, f"the targets of {known[-1]} jumps are known, and those of more may be, too")
    if known[-1] > first:
        return Targets(0, None, f"the targets of {first} jumps are not known, but those of {known[-1]} are")
    return Targets(known[-1], first)


def next_jumps(points: list[Jump]) -> int | None:
    """Return a number of jumps between those that are known and those that are not; None if it is fine enough."""
    found = targets(points)
    if found.high is None or not found.low:
        return None
    inside = sorted({found.low, found.high, *(one.count for one in points if found.low < one.count < found.high)})
    low, high = max(itertools.pairwise(inside), key=lambda ends: ends[1] / ends[0])
    middle = dense_bytes(round((low * high) ** 0.5)) // LINE * DENSE.jumps
    return middle if high > FINE * low and low < middle < high else None
