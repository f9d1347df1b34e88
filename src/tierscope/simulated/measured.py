"""The values of a machine that its runs show: caches, memory, bandwidth and translation, for a simulated one.

    read of memory = plateau of memory - latency of the last cache - translation there     [s]
    loads in flight = bandwidth of one thread * plateau of memory / line                    [1]   (Little's law)

Caches: latencies are the plateaus of `stats.levels`, sizes and policies the fit of `stats.cyclic`; ways are those that
the system reports of the cache at that place. `stats.memory_plateau` shows where memory begins.
Blind to: prefetchers (chases do not meet them; a stream's bandwidth determines `loads`), writes, NUMA.
Source: J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9, 1961.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tierscope.arrays import Floats
from tierscope.errors import UsageError
from tierscope.record.machine import Cache, Machine
from tierscope.record.origin import joined, named, strongest
from tierscope.record.result import Run
from tierscope.simulated import fetch
from tierscope.stats.cyclic import KEPT, Shape, distance, fitted, widened
from tierscope.stats.levels import staircase
from tierscope.stats.memory_plateau import Windows, memory_plateau
from tierscope.suites.latency.findings import fetches_pairs
from tierscope.suites.latency.kept import Kept, kept
from tierscope.suites.latency.levels import latency_levels
from tierscope.suites.latency.row import LatencyRow
from tierscope.suites.latency.table import Latency
from tierscope.suites.stream.table import Stream, StreamRow
from tierscope.suites.tlb.table_levels import TlbLevels, TlbLevelsRow

WAYS = 16  # where the system reports no cache at that place
ALIKE = 1.5  # a cache within this factor of the capacity found is the one reported


@dataclass(frozen=True)
class Measured:
    """The values that the runs show. `tlb`: rows of `tlb_levels` for the staircase's pages.

    memory_share: half of the interval of the latency of memory, over that latency; the middle one of its points. rise:
    of that latency beyond memory_to_bytes, by page walks, over that of the plateau.
    """

    machine: Machine
    name: str
    where: str  # "run runs/x of 2026-11-21 on host"
    page_bytes: int
    shapes: tuple[Shape, ...]
    memory_s: float
    memory_from_bytes: float
    stream: Sequence[StreamRow]
    tlb: Sequence[TlbLevelsRow]
    origin: str = "measured"  # or "simulated by optane100, memory pmem": what its numbers are
    memory_share: float = 0.0
    memory_to_bytes: float = math.inf
    rise: float = 0.0
    kept: Kept | None = None  # where others take lines from the last cache
    pairs: bool = False  # whether a miss brings the other line of its pair, too

    @property
    def word(self) -> str:
        """Return the origin, for the comments: "measured", "simulated"."""
        return self.origin.split()[0]

    @property
    def caches(self) -> tuple[Shape, ...]:
        """Return the shapes, the last one with the size that fast passes find there, if others use it, too."""
        *nearer, last = self.shapes
        if self.kept is None:
            return self.shapes
        row = last.ways * last.line_bytes
        size = max(self.kept.fast_bytes // row * row, last.size_bytes)
        return *nearer, replace(last, size_bytes=size, policy="lru")

    @property
    def bandwidth_bytes_per_s(self) -> float:
        """Return the most that any number of threads read; 0 where that was not measured."""
        return _best([row for row in self.stream if row.kernel == "read"])

    @property
    def in_flight(self) -> float:
        """Return the lines of one thread; 0 where its bandwidth was not measured."""
        one = [row for row in self.stream if row.threads == 1 and row.kernel == "read"]
        return _best(one) * self.memory_s / self.machine.line_bytes()


def measured(runs: Sequence[Run], name: str = "") -> Measured:
    """Return what the runs measured. UsageError if no run has a staircase that reaches memory, or if runs differ in
    machine.
    """
    machines = {run.result.machine.identity.digest(): run.result.machine for run in runs}
    if len(machines) != 1:
        hosts = ", ".join(sorted(machine.hostname for machine in machines.values()))
        raise UsageError(f"the runs are of {len(machines)} machines ({hosts}); take runs of one")
    waits = [row for run in runs for row in Latency().rows(run)]
    found = latency_levels(waits)
    if not found:
        raise UsageError(f"{runs[0].path} has no latency over footprint; make one with `tierscope run latency`")
    target = max(found, key=lambda key: len(found[key].rows))
    machine = next(iter(machines.values()))
    stream = [row for run in runs for row in Stream().rows(run) if row.target == target]
    tlb = [row for run in runs for row in TlbLevels().rows(run) if row.target == target]
    paths = ", ".join(f"{run.path.name} of {run.result.started}" for run in runs)
    of_target = [row for row in waits if row.target == target and row.pages == found[target].pages]
    where = f"{paths} on {machine.hostname}"
    told = from_rows(found[target].rows, machine, name, where, stream, tlb, _windows(of_target))
    return replace(
        told,
        origin=_origin(runs),
        pairs=fetches_pairs([row for row in waits if row.target == target]),
        kept=kept(of_target) if len(told.shapes) > 1 else None,
    )


def _windows(rows: Sequence[LatencyRow]) -> Windows | None:
    """Return the pass by windows with the largest footprint; None where there is none.

    Only of real memory of a node: in front of other memories, buffers of whole pages are usual (`memory_plateau`).
    """
    found = [row for row in rows if row.order == "window" and row.origin == "real" and row.target.startswith("node:")]
    last = max(found, key=lambda row: row.footprint_bytes, default=None)
    return Windows(last.footprint_bytes, last.locality_bytes, last.latency.middle) if last and last.latency else None


def _origin(runs: Sequence[Run]) -> str:
    """Return the origin of the numbers; the strongest one of a mixture."""
    origin = strongest(run.result.origin for run in runs)
    by = joined(run.result.origin_by for run in runs if run.result.origin == origin)
    return "measured" if origin == "real" else named(origin, by)


def from_rows(
    rows: Sequence[LatencyRow],
    machine: Machine,
    name: str,
    where: str,
    stream: Sequence[StreamRow] = (),
    tlb: Sequence[TlbLevelsRow] = (),
    windows: Windows | None = None,
) -> Measured:
    """Return the values from one curve of the table `latency`. UsageError where it does not reach memory.

    windows: its largest footprint, visited window by window; None where that was not measured.
    """
    known = sorted((row.footprint_bytes, row.latency.middle, row.latency.relative) for row in rows if row.latency)
    sizes, times, shares = np.array(known, dtype=np.float64).reshape(-1, 3).T
    plateau = memory_plateau(staircase(sizes, times), sizes, times, machine.last_level_cache_bytes(), windows)
    if plateau is None:
        raise UsageError(
            f"{where}: the staircase does not reach memory behind a cache; measure further, as with to=2GiB"
        )
    inside = (sizes >= plateau.from_bytes) & (sizes <= plateau.to_bytes)
    memory_s = float(np.median(times[inside]))
    caches = data_caches(machine)
    line = machine.line_bytes()
    begin = [_shape(level.latency_s, level.capacity_bytes, caches, line) for level in plateau.levels]
    seen, at = sizes[sizes <= plateau.to_bytes], times[sizes <= plateau.to_bytes]
    shapes = fitted(begin, memory_s, seen, at)
    if len(shapes) < len(caches):
        shapes = _with_one_more(shapes, caches, memory_s, seen, at)
    pages = max(row.page_bytes or 0 for row in rows)
    own = [row for row in tlb if row.page_bytes == pages]
    label = name or machine.hostname
    return Measured(
        machine, label, where, pages, shapes, memory_s, plateau.from_bytes, stream, own,
        memory_share=float(np.median(shares[inside])), memory_to_bytes=plateau.to_bytes, rise=plateau.rise,
    )  # fmt: skip


def _with_one_more(
    shapes: tuple[Shape, ...], caches: Sequence[Cache], memory_s: float, sizes: Floats, times: Floats
) -> tuple[Shape, ...]:
    """Return the shapes with one level more behind them where that explains the points better.

    The last shape may be two levels: a soft knee and a short plateau behind it. So it is also tried with the size of
    the cache that the system reports there.
    """
    ways = min(caches[len(shapes)].ways or WAYS, fetch.MOST_WAYS)
    begins, own = [shapes], caches[len(shapes) - 1]
    if own.size_bytes < shapes[-1].size_bytes:
        begins.append((*shapes[:-1], _shape(shapes[-1].latency_s, own.size_bytes, [own], shapes[-1].line_bytes)))
    first, *others = (fitted(widened(begin, memory_s, sizes, times, ways), memory_s, sizes, times) for begin in begins)

    def misfit(trial: tuple[Shape, ...]) -> float:
        return distance(trial, memory_s, sizes, times)

    return next((other for other in others if misfit(other) < misfit(first) - KEPT), first)


def data_caches(machine: Machine) -> list[Cache]:
    """Return one cache of each level, nearest first."""
    by_level = {cache.level: cache for cache in machine.identity.caches if cache.kind != "Instruction"}
    return [by_level[level] for level in sorted(by_level)]


def _shape(latency_s: float, capacity: float, caches: Sequence[Cache], line_bytes: int) -> Shape:
    cache = min(caches, key=lambda c: abs(math.log(c.size_bytes / capacity)), default=None)
    if cache is None or not 1 / ALIKE < cache.size_bytes / capacity < ALIKE:
        return Shape(latency_s, capacity, WAYS, line_bytes=line_bytes)
    ways = cache.ways if 0 < cache.ways <= fetch.MOST_WAYS else WAYS
    divides = cache.size_bytes % (line_bytes * ways) == 0
    return Shape(latency_s, capacity, ways, reported_bytes=cache.size_bytes if divides else 0, line_bytes=line_bytes)


def _best(rows: Sequence[StreamRow]) -> float:
    return max((row.bandwidth.middle for row in rows if row.bandwidth), default=0.0)


def _translation(found: Measured) -> float:
    """Return the seconds of translation within the plateau of memory, at its near end."""
    extra = 0.0
    for before, row in zip(found.tlb, found.tlb[1:], strict=False):
        if (before.reach_bytes or math.inf) < found.memory_from_bytes:
            extra = max(row.extra.middle, 0)
    return extra


def memory_read_s(found: Measured) -> float:
    """Return the seconds of the memory itself, behind the last cache and translation."""
    return max(found.memory_s - found.shapes[-1].latency_s - _translation(found), 0)
