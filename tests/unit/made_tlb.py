"""A made TLB: what an access costs over the pages touched, and a run of the suite `tlb` on it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from made import HZ, Maker, Teamwork, made_facts
from tierscope.record.experiment import Experiment, Group, Label, Target, Team, Workload
from tierscope.record.samples import BLOCK
from tierscope.record.work.hop import HopWork
from tierscope.stats.tlb import APART, BESIDE, PARTS
from tierscope.units import LINE_BYTES, KiB, MiB

L1_LINES, L1_S, L2_S = 768, 1.6e-9, 5e-9  # caches: a hit in the first, and in the second
COARSE = tuple(sorted({round(2 * 2 ** (step / 4)) for step in range(53)}))
FINE = (95, 96, 97, 98, 99, 2016, 2048, 2080, 2112)


@dataclass(frozen=True)
class MadeTlb:
    """Levels as (entries, ways), least recently used, walked in a cycle; `adds`: of a hit behind each, a walk last."""

    levels: tuple[tuple[int, int], ...]
    adds: tuple[float, ...]
    page_bytes: int = 4 * KiB

    def extra_s(self, lines: int) -> float:
        pages = np.arange(lines) * (self.page_bytes + LINE_BYTES) // self.page_bytes
        added, before = 0.0, 0.0
        for (entries, ways), cost in zip(self.levels, self.adds, strict=True):
            held = np.bincount(pages % (entries // ways), minlength=entries // ways)
            added += float(held[held > ways].sum()) / lines * (cost - before)
            before = cost
        return added

    def time_s(self, lines: int) -> float:
        return control_s(lines) + self.extra_s(lines)


TWO = MadeTlb(((96, 6), (2048, 8)), (2.3e-9, 15e-9))
NONE = MadeTlb((), ())


def control_s(lines: int) -> float:
    return L1_S if lines <= L1_LINES else L2_S


def time_of(experiment: Experiment, made: MadeTlb, *, split: bool = False) -> float:
    """split: large pages are translated in parts."""
    lines = int(experiment.labels["touched"] or 0)
    layouts = (APART, PARTS) if split else (APART,)
    return made.time_s(lines) if experiment.labels["layout"] in layouts else control_s(lines)


def add_probe(maker: Maker, in_parts: Sequence[bool], passes: int = 16, lines: int = 26) -> None:
    """A probe of large pages; in_parts: whether each is translated in parts."""
    size, element = 2 * MiB, 76 * KiB + LINE_BYTES
    work = Workload(
        kernel="chase", footprint_bytes=len(in_parts) * lines * element, per_block=lines,
        work=HopWork(element_bytes=element, locality_bytes=lines * element, order="sequential"),
    )  # fmt: skip
    group = Group(workload=work, target=Target(pages="2m"), team=Team(cpus=(0,)), role="chaser")
    labels: dict[str, Label] = {
        "layout": PARTS, "touched": lines * len(in_parts), "pages": "2m", "found_page_bytes": size,
        "part_bytes": 4 * KiB,
    }  # fmt: skip
    seconds = np.tile(np.where(in_parts, 1.6, 1.0), passes) * L2_S * lines + 2e-8
    blocks = np.zeros(seconds.size, dtype=BLOCK)
    stops = np.cumsum(seconds) * HZ
    blocks["stop_ticks"] = stops
    blocks["start_ticks"][1:] = stops[:-1]
    blocks["operations"] = lines
    facts = made_facts(group, pages={str(size): work.footprint_bytes})
    maker.add_blocks("tlb", labels, (group,), blocks, (facts,))


def add_tlb(
    maker: Maker, made: MadeTlb = TWO, touched: Sequence[int] = (*COARSE, *FINE), pages: str = "4k",
    large_bytes: int = 0,
) -> None:  # fmt: skip
    """Both layouts for each number of pages. large_bytes: of pages that are translated in parts, those of `made`."""
    for lines in sorted(set(touched)):
        for layout in (APART, BESIDE):
            element = made.page_bytes + LINE_BYTES if layout == APART else LINE_BYTES
            work = Workload(kernel="chase", footprint_bytes=lines * element, work=HopWork(element_bytes=element))
            group = Group(workload=work, target=Target(pages=pages), team=Team(cpus=(0,)), role="chaser")
            labels: dict[str, Label] = {
                "layout": layout, "touched": lines, "pages": pages,
                "found_page_bytes": large_bytes or made.page_bytes, "coarse": lines in COARSE,
            }  # fmt: skip
            if large_bytes and layout == APART:
                labels["part_bytes"] = made.page_bytes
            seconds = made.time_s(lines) if layout == APART else control_s(lines)
            maker.add("tlb", labels, (group,), (Teamwork((1 / seconds,), noise=0.005),), count=60)
