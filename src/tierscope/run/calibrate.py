"""Finds the fastest loop variant of a kernel on this machine: a search around the best guesses, in some seconds.

A search (`run.climb`) tries variants for TRIAL_S each, on the memory of the point, and the best ones longer. The result
is the median rate of clean blocks. Where an earlier run kept a variant, the search is shorter and begins with
it.
Blind to: variants that `run.around` does not reach, and to one that gains only after longer than a trial.
"""

from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple

import msgspec

from tierscope.record.catalogue import Kernel
from tierscope.record.experiment import Experiment, Group, Workload
from tierscope.record.result import Trial
from tierscope.record.work.line import LineWork
from tierscope.run.around import around, simplicity
from tierscope.run.candidates import Candidate, candidates
from tierscope.run.climb import LONGEST_S, Climb, Found
from tierscope.run.measurer import Measurer
from tierscope.stats.together import together

TRIAL_S = 0.003  # as long as one thread needs for ten times what a cache of the second level contains
BLOCKS = 5  # of a trial: one that is disturbed is left out alone
GUESSES = 8  # of the list that a search begins with


class Calibrated(NamedTuple):
    """The result of a calibration. trials: the chosen variant, then the others by rate; without a clean moment last."""

    trials: tuple[Trial, ...]
    found: Found[Candidate]


def calibrate(
    session: Measurer, experiment: Experiment, entries: Sequence[Kernel], clock: Callable[[], float],
    kept: Candidate | None = None, near: Candidate | None = None, longest_s: float = LONGEST_S,
) -> Calibrated | None:  # fmt: skip
    """Search the fastest variant of the last group's kernel; None where the kernel has one way only.

    The experiment must be prepared; its variant is changed. entries: of the kernel in the catalogue. clock: seconds.
    kept: the variant of an earlier run; near: that of another team in this run, the first guess; longest_s: of the
    search.
    """
    last = len(experiment.groups) - 1
    group = experiment.groups[last]
    usable = usable_of(group, entries)
    guesses = guesses_of(group, usable)
    if len(guesses) < 2:
        return None
    if near is not None:
        guesses = [near, *(one for one in guesses if one != near)]

    def rate(variant: Candidate, length: float) -> float | None:
        seconds = length * TRIAL_S
        session.set(last, msgspec.structs.replace(group, workload=workload_of(group, variant)))
        blocks = session.measure(seconds, min(experiment.schedule.block_s, seconds / BLOCKS))
        rates = together(blocks, session.clock.hz, last + 1).rates[last]
        return float(median(rates.tolist())) if rates.size else None

    found = Climb(rate, lambda one: around(one, usable), simplicity, clock, longest_s).run(guesses[:GUESSES], kept)
    trials = (Trial(workload=workload_of(group, one), operations_per_s=speed) for one, speed in found.order)
    return Calibrated(tuple(trials), found)


def usable_of(group: Group, entries: Sequence[Kernel]) -> list[Kernel]:
    """Return the entries of the ISA that the group names; all where it names none."""
    return [kernel for kernel in entries if not group.workload.isa or kernel.isa == group.workload.isa]


def guesses_of(group: Group, usable: Sequence[Kernel]) -> list[Candidate]:
    """Return the variants to begin with, best guess first; none of a kernel without variants."""
    return candidates(usable) if isinstance(group.workload.work, LineWork) else []


def workload_of(group: Group, variant: Candidate) -> Workload:
    """Return a group's workload by a variant, without delays: under a long delay all variants look alike."""
    own = group.workload.of(LineWork)
    work = msgspec.structs.replace(variant.work, row_bytes=own.row_bytes)
    return msgspec.structs.replace(group.workload, pace_cycles=0, isa=variant.isa, work=work)
