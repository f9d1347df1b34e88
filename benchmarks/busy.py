"""Effect of two busy neighbours on our medians, and whether each moved median is marked inconclusive.

    python benchmarks/busy.py [--rounds 3] [--neighbours 2]

Quiet and busy runs alternate, so that a drift of the machine affects both. A neighbour is a process that
computes without end on any CPU; it takes CPU time and caches, little memory bandwidth. Each point is judged:
within 10 % of the quiet median, or marked inconclusive, or WRONG: conclusive, and not within 10 %.
"""

import argparse
import math
import multiprocessing
import statistics
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from tierscope import core
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.work.hop import HopWork
from tierscope.record.work.line import LineWork
from tierscope.run.planned import this_machine
from tierscope.stats.point import Point, judge
from tierscope.units import MiB

ALLOWED = 0.10
BUDGET_S = 3.0  # time that an instrument may try on a busy machine
BATCH_S = 0.25


def compute() -> None:
    value = 1
    while True:
        value = (value * 6364136223846793005 + 1442695040888963407) % 2**64


@contextmanager
def neighbours(count: int) -> Iterator[None]:
    busy = [multiprocessing.Process(target=compute, daemon=True) for _ in range(count)]
    for process in busy:
        process.start()
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.join()


def points(cpus: tuple[int, ...]) -> dict[str, Experiment]:
    """Return the points: bandwidth with one and with all CPUs, latency in a cache and in memory."""
    found = {}
    for kernel, arrays in (("read", 1), ("copy_nt", 2), ("triad", 3)):
        for count in sorted({1, len(cpus)}):
            work = Workload(kernel=kernel, footprint_bytes=arrays * 256 * MiB, work=LineWork(streams=4))
            found[f"{kernel}, {count} threads"] = _one(work, cpus[:count])
    for size in (MiB // 64, 256 * MiB):
        found[f"latency, {size >> 10} KiB"] = _one(
            Workload(kernel="chase", footprint_bytes=size, work=HopWork()), cpus[:1]
        )
    return found


def _one(work: Workload, cpus: tuple[int, ...]) -> Experiment:
    group = Group(workload=work, target=Target(), team=Team(cpus=cpus))
    return Experiment(table="groups", groups=(group,), schedule=Schedule(budget_s=BUDGET_S))


def measure(session: core.Session, experiment: Experiment) -> Point:
    session.prepare(experiment.groups)
    batches = []
    while True:
        batches.append(session.measure(BATCH_S, experiment.schedule.block_s))
        point = judge(np.concatenate(batches), session.clock.hz, 1, experiment.schedule)
        if point.conclusive or len(batches) * BATCH_S >= experiment.schedule.budget_s:
            return point


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--rounds", type=int, default=3)
    words.add_argument("--neighbours", type=int, default=2)
    asked = words.parse_args()
    experiments = points(this_machine(None).cpus())
    quiet: dict[str, list[Point]] = {name: [] for name in experiments}
    busy: dict[str, list[Point]] = {name: [] for name in experiments}
    with core.Session() as session:
        for _ in range(asked.rounds):
            for name, experiment in experiments.items():
                quiet[name].append(measure(session, experiment))
                with neighbours(asked.neighbours):
                    busy[name].append(measure(session, experiment))
    wrong = 0
    print("| point | busy / quiet, each round | left out, busy | verdict |\n| --- | --- | --- | --- |")
    for name in experiments:
        still = statistics.median(p.groups[0].interval.middle for p in quiet[name])
        ratios = [p.groups[0].interval.middle / still for p in busy[name]]
        off = [p.conclusive and not abs(r - 1) <= ALLOWED for p, r in zip(busy[name], ratios, strict=True)]
        unsure = sum(not p.conclusive for p in busy[name])
        wrong += sum(off)
        shown = ", ".join("none" if math.isnan(r) else f"{r:.3f}" for r in ratios)
        left = statistics.median(p.together.left_out_share for p in busy[name])
        verdict = "WRONG" if any(off) else f"{unsure} of {asked.rounds} inconclusive" if unsure else "within 10 %"
        print(f"| {name} | {shown} | {left:.0%} | {verdict} |")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
