"""A run of every prober on made memories: `run policy` on each of its parts, and one device of the closed loop."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

import tierscope.record.result as results
from made import HZ, Maker, Teamwork, made_blocks, made_facts
from made_buffers import add_regions
from made_machine import made_machine
from made_policy import Overwritten, written
from made_stride import add_stride
from made_tlb import add_tlb
from tierscope.arrays import Floats
from tierscope.plans import suites
from tierscope.record.experiment import Experiment
from tierscope.record.result import Blocks, Run
from tierscope.run.expected import imagine
from tierscope.stats.interleave import share
from tierscope.stats.pairs import PairLabels
from tierscope.suites.closed_loop.devices import draw
from tierscope.suites.closed_loop.experiments import filed
from tierscope.units import MiB

LINES_PER_S = 1e8  # of all memories together
DRAIN_S, START_S = 110e-9, 200e-9
SUITE = suites["policy"]
WORDS = {"memory": "64GiB"}  # of a made machine: nothing is mapped


def planned(**words: str) -> list[Experiment]:
    """The experiments of `run policy`."""
    return imagine(SUITE.plan(made_machine(4), SUITE.read({**WORDS, **words})))


def add_policy(
    maker: Maker, ways: int = 6, device: Overwritten | None = None, entries: int = 52, *, limited: bool = False,
    asked: list[Experiment] | None = None, under: Callable[[Experiment], Experiment] = lambda one: one,
    hashed: int = 1,
) -> None:  # fmt: skip
    """Records of what was asked. The queue is in a memory of its own: behind others its curve would be another.

    hashed: memories in an order that no stride shows.
    """
    rng = np.random.default_rng(1995)
    device = device or Overwritten(0, 1, 0.0)
    for one in asked or [*planned(parts="interleave,migration"), *planned(parts="combining", target="node:1")]:
        if one.table == "sizing":
            continue
        seed, size = len(maker.records), int(one.labels.get("region_bytes") or 0)
        if one.table == "interleave":
            blocks = scattered(one, ways, limited=limited, seed=seed)
        elif one.table == "pairs":
            blocks = together(np.random.default_rng(17), PairLabels.read(one), ways * hashed)
        elif one.table == "migration":
            blocks = single(device, rng, size)
        else:
            (line_s,) = written(rng, np.array([float(size)]), entries, 4, DRAIN_S, START_S)
            blocks = made_blocks((Teamwork((1 / line_s,)),), seed=seed, count=120)
        facts = tuple(made_facts(group, operation="block", store="nt") for group in one.groups)
        told = under(one)
        maker.add_blocks(told.table, told.labels, told.groups, blocks, facts)


def scattered(one: Experiment, ways: int, *, limited: bool, seed: int) -> Blocks:
    """limited: each thread does what it can, so that half of them do half."""
    threads = len(one.groups[0].team.cpus)
    rate = LINES_PER_S / (4 if limited else threads) * share(int(one.labels["stride_bytes"] or 0), ways, 4096)
    return made_blocks((Teamwork((rate,) * threads),), seed=seed, count=120)


def together(rng: np.random.Generator, labels: PairLabels, ways: int) -> Blocks:
    """Reads that start together: 250 ns, and 100 ns more behind another read of the same memory; cached, 30 ns."""
    count = 4000
    if labels.near:
        seconds = np.full(count, 30e-9 + 0.5e-9 * labels.reads)
    else:
        waits = (labels.reads > 1) & (rng.random(count) < 1 / ways)
        seconds = (250e-9 + 100e-9 * waits) * np.exp(rng.normal(0, 0.03, count))
    return timed(seconds, labels.reads)


def timed(seconds: Floats, operations: int) -> Blocks:
    """Blocks that follow one another."""
    blocks = np.zeros(seconds.size, dtype=results.BLOCK)
    ends = np.round((1.0 + np.cumsum(seconds)) * HZ).astype(np.uint64)
    blocks["stop_ticks"] = ends
    blocks["start_ticks"] = ends - np.round(seconds * HZ).astype(np.uint64)
    blocks["operations"] = operations
    return blocks


def single(device: Overwritten, rng: np.random.Generator, place: int) -> Blocks:
    """Writes one by one."""
    seconds, _ = device.take(rng, place, 30_000, 0.0)
    return timed(seconds, 1)


def add_closed_loop(maker: Maker) -> None:
    """One device asked for its interleaving; what was built is in its word, and what answers is another memory."""
    asked = planned(parts="interleave", target=draw(1995, 0, 1).word("sim:blank"))
    add_policy(maker, asked=asked, under=lambda one: filed(one, 0, "policy"))


def probed_run(directory: Path) -> Run:
    """Rows in every table that a prober fills."""
    maker = Maker(directory)
    add_policy(maker, device=Overwritten(2000, 16384, 5e-5))
    add_closed_loop(maker)
    add_regions(maker, largest=32 * MiB)
    add_stride(maker)
    add_tlb(maker)
    return maker.save("policy")
