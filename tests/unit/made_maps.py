"""A made run of the suite `maps`: times of operations of stated laws, in batches of whole rounds."""

import msgspec
import numpy as np

from made import HZ, Maker, made_facts
from tierscope.record import result as results
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.result import Blocks, Record
from tierscope.record.timing import Timing
from tierscope.record.work.key import KeyedWork
from tierscope.stats.contrast import ROUNDS, VICTIM

COUNT = 2000
LATENCY_S = {"quick_map": 100e-9, "slow_map": 250e-9}  # median of an operation
SPREAD = 0.3  # of its logarithm
REHASH_S = 40e-6  # of each, in a round of inserts
REHASHES = 5
FILL_S = 1e-3
CLOCK_S = 20e-9
NOISE = 0.004  # of a batch


def place(number: int) -> int:
    """As core/base/histogram.hpp has it."""
    shift = max(number.bit_length() - 7, 0)
    return (shift << 6) + (number >> shift)


def text_of(ticks: list[int]) -> str:
    """A histogram of the core, as it writes it."""
    places = np.bincount([place(number) for number in ticks])
    words, before = [], 0
    for step in np.flatnonzero(places):
        words.append(f"{int(step) - before}:{int(places[step])}")
        before = int(step)
    return " ".join(words)


def timing(
    structure: str, operation: str, threads: int, slower: float, seed: list[int], count: int
) -> tuple[Timing, float]:
    """One batch of one round of `count` operations by all threads; and the seconds that it took each of them."""
    rng = np.random.default_rng(seed)
    ticks = np.round(LATENCY_S[structure] * HZ * slower * np.exp(rng.normal(0, SPREAD, count))).astype(int)
    rehashes = REHASHES if operation == "insert" else 0
    rehash = round(rehashes * REHASH_S * HZ)
    made = Timing(
        rounds=threads, operations=count, done=count, ticks=int(ticks.sum()), least_ticks=int(ticks.min()),
        most_ticks=int(ticks.max()), rehashes=rehashes * threads, moved=count if rehashes else 0,
        rehash_ticks=rehash * threads, lock_ticks=0, fills=threads, fill_ticks=round(FILL_S * HZ) * threads,
        clock_ticks=round(CLOCK_S * HZ), histogram=text_of([int(number) for number in ticks]),
    )  # fmt: skip
    return made, (int(ticks.sum()) / threads + rehash) / HZ


def blocks_of(seconds: float, threads: int, batch: int, count: int) -> Blocks:
    blocks = np.zeros(threads, dtype=results.BLOCK)
    blocks["thread"], blocks["cpu"] = range(threads), range(threads)
    blocks["batch"], blocks["operations"] = batch, count // threads
    blocks["start_ticks"] = round((1 + batch) * HZ)
    blocks["stop_ticks"] = round((1 + batch + seconds) * HZ)
    return blocks


def add_point(
    maker: Maker, structure: str, operation: str, threads: int = 1, *, noise: float = NOISE, batches: int = ROUNDS,
    count: int = COUNT,
) -> Record:  # fmt: skip
    """One record of a structure, whose batches differ by `noise`. count: operations of a round of all threads."""
    number = len(maker.records)
    work = Workload(
        kernel=structure,
        footprint_bytes=0,
        work=KeyedWork(operation=operation, keys="uniform", sharing="own", count=COUNT, value_bytes=16),
        seed=1995,
    )
    group = Group(workload=work, target=Target(), team=Team(cpus=tuple(range(threads))), role=VICTIM)
    drift = np.exp(np.random.default_rng([maker.seed, number]).normal(0, noise, batches))
    made = [
        timing(structure, operation, threads, float(slower), [maker.seed, number, batch], count)
        for batch, slower in enumerate(drift)
    ]
    blocks = np.concatenate([blocks_of(seconds, threads, batch, count) for batch, (_, seconds) in enumerate(made)])
    facts = made_facts(group, operation="key", footprint_bytes=COUNT * 24, pages={}, persistence="none")
    record = maker.add_blocks("maps", {}, (group,), blocks, (facts,))
    experiment = Experiment(
        table="maps", groups=(group,), schedule=Schedule(precision=0.05, minimum_s=0.1), takes=((0,),), against=(0,),
        labels={"structure": structure, "operation": operation},
    )  # fmt: skip
    maker.records[number] = msgspec.structs.replace(
        record, experiment=experiment, takes=(0,) * batches, timings=(tuple(one for one, _ in made),)
    )
    return maker.records[number]


def add_maps(maker: Maker) -> None:
    """Two structures, inserts and gets, and gets with two threads."""
    for structure in LATENCY_S:
        for operation, threads in (("insert", 1), ("get", 1), ("get", 2)):
            add_point(maker, structure, operation, threads)
