"""The rows that show how fast one memory is: reads, copies, idle latency, with small pages, under load.

All are conclusive rows of one target, that of the fastest read, so that they may be compared. A number that the run
does not have, or not conclusively, is None.
"""

from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace

from tierscope.record.experiment import Label, real
from tierscope.report.content import Content
from tierscope.report.picks import Load, Speed, Wait, best, most_loaded
from tierscope.suites.latency.row import LatencyRow
from tierscope.suites.loaded_latency.row import LoadedLatencyRow
from tierscope.suites.sharing.held import held, known, pairs_of
from tierscope.suites.sharing.row import SharingRow
from tierscope.suites.sharing.said import core_of, core_words, path_of
from tierscope.suites.sharing.verdict import FULL, OWN, SHARED
from tierscope.suites.stream.table import StreamRow
from tierscope.tables import Flat, tables
from tierscope.tables.measured import SMALL_PAGES, sure, sure_rows
from tierscope.units import show_bytes

COPIES = ("copy", "copy_nt")
READ = "read"
LIBRARY = "libc"  # stores of the C library, whose instructions are its own


@dataclass(frozen=True, slots=True)
class Memory:
    """The findings on one target."""

    target: str
    read: Speed | None  # the highest over threads; of another kernel where `read` was not measured
    alone: Speed | None  # the same kernel with one thread
    copy: Speed | None  # with the best instructions
    idle: Wait | None  # the largest footprint with the largest pages
    walked: Wait | None  # the same footprint with the smallest pages
    load: Load | None  # the most bandwidth of all loads
    pairs: tuple[SharingRow, ...]  # conclusive, the last moment of each pair, with what was true at all its moments
    moved: str  # a pair of CPUs that shared a core at some moments only, in words; "" where none did
    loads: int  # rows of latency under load, conclusive or not
    sure_loads: int  # of these
    fullest: bool  # no load is inconclusive that has as many threads as `load`, and pauses as short
    small: str  # arrays of a size that was asked for, which may fit in the last-level cache, in words; "" where not
    measured: int  # how many of read, copy, idle and load the run measured, conclusively or not

    @property
    def known(self) -> int:
        """Return how many of these are conclusive; a copy that stands for the read counts once."""
        copy = None if self.read and self.copy and self.copy.row is self.read.row else self.copy
        return sum(one is not None for one in (self.read, copy, self.idle, self.load))

    @property
    def one_core(self) -> SharingRow | None:
        """Return a pair that the system lists as two cores and that shares one."""
        return next((row for row in self.pairs if row.core == SHARED and row.listed == OWN), None)

    @property
    def full_path(self) -> SharingRow | None:
        """Return a pair of CPUs that gets no more from memory than one of them."""
        return next((row for row in self.pairs if row.path == FULL), None)


def memory_of(content: Content) -> Memory | None:
    """Return the findings of the tables of memory; None where the run has none of them."""
    rows = [*content.rows("stream"), *content.rows("latency"), *content.rows("loaded_latency")]
    if not rows:
        return None
    target = _target(content) or str(rows[0]["target"])
    here = [speed for speed in _speeds(content) if speed.row.target == target]
    read = _fastest(content, target, lambda row: row.kernel == READ)
    read = read or _fastest(content, target, lambda row: row.kernel not in COPIES)
    read = read or _fastest(content, target, lambda row: row.kernel in COPIES)
    idle, walked = _waits(content, target)
    moments, loads, load = _moments(content, target), _loads(content, target), most_loaded(content, target)
    return Memory(
        target=target,
        read=read,
        alone=next((one for one in here if read and one.row.threads == 1 and one.row.kernel == read.row.kernel), None),
        copy=_fastest(content, target, lambda row: row.kernel in COPIES),
        idle=idle,
        walked=walked,
        load=load,
        pairs=_pairs(moments),
        moved=_moved(moments),
        loads=len(loads),
        sure_loads=sum(bool(row["conclusive"]) for row in loads),
        fullest=load is not None and not any(_may_move_more(row, load.row) for row in loads),
        small=_small(content, target),
        measured=_measured(content, target),
    )


