"""A made contention of four CPUs: rates of both groups and dips of one thread are put in."""

import numpy as np

from made import HZ, Maker, Teamwork, made_blocks, made_facts
from tierscope.record import result as results
from tierscope.record.experiment import Group, Label, Target, Team, Workload
from tierscope.record.result import Blocks
from tierscope.record.work.line import LineWork
from tierscope.units import GiB

COPIED = 128.0  # program bytes of one operation
A_RATE = 12e9  # bytes/s of one thread of A that has the memory for itself
B_SHARE = {"nvm-nvm": 0.4, "nvm-dram": 0.8, "dram-nvm": 0.6}  # of A_RATE, one thread of B
PLACES = {"nvm-nvm": ("file:/b", "file:/b"), "nvm-dram": ("file:/b", "node:0"), "dram-nvm": ("node:0", "file:/b")}
SPLITS = ((4, 0), (0, 4), (3, 1), (2, 2), (1, 3))
COUNTS = (1, 2, 4)
RATIO = {1: 0.43, 2: 0.52, 4: 0.75}  # b / a
EVERY, LONG, DEEP = 25, 3, 0.5  # length and depth of a dip, and the blocks from one dip to the next


def a_rate(threads: int) -> float:
    """bytes/s of all threads of a alone: they share what three of them could take."""
    return A_RATE * min(threads, 3)


def group(role: str, cpus: tuple[int, ...], target: str, source: str = "") -> Group:
    return Group(
        workload=Workload(kernel="copy", footprint_bytes=GiB * len(cpus) // 4, work=LineWork()),
        target=Target.parse(target, "4k"),
        source=Target.parse(source, "4k") if source not in ("", target) else None,
        team=Team(cpus=cpus),
        role=role,
    )


def add_targets(maker: Maker) -> None:
    for threads in COUNTS:
        for side, target, share in (("a", "node:0", 1.0), ("b", "file:/b", RATIO[threads])):
            one = group(side.upper(), tuple(range(threads)), target)
            work = Teamwork((a_rate(threads) * share / threads / COPIED,) * threads)
            labels: dict[str, Label] = {"threads": threads, "side": side, "stand_in": False}
            facts = (made_facts(one, program_bytes_per_operation=COPIED),)
            maker.add("targets", labels, (one,), (work,), facts=facts, preempted=0.0)


def rates(mode: str, a: int, b: int) -> tuple[float, float]:
    """bytes/s of A and of B: each thread as fast as alone."""
    return A_RATE * a, A_RATE * b * B_SHARE[mode]


def add_split(maker: Maker, mode: str, a: int, b: int, *, flutters: bool = False, stand_in: bool = False) -> None:
    source, target = PLACES[mode]
    sides = [("A", tuple(range(a)), "node:0", ""), ("B", tuple(range(a, a + b)), target, source)]
    groups = tuple(group(role, cpus, where, of) for role, cpus, where, of in sides if cpus)
    each = [rate / count / COPIED for rate, count in zip(rates(mode, a, b), (a, b), strict=True) if count]
    work = tuple(Teamwork((rate,) * len(one.team.cpus)) for rate, one in zip(each, groups, strict=True))
    blocks = made_blocks(work, seed=maker.seed + len(maker.records), count=250, preempted=0.01)
    labels: dict[str, Label] = {
        "mode": mode, "a_threads": a, "b_threads": b, "a_target": "node:0", "b_source": source, "b_target": target,
        "stand_in": stand_in,
    }  # fmt: skip
    facts = tuple(
        made_facts(one, program_bytes_per_operation=COPIED, source=one.source.word if one.source else "")
        for one in groups
    )
    maker.add_blocks("contention", labels, groups, dipping(blocks, len(groups) - 1) if flutters else blocks, facts)


def dipping(blocks: Blocks, number: int) -> Blocks:
    """The first thread of a group dips: from each EVERYth block on, LONG blocks at DEEP of the rate."""
    mine = np.flatnonzero((blocks["group"] == number) & (blocks["thread"] == 0) & (blocks["flags"] != results.SIZING))
    seconds = (blocks["stop_ticks"][mine] - blocks["start_ticks"][mine]).astype(np.int64)
    low = np.arange(mine.size) % EVERY >= EVERY - LONG
    stretched = np.where(low, (seconds / DEEP).astype(np.int64), seconds)
    first = int(blocks["start_ticks"][mine[0]])
    starts = first + np.concatenate([[0], np.cumsum(stretched + round(1e-7 * HZ))[:-1]])
    blocks["start_ticks"][mine], blocks["stop_ticks"][mine] = starts, starts + stretched
    return blocks


def add_contention(maker: Maker, modes: tuple[str, ...] = tuple(PLACES)) -> None:
    """All splits of all modes after the ratio; in nvm-nvm 2:2 one thread of B flutters."""
    add_targets(maker)
    for mode in modes:
        for a, b in SPLITS:
            add_split(maker, mode, a, b, flutters=(mode, a) == ("nvm-nvm", 2))
