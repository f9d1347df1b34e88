"""Finds the fastest loop variant of a kernel on this machine: a search, or a check of the one that was found before.

A search (`run.search`) tries variants for TRIAL_S each, on the memory of the point. What counts is the median rate of
clean blocks. `checked` alternates a variant that was found before with the default, and returns None where it is
slower beyond doubt, or gains clearly less over the default than it did then: the machine is another one by now.
Blind to variants outside `run.space`, and to one that gains only after longer than a trial.
"""

import math
from collections.abc import Callable, Sequence
from statistics import median, stdev
from typing import NamedTuple

import msgspec

from tierscope.record.catalogue import Kernel
from tierscope.record.experiment import Experiment, Group, Workload
from tierscope.record.result import Trial
from tierscope.record.work.line import LineWork
from tierscope.run.candidates import Candidate, candidates
from tierscope.run.measurer import Measurer
from tierscope.run.search import Found, Search
from tierscope.run.space import alike, simplicity, space_of
from tierscope.stats.together import together

SEARCH_S = 1.5  # of one search, where there is no limit: some 200 trials
TRIAL_S = 0.002  # as long as a thread needs for some ten times what a cache of the second level contains
BLOCKS = 4  # of a trial: shorter ones cost less to size, and one that is disturbed is left out alone
CHECK_S = 0.005  # a trial of a check
CHECKS = 8  # pairs
LOST = 0.03  # of the gain over the default, that is noise at most
DOUBT = 2.5  # standard errors


class Trials:
    """Trials of variants of the last group of an experiment, which must be prepared; its variant is changed."""

    def __init__(self, session: Measurer, experiment: Experiment) -> None:
        self._session, self._experiment = session, experiment
        self._last = len(experiment.groups) - 1
        self._group = experiment.groups[self._last]

    def rate(self, variant: Candidate, seconds: float) -> float | None:
        """Return operations/s of a trial; None where it had no clean moment."""
        self._session.set(self._last, msgspec.structs.replace(self._group, workload=self.work(variant)))
        blocks = self._session.measure(seconds, min(self._experiment.schedule.block_s, seconds / BLOCKS))
        rates = together(blocks, self._session.clock.hz, self._last + 1).rates[self._last]
        return float(median(rates.tolist())) if rates.size else None

    def work(self, variant: Candidate) -> Workload:
        """Return the group's workload by a variant, without delays: under a long delay all variants look alike."""
        own = self._group.workload.work
        work = (
            msgspec.structs.replace(variant.work, row_bytes=own.row_bytes)
            if isinstance(own, LineWork)
            else variant.work
        )
        return msgspec.structs.replace(self._group.workload, pace_cycles=0, isa=variant.isa, work=work)

    def told(self, order: Sequence[tuple[Candidate, float | None]]) -> tuple[Trial, ...]:
        """Return trials as a record has them."""
        return tuple(Trial(workload=self.work(one), operations_per_s=rate) for one, rate in order)


class Ways(NamedTuple):
    """The variants that a kernel may run: the default, then other guesses, then the rest."""

    all: tuple[Candidate, ...]
    guesses: int  # how many the first two are

    @property
    def default(self) -> Candidate:
        """The best guess."""
        return self.all[0]


def ways_of(group: Group, entries: Sequence[Kernel]) -> Ways:
    """Return the variants of a group's kernel, of one ISA where it names one; none of a kernel without variants."""
    work = group.workload
    if not isinstance(work.work, LineWork):
        return Ways((), 0)
    usable = [kernel for kernel in entries if not work.isa or kernel.isa == work.isa]
    guesses = candidates(usable)
    return Ways(tuple(dict.fromkeys([*guesses, *space_of(usable)])), len(guesses))


def searched(trials: Trials, ways: Ways, seconds: float, clock: Callable[[], float]) -> Found[Candidate]:
    """Search for so many seconds; guesses are tried in any case."""
    return Search(
        ways.all, alike(ways.all), range(ways.guesses), simplicity,
        lambda variant, length: trials.rate(variant, length * TRIAL_S), clock,
    ).run(seconds)  # fmt: skip


def checked(trials: Trials, kept: Candidate, default: Candidate, gain: float) -> tuple[Trial, ...] | None:
    """Return the trials of a kept variant and of the default; None where the kept one must be searched again.

    gain: how many times as fast as the default it was.
    """
    rates: dict[Candidate, list[float]] = {kept: [], default: []}
    for turn in range(CHECKS if kept != default else 0):
        for one in (kept, default) if turn % 2 == 0 else (default, kept):
            if rate := trials.rate(one, CHECK_S):
                rates[one].append(rate)
    pairs = [math.log(a / b) for a, b in zip(rates[kept], rates[default], strict=False)]
    if kept != default and (len(pairs) < 2 or is_slower(pairs, max(0.0, math.log(gain) - LOST))):
        return None
    return trials.told([(one, median(own) if own else None) for one, own in rates.items()])


def is_slower(pairs: Sequence[float], expected: float) -> bool:
    """Return whether logarithms of ratios are below the expected one beyond doubt."""
    return median(pairs) + DOUBT * stdev(pairs) / math.sqrt(len(pairs)) < expected
