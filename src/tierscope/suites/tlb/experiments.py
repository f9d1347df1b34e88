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

import msgspec
import numpy as np
from msgspec import UNSET

from tierscope.plans import Plan, Suite, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import chosen_cpu
from tierscope.record.experiment import Experiment, Group, Schedule, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.hop import HopWork
from tierscope.stats.tlb import APART, BESIDE, PARTS, between, curve_of, is_seen
from tierscope.suites.tlb.kinds import (
    PAGES_PROBED,
    PARTS_BYTES,
    Kind,
    coarse_of,
    kind_of,
    memory_of,
    most_of,
    up,
    visited,
)
from tierscope.suites.tlb.labels import TlbLabels
from tierscope.suites.tlb.options import TlbOptions
from tierscope.units import KiB

SMALL = 4 * KiB
SPLIT = 0.25  # of an access, that entries of parts add at least: a hit in a second level takes some cycles
TRIES = 6  # points between two of a coarse curve: halving so often leaves 1/64
PROBING = Schedule(block_s=1e-6, precision=0.5, minimum_s=0.06, budget_s=0.06)  # a block is a page: many passes fit


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
        self.asked.discard((PARTS, kind.page_bytes, kind.part_bytes, pages * kind.window))
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
            footprint_bytes=up(pages * element, window or element),
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
            yield from walks.windows(*visited(machine, probed, kind.pages))
        for _ in range(TRIES):
            for pages in walks.finer(kind, coarse):
                yield from walks.point(kind, pages, coarse=False)


def as_translated(
    machine: Machine, chosen: TlbOptions, walks: Walks, whole: Kind
) -> Generator[Experiment, Answer, Kind]:
    """Return the page size with the smallest parts in which its pages are translated.

    It has no parts if they are translated as a whole.
    """
    memory, _ = memory_of(machine, chosen, whole.target)
    pages = min(PAGES_PROBED[1], memory // 2 // whole.page_bytes)
    for part in PARTS_BYTES:
        kind, probed = visited(machine, replace(whole, part_bytes=part), pages)
        if not kind.has_parts:
            continue
        if (yield from walks.splits(kind, probed)):
            most, note = most_of(machine, chosen, whole.target, part)
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
