"""A page size as it really is: how many pages are touched, and the lines of a probe of its parts."""

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from tierscope import units
from tierscope.errors import UsageError
from tierscope.plans.answer import Answer
from tierscope.plans.simulation import NAME as SIMULATED
from tierscope.plans.sizes import MEMORY_SHARE, free_bytes, half_of_what
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload, page_word_bytes
from tierscope.record.machine import Machine
from tierscope.record.work.hop import HopWork
from tierscope.suites.tlb.options import TlbOptions
from tierscope.units import LINE_BYTES, GiB, KiB, MiB, show_bytes, show_size

FEWEST, MOST = 2, 16384  # pages: the second is 4x to 8x the largest TLB known to us
LEAST = 16  # pages that must fit, for points enough
MEMORY_BYTES = 2 * GiB  # filling more takes longer than measuring
PARTS_BYTES = (4 * KiB, 2 * MiB)
PAGES_PROBED = (
    10,
    96,
)  # by the first probe; their parts are more than a TLB has entries
PARTS_OF_PAGE = (28, 64)  # visited in each page, about: fewer would show entries of whole pages, too
LEAST_PARTS = 256  # visited in all, more than a nearest level has entries
CACHE_SHARE = 0.5  # of the last-level cache that the lines fill
PROBE_BYTES = 16 * MiB
ASKING = Schedule(precision=0.5, minimum_s=0.01, budget_s=0.01)  # only the facts are needed


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


def up(size: int, grain: int) -> int:
    return -(-size // grain) * grain


def kind_of(machine: Machine, chosen: TlbOptions, target: Target, cpu: int) -> Generator[Experiment, Answer, Kind]:
    """Return the page size that the target really has, and how many pages it may have."""
    work = Workload(kernel="chase", footprint_bytes=PROBE_BYTES, work=HopWork())
    group = Group(workload=work, target=target, team=Team(cpus=(cpu,)))
    answer = yield Experiment(table="sizing", groups=(group,), schedule=ASKING)
    found = answer.record.groups[0].pages if answer.record else {}
    asked = page_word_bytes(target.pages, machine.large_page_bytes())
    size = int(max(found, key=lambda one: found[one])) if found else asked
    return Kind(target, size, *most_of(machine, chosen, target, size), machine.line_bytes())


def most_of(machine: Machine, chosen: TlbOptions, target: Target, page_bytes: int) -> tuple[int, str]:
    """Return the pages that may be touched, and a note if they are few."""
    wanted = MOST if chosen.to is None else chosen.to
    cache = int(machine.last_level_cache_bytes() * CACHE_SHARE) // machine.line_bytes()
    if chosen.to is None and 0 < cache < wanted:
        wanted = cache
    memory, why = memory_of(machine, chosen, target)
    each = page_bytes + machine.line_bytes()
    room = memory // each
    if room >= wanted:
        return wanted, ""
    size = show_size(page_bytes)
    if room < LEAST:
        raise UsageError(
            f"{show_bytes(memory)} contain {room} pages of {size}: too few for a TLB; "
            f"try memory={units.word_size(up(LEAST * each, MiB))} or smaller pages"
        )
    return room, f"{room} pages of {size} instead of {wanted}: limited by {why}"


def memory_of(machine: Machine, chosen: TlbOptions, target: Target) -> tuple[int, str]:
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


def visited(machine: Machine, kind: Kind, pages: int) -> tuple[Kind, int]:
    """Return the lines of a probe on a page, and its pages: at most `pages`, whose lines fill a quarter of the second
    cache, since each may need a line of the page tables, too. In all there are at least LEAST_PARTS lines.
    """
    second = max((cache.size_bytes for cache in machine.identity.caches if cache.level == 2), default=MiB)
    lines, (fewest, most) = second // 4 // machine.line_bytes(), PARTS_OF_PAGE
    count = max(min(pages, max(lines // fewest, PAGES_PROBED[0])), 1)
    enough = -(-LEAST_PARTS // count) * 6 // 5  # a window has up to a sixth fewer lines
    return replace(kind, parts_of_page=max(min(lines // count, most), fewest, enough)), count
