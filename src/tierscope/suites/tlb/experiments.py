"""TLB: what translation adds to an access, over the number of pages that are touched.

n lines on n pages, in a random cycle, are compared with n lines side by side, in a random cycle too: the difference is
that of translation (`stats.tlb`). Two lines are a page and a line apart, so that each is in another set of the caches.
The lines side by side are on the largest pages of the run; on 4 KiB pages a page is finished before the next.

A host may map the large pages of a guest in pages of 4 KiB. Then the TLB has an entry for each part of 4 KiB, and n
lines on n large pages would show the entries of one set. So first a probe visits many parts of each of some pages. If
translation takes time there, the whole curve is over parts in place of pages. Pages of 1 GiB may be in parts of 2 MiB,
too. A host may map some pages so and others as a whole. So the probe times each page (`stats.tlb_windows`), and is
repeated over all pages of the curve.

First come some points for each doubling, then points between those where a level ends, until its entries are known to 2
%.
Blind to prefetchers that fetch the adjacent line: side by side it is needed soon, a page apart never. Where no cache
hides memory, its own rows and buffers count as translation.
Source: R. H. Saavedra and A. J. Smith, "Measuring Cache and TLB Performance and Their Effect on Benchmark Runtimes",
IEEE Transactions on Computers 44, 1995.
"""

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import Annotated

import msgspec
import numpy as np
from msgspec import UNSET, Meta

from tierscope import units
from tierscope.errors import UsageError
from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import chosen_cpu
from tierscope.plans.kinds import Help, Names, Number, Size, Visits, several
from tierscope.plans.simulation import NAME as SIMULATED
from tierscope.plans.sizes import MEMORY_SHARE, free_bytes, half_of_what
from tierscope.plans.usual import Budget, PrecisionInPercent, Where
from tierscope.record.experiment import (
    PAGES,
    Experiment,
    Group,
    Schedule,
    Target,
    Team,
    Workload,
    page_word_bytes,
)
from tierscope.record.machine import Machine
from tierscope.record.work.hop import HopWork
from tierscope.stats.tlb import APART, BESIDE, PARTS, between, curve_of, is_seen
from tierscope.suites.tlb.labels import TlbLabels
from tierscope.units import LINE_BYTES, GiB, KiB, MiB, show_bytes, show_size

FEWEST, MOST = 2, 16384  # pages: the second is 4x to 8x the largest TLB known to us
LEAST = 16  # pages that must fit, for points enough
MEMORY_BYTES = 2 * GiB  # filling more takes longer than measuring
PARTS_BYTES = (4 * KiB, 2 * MiB)
PROBED_PAGES = 96  # by the first probe: their parts are more than the entries of any TLB known to us
PARTS_OF_PAGE = (28, 64)  # visited in each page, about: fewer would show entries of whole pages, too
LEAST_PARTS = 256  # visited in all, more than a nearest level has entries
SPLIT = 0.25  # of an access, that entries of parts add at least: a hit in a second level takes some cycles
CACHE_SHARE = 0.5  # of the last-level cache that the lines fill
TRIES = 6  # points between two of a coarse curve: halving so often leaves 1/64
SMALL = 4 * KiB
PROBE_BYTES = 16 * MiB
ASKING = Schedule(precision=0.5, minimum_s=0.01, budget_s=0.01)  # only the facts are needed
PROBING = Schedule(block_s=1e-6, precision=0.5, minimum_s=0.06, budget_s=0.06)  # a block is a page: many passes fit


class TlbOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run tlb`."""

    target: Where = Target()
    pages: Annotated[
        Names,
        several("page size", PAGES),
        Help("page sizes: `4k`, `thp`, `2m`, `1g`; one that the system does not give is left out"),
    ] = ("4k", "thp")
    to: Annotated[
        Annotated[int, Meta(ge=64, le=1 << 31)] | None,
        Help("most pages touched; auto: 16384, fewer if memory or half of the last-level cache contains fewer lines"),
    ] = None
    per_octave: Annotated[
        int, Meta(ge=2, le=32), Help("numbers of pages to a doubling; more are measured where a level ends")
    ] = 4
    memory: Annotated[Size | None, Help("most bytes mapped; auto: 2 GiB, within half of the free memory")] = None
    cpu: Annotated[Number | None, Help("the CPU that chases; auto: the first of the target's node")] = None
    precision: PrecisionInPercent = 0.02
    budget: Budget = 0.3
    visits: Visits = 3


@dataclass(frozen=True)
class Kind:
    """A page size, and what the target calls it."""

    target: Target
    page_bytes: int
    most: int  # pages, or parts
    note: str
    line_bytes: int = LINE_BYTES
    part_bytes: int = 0  # in which its pages are translated; 0: as a whole
    parts_of_page: int = PARTS_OF_PAGE[1]  # visited by a probe, about

    @property
    def element(self) -> int:
        return (self.part_bytes or self.page_bytes) + self.line_bytes

    @property
    def has_parts(self) -> bool:
        """Return whether parts are much smaller than a page."""
        return self.page_bytes >= PARTS_OF_PAGE[1] * self.part_bytes

    @property
    def pages(self) -> int:
        """Return the number of pages, also where parts are touched."""
        return self.most * self.element // self.page_bytes

    @property
    def scattered(self) -> int:
        """Return the bytes between the lines of a probe: each is in a part of its own, and they are in all sets."""
        return (self.page_bytes // self.parts_of_page // self.part_bytes | 1) * self.part_bytes + self.line_bytes

    @property
    def window(self) -> int:
        """Return the lines of a probe on each page."""
        return self.page_bytes // self.scattered


Key = tuple[str, int, int, int]
"""Layout, bytes of a page and of its parts, and lines."""


@dataclass(frozen=True)
class Walks:
    """The values that all points share, and the answers so far: seconds of an access and its standard error."""

    cpu: int
    schedule: Schedule
    control: Kind
    known: dict[Key, tuple[float, float]] = field(default_factory=dict)
    asked: set[Key] = field(default_factory=set)

    def point(self, kind: Kind, pages: int, *, coarse: bool) -> Generator[Experiment, Answer, None]:
        """Yield both layouts, unless the lines side by side are known from another page size."""
        yield from self._walk(APART, kind, pages, coarse=coarse)
        yield from self._walk(BESIDE, self.control, pages, coarse=coarse)

    def _walk(self, layout: str, kind: Kind, lines: int, *, coarse: bool) -> Generator[Experiment, Answer, None]:
        key = layout, kind.page_bytes, 0 if layout == BESIDE else kind.part_bytes, lines
        if key in self.asked:
            return
        self.asked.add(key)
        answer = yield self._experiment(layout, kind, lines, coarse)
        given = answer.record.groups[0].pages if answer.record else {}
        if layout == PARTS and given and int(max(given, key=lambda one: given[one])) != kind.page_bytes:
            return  # the system gave other pages
        if (rate := answer.rate()) and answer.point:
            relative = answer.point.groups[0].interval.relative
            self.known[key] = 1 / rate, relative / rate / 2  # half of a 95 % interval is two standard errors

    def windows(self, kind: Kind, pages: int) -> Generator[Experiment, Answer, None]:
        """Measure lines that are in other parts of some pages, each page alone. kind: with the parts."""
        yield from self._walk(PARTS, kind, pages * kind.window, coarse=False)

    def splits(self, kind: Kind, pages: int) -> Generator[Experiment, Answer, bool]:
        """Do the same, and return whether each part needs an entry."""
        yield from self.windows(kind, pages)
        touched = pages * kind.window
        yield from self._walk(BESIDE, self.control, touched, coarse=False)
        found = self.known.get((PARTS, kind.page_bytes, kind.part_bytes, touched))
        beside = self.known.get((BESIDE, self.control.page_bytes, 0, touched))
        if found is None or beside is None:
            return False
        sigma = float(np.hypot(found[1], beside[1]))
        return is_seen(found[0] - beside[0], sigma, beside[0]) and found[0] > (1 + SPLIT) * beside[0]

    def _experiment(self, layout: str, kind: Kind, pages: int, coarse: bool) -> Experiment:
        element = kind.line_bytes if layout == BESIDE else kind.scattered if layout == PARTS else kind.element
        windows = layout == BESIDE and (kind.part_bytes or kind.page_bytes) <= SMALL and pages * kind.line_bytes > SMALL
        window = SMALL if windows else kind.window * element if layout == PARTS else 0
        work = Workload(
            kernel="chase",
            footprint_bytes=_up(pages * element, window or element),
            per_block=kind.window if layout == PARTS else 0,
            work=HopWork(element_bytes=element, locality_bytes=window, order="sequential" if layout == PARTS else ""),
        )
        size = kind.page_bytes
        labels = TlbLabels(
            layout=layout, touched=pages, pages=kind.target.pages, found_page_bytes=size, coarse=coarse,
            part_bytes=(kind.part_bytes or UNSET) if layout != BESIDE else UNSET,
        )  # fmt: skip
        group = Group(workload=work, target=kind.target, team=Team(cpus=(self.cpu,)), role="chaser")
        return Experiment(
            table="tlb",
            groups=(group,),
            schedule=msgspec.structs.replace(PROBING, visits=self.schedule.visits)
            if layout == PARTS
            else self.schedule,
            labels=labels.stored(),
            note=kind.note,
        )

    def finer(self, kind: Kind, coarse: list[int]) -> list[int]:
        """Return the numbers of pages that are needed next; none while the run is only being planned."""
        own = APART, kind.page_bytes, kind.part_bytes
        apart = {n: one for (*key, n), one in self.known.items() if tuple(key) == own}
        both = [n for n in apart if (BESIDE, self.control.page_bytes, 0, n) in self.known]
        beside = [self.known[BESIDE, self.control.page_bytes, 0, n] for n in both]
        curve = curve_of(
            np.array(both, dtype=np.float64),
            np.array([apart[n][0] for n in both]),
            np.array([one[0] for one in beside]),
            np.array([float(np.hypot(apart[n][1], one[1])) for n, one in zip(both, beside, strict=True)]),
            np.isin(both, coarse),
        )
        return [n for n in between(curve) if n not in apart]


def _up(size: int, grain: int) -> int:
    return -(-size // grain) * grain


def kind_of(machine: Machine, chosen: TlbOptions, target: Target, cpu: int) -> Generator[Experiment, Answer, Kind]:
    """Return the page size that the target really has, and how many pages it may have."""
    work = Workload(kernel="chase", footprint_bytes=PROBE_BYTES, work=HopWork())
    group = Group(workload=work, target=target, team=Team(cpus=(cpu,)))
    answer = yield Experiment(table="sizing", groups=(group,), schedule=ASKING)
    found = answer.record.groups[0].pages if answer.record else {}
    asked = page_word_bytes(target.pages, machine.large_page_bytes())
    size = int(max(found, key=lambda one: found[one])) if found else asked
    return Kind(target, size, *_most(machine, chosen, target, size), machine.line_bytes())


def _most(machine: Machine, chosen: TlbOptions, target: Target, page_bytes: int) -> tuple[int, str]:
    """Return the pages that may be touched, and a note if they are few."""
    wanted = MOST if chosen.to is None else chosen.to
    cache = int(machine.last_level_cache_bytes() * CACHE_SHARE) // machine.line_bytes()
    if chosen.to is None and 0 < cache < wanted:
        wanted = cache
    memory, why = _memory(machine, chosen, target)
    each = page_bytes + machine.line_bytes()
    room = memory // each
    if room >= wanted:
        return wanted, ""
    size = show_size(page_bytes)
    if room < LEAST:
        raise UsageError(
            f"{show_bytes(memory)} contain {room} pages of {size}: too few for a TLB; "
            f"try memory={units.word_size(_up(LEAST * each, MiB))} or smaller pages"
        )
    return room, f"{room} pages of {size} instead of {wanted}: limited by {why}"


def _memory(machine: Machine, chosen: TlbOptions, target: Target) -> tuple[int, str]:
    if chosen.memory is not None:
        return chosen.memory, "memory="
    half = int(free_bytes(machine, target) * MEMORY_SHARE)
    if target.name != SIMULATED and half > MEMORY_BYTES:
        return MEMORY_BYTES, "the time that filling takes; memory= allows more"
    return half, half_of_what(machine, target)


def coarse_of(kind: Kind, per_octave: int) -> list[int]:
    """Return the numbers of pages from the fewest to the most."""
    steps = int(np.log2(kind.most / FEWEST) * per_octave + 1e-9)
    return sorted({round(FEWEST * 2 ** (step / per_octave)) for step in range(steps + 1)} | {kind.most})


def plan(machine: Machine, chosen: TlbOptions) -> Plan:
    """Yield the coarse curve of each page size, most pages first, since memory is mapped once; then finer points."""
    cpu = chosen_cpu(machine, chosen.cpu, chosen.target)
    kinds: dict[int, Kind] = {}
    for name in dict.fromkeys(chosen.pages):
        kind = yield from kind_of(machine, chosen, chosen.target.on(name), cpu)
        kinds.setdefault(kind.page_bytes, kind)
    schedule = Schedule(
        block_s=5e-4,
        precision=chosen.precision,
        minimum_s=min(0.05, chosen.budget),
        budget_s=chosen.budget,
        visits=chosen.visits,
    )
    walks = Walks(cpu, schedule, kinds[max(kinds)])
    translated = {}
    for size in sorted(kinds, reverse=True):
        translated[size] = yield from as_translated(machine, chosen, walks, kinds[size])
    walks = replace(walks, control=translated[max(kinds)])
    for kind in (translated[size] for size in kinds):
        coarse = coarse_of(kind, chosen.per_octave)
        for pages in reversed(coarse):
            yield from walks.point(kind, pages, coarse=True)
        probed = replace(kind, part_bytes=kind.part_bytes or PARTS_BYTES[0])
        if probed.has_parts and kind.pages > 1:
            yield from walks.windows(*_visited(machine, probed, kind.pages))
        for _ in range(TRIES):
            for pages in walks.finer(kind, coarse):
                yield from walks.point(kind, pages, coarse=False)


def _visited(machine: Machine, kind: Kind, pages: int) -> tuple[Kind, int]:
    """Return the lines of a probe on a page, and its pages: at most `pages`, whose lines fill a quarter of the
    second cache, since each may need a line of the page tables, too.
    """
    second = max((cache.size_bytes for cache in machine.identity.caches if cache.level == 2), default=MiB)
    lines, (fewest, most) = second // 4 // machine.line_bytes(), PARTS_OF_PAGE
    visited = min(pages, max(lines // fewest, 1))
    return replace(kind, parts_of_page=max(min(lines // max(visited, 1), most), fewest)), visited


def as_translated(
    machine: Machine, chosen: TlbOptions, walks: Walks, whole: Kind
) -> Generator[Experiment, Answer, Kind]:
    """Return the page size with the smallest parts in which its pages are translated.

    It has no parts if they are translated as a whole.
    """
    memory, _ = _memory(machine, chosen, whole.target)
    pages = min(PROBED_PAGES, memory // 2 // whole.page_bytes)
    for part in PARTS_BYTES:
        kind, probed = _visited(machine, replace(whole, part_bytes=part), pages)
        if not kind.has_parts or probed * kind.window < LEAST_PARTS:
            continue
        if (yield from walks.splits(kind, probed)):
            most, note = _most(machine, chosen, whole.target, part)
            return replace(kind, most=most, note=note)
    return whole


suites.add(
    Suite(
        "tlb",
        "levels of the TLB: entries of each, the time that a hit adds, and that a page walk adds",
        TlbOptions,
        plan,
        details="See [how to measure the TLB](../how-to/tlb.md).",
    )
)
