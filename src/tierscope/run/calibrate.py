"""Picks the fastest walk of a kernel on this machine, in half a second.

Successive halving: all candidates get a short batch, the faster half a longer one, until three are left, which
take turns. Rounds are interleaved, so that a machine that drifts drifts for all. What is compared is the median
rate of clean blocks. Blind to walks that are not among the candidates.
Source: K. Jamieson, A. Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter Optimization",
AISTATS 2016 (successive halving).
"""

from collections.abc import Sequence
from statistics import median

import msgspec

from tierscope.record.catalogue import Kernel
from tierscope.record.experiment import Experiment, Group, Workload
from tierscope.record.result import Trial
from tierscope.record.work.line import LineWork
from tierscope.run.candidates import candidates
from tierscope.run.measurer import Measurer
from tierscope.stats.together import together

FIRST_S = 0.010  # of each candidate: ten blocks of 1 ms, enough to see a difference of a few percent
FINALISTS = 3
FINAL_ROUNDS = 3
FINAL_S = 0.030


def calibrate(session: Measurer, experiment: Experiment, walks: Sequence[Workload]) -> tuple[Trial, ...]:
    """Return trials of the last group's workload, fastest first; those without a clean moment come last, unrated.

    The experiment must be prepared; its walk is changed.
    """
    last = len(experiment.groups) - 1
    group = experiment.groups[last]
    left, seconds = list(walks), FIRST_S
    rates: dict[Workload, list[float]] = {walk: [] for walk in walks}

    def run(walk: Workload, seconds: float) -> None:
        session.set(last, msgspec.structs.replace(group, workload=walk))
        blocks = session.measure(seconds, min(experiment.schedule.block_s, seconds / 5))
        series = together(blocks, session.clock.hz, len(experiment.groups)).rates[last]
        if series.size:
            rates[walk].append(float(median(series.tolist())))

    def rate(walk: Workload) -> float | None:
        return median(rates[walk]) if rates[walk] else None

    def speed(walk: Workload) -> float:
        return rate(walk) or 0.0

    while len(left) > FINALISTS:
        for walk in left:
            run(walk, seconds)
        left = sorted(left, key=speed, reverse=True)[: max(FINALISTS, len(left) // 2)]
        seconds *= 2
    for _ in range(FINAL_ROUNDS if len(left) > 1 else 0):
        for walk in left:
            run(walk, FINAL_S)
    rest = [walk for walk in sorted(walks, key=speed, reverse=True) if walk not in left]
    order = sorted(left, key=speed, reverse=True) + rest
    return tuple(Trial(workload=walk, operations_per_s=rate(walk)) for walk in order)


def walks_of(group: Group, variants: Sequence[Kernel]) -> list[Workload]:
    """Return the walks worth trying for a group's kernel.

    They are tried without delays: under a long delay all walks look alike.
    """
    work = group.workload
    if not isinstance(work.work, LineWork):
        return [work]
    tried = candidates([kernel for kernel in variants if not work.isa or kernel.isa == work.isa])
    row = work.work.row_bytes
    return [
        msgspec.structs.replace(work, pace_cycles=0, isa=one.isa, work=msgspec.structs.replace(one.work, row_bytes=row))
        for one in tried
    ] or [work]
