"""Runs over time: the main number of each point in the order of the starts, and where it changed.

All points are searched together, so the chance of each change includes them all (Bonferroni). At most one in twenty
histories without any change shows one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tierscope.compare.condition import Changed, differing, known
from tierscope.compare.footprints import comparable
from tierscope.compare.measures import measures
from tierscope.compare.number import Number
from tierscope.compare.points import named, points
from tierscope.errors import UsageError
from tierscope.record.glance import Seen
from tierscope.record.result import Finding
from tierscope.sound import reads
from tierscope.stats.changes import LEAST, Change, changes


@dataclass(frozen=True, slots=True)
class Series:
    """One point over the runs that have it."""

    table: str
    point: str
    unit: str
    less_is_better: bool
    runs: tuple[int, ...]  # indices of the runs, in order
    numbers: tuple[Number, ...]
    changes: tuple[Change, ...]  # places are indices into `runs`
    left_out: int = 0  # inconclusive numbers
    alike: bool = True  # else footprints differ, and the smallest may be in a cache

    @property
    def judged(self) -> bool:
        """Return whether its runs are enough for a change to show."""
        return self.alike and len(self.runs) >= 2 * LEAST

    def worse(self, change: Change) -> bool:
        """Return whether the change is for the worse: more of what is better where there is less of it, else less."""
        return (change.ratio > 1) == self.less_is_better


@dataclass(frozen=True, slots=True)
class History:
    """Return `runs` and their names by start."""

    runs: tuple[Seen, ...]
    names: tuple[str, ...]
    series: tuple[Series, ...]
    machines: int  # different ones, by their digest
    settings: tuple[tuple[int, tuple[Changed, ...]], ...] = ()  # run, and those that it has unlike the one before it

    @property
    def long_enough(self) -> bool:
        return any(one.judged for one in self.series)


@reads("the history")
def history(runs: Sequence[Seen], least: float) -> History:
    """Return the history of the runs; raise UsageError for several origins, and where no point is in two runs."""
    ordered = tuple(sorted(runs, key=lambda run: (run.result.started, str(run.path))))
    origins = sorted({run.result.origin for run in ordered})
    if len(origins) > 1:
        raise UsageError(
            f"the runs are {' and '.join(origins)}: their numbers are not comparable; name those of one origin"
        )
    found = {
        (table, point): numbers
        for table, rows in points(ordered).items()
        for point, numbers in rows.items()
        if len(numbers) > 1
    }
    if not found:
        raise UsageError("no point is in two of these runs: a history needs runs of the same suite and options")
    tests = sum(len(numbers) >= 2 * LEAST for numbers in found.values())
    series = tuple(_series(key, numbers, tests, least, ordered) for key, numbers in found.items())
    digests = {run.result.machine.identity.digest() for run in ordered}
    settings = tuple(_settings(ordered)) if origins == ["real"] and len(digests) == 1 else ()
    return History(ordered, tuple(named(ordered)), series, len(digests), settings)


def _settings(runs: Sequence[Seen]) -> Iterator[tuple[int, tuple[Changed, ...]]]:
    """Yield each run with settings that differ from those of the last run that knew them."""
    last: dict[str, Finding] = {}
    for number, run in enumerate(runs):
        now = known(run)
        if found := differing(last, now):
            yield number, found
        last |= now


def _series(key: tuple[str, str], numbers: dict[int, Number], tests: int, least: float, runs: Sequence[Seen]) -> Series:
    """Return the series without inconclusive numbers, unless all are; without changes where footprints are unlike.

    Numbers of a machine that drifts remain: the scatter from run to run is what changes are compared with.
    """
    sure = {index: number for index, number in numbers.items() if number.conclusive or number.drifts} or numbers
    indices = tuple(sorted(sure))
    values = np.array([sure[index].value for index in indices])
    alike = comparable((sure[index].footprint for index in indices), [runs[index] for index in indices])
    steps = changes(values, tests=max(tests, 1), least=least) if alike else ()
    left_out = len(numbers) - len(sure)
    measure = measures()[key[0]]
    return Series(
        *key,
        measure.unit,
        measure.main.less_is_better,
        indices,
        tuple(sure[index] for index in indices),
        steps,
        left_out,
        alike,
    )