def _small(content: Content, target: str) -> str:
    """Return 'arrays of 8 MiB, which may fit in the last-level cache, 60 MiB as reported'.

    A size that a suite chose is beyond the cache that it found, however much is reported.
    """
    result = content.run.result
    cache = result.machine.last_level_cache_bytes()
    sizes = [
        facts.footprint_bytes
        for record in result.records
        if record.experiment.table in tables and tables[record.experiment.table].audited.memory
        for facts in record.groups
        if facts.target == target
    ]
    size = min(sizes, default=0)
    if not result.options.get("array") or not 0 < size <= cache:
        return ""
    return f"arrays of {show_bytes(size)}, which may fit in the last-level cache, {show_bytes(cache)} as reported"


def _measured(content: Content, target: str) -> int:
    """Return the number of rows that may become numbers of the top, conclusive or not."""
    kernels = {row["kernel"] for row in content.rows("stream") if row["target"] == target and row["store"] != LIBRARY}
    waits = [row for row in content.rows("latency") if row["target"] == target and _counts(row["probe"], row["order"])]
    loads = _loads(content, target)
    return sum(map(bool, (kernels.difference(COPIES), kernels.intersection(COPIES), waits, loads)))


def _loads(content: Content, target: str) -> list[Flat]:
    return [row for row in content.rows("loaded_latency") if row["target"] == target and row["load_threads"]]


def _may_move_more(row: Flat, known: LoadedLatencyRow) -> bool:
    """Return whether a load is inconclusive whose settings are as heavy; its own bandwidth is not asked."""
    if row["conclusive"]:
        return False
    return (real(row["delay_cycles"]) or 0) <= (known.delay_cycles or 0) and (
        real(row["load_threads"]) or 0
    ) >= known.load_threads


def _counts(probe: Label, order: Label) -> bool:
    """Return whether a row of latency is of dependent accesses to memory that no prefetcher predicts."""
    return probe == "cycle" and order == "global"


def _speeds(content: Content) -> list[Speed]:
    """Return conclusive bandwidths of kernels, without single calls of the C library."""
    return [Speed(*pair) for pair in sure_rows(_kernels(content), lambda row: row.bandwidth)]


def _kernels(content: Content) -> list[StreamRow]:
    rows: list[StreamRow] = content.typed("stream")
    return [row for row in rows if row.store != LIBRARY]


def _target(content: Content) -> str:
    """Return the target of the fastest read, or of the fastest of all where no read is known; "" without any.

    An inconclusive number chooses, too, where most are: the others may all be of a slower memory.
    """
    section = content.sections.get("stream")
    known = [row for row in _kernels(content) if row.bandwidth and (row.conclusive or not (section and section.sure))]
    reads = [row for row in known if row.kernel == READ] or known
    return max(reads, key=lambda row: row.bandwidth.middle if row.bandwidth else 0.0).target if reads else ""


def _fastest(content: Content, target: str, of: Callable[[StreamRow], bool]) -> Speed | None:
    rows = [row for row in _kernels(content) if row.target == target and of(row)]
    found = best(content, "stream", rows, lambda row: row.bandwidth)
    return Speed(*found) if found else None


def _waits(content: Content, target: str) -> tuple[Wait | None, Wait | None]:
    """Return the latency of memory, and that with 4 KiB pages at the same footprint."""
    known: list[LatencyRow] = content.typed("latency")
    rows = [row for row in known if row.latency and row.latency.middle and _counts(row.probe, row.order)]
    cycles = [row for row in rows if row.target == target]
    last = max(cycles, key=lambda row: (row.footprint_bytes, row.page_bytes or 0), default=None)
    if last is None:
        return None, None
    small = (
        row for row in cycles
        if row is not last and 0 < (row.page_bytes or 0) <= SMALL_PAGES and row.element_bytes == last.element_bytes
        and row.footprint_bytes == last.footprint_bytes
    )  # fmt: skip
    return _wait(last), _wait(next(small, None))


def _wait(row: LatencyRow | None) -> Wait | None:
    latency = sure(row, row.latency) if row else None
    return Wait(row, latency) if row and latency else None


def _pairs(moments: list[list[SharingRow]]) -> tuple[SharingRow, ...]:
    """Return the last moment of each pair; a class that changed, or was known only once, is not known here."""
    return tuple(replace(own[-1], core=held(own, core_of), path=held(own, path_of)) for own in moments)


def _moments(content: Content, target: str) -> list[list[SharingRow]]:
    rows: list[SharingRow] = content.typed("sharing")
    return pairs_of([row for row in rows if row.conclusive and row.target == target])


def _moved(moments: list[list[SharingRow]]) -> str:
    return next((core_words(known(own, core_of)) for own in moments if {SHARED, OWN} <= {row.core for row in own}), "")
