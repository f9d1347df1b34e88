"""The measurer of a plan with experiments of memory and of storage: the core for the first, fio for the second."""

from collections.abc import Callable, Sequence

from tierscope.record.counting import Counting, Counts
from tierscope.record.experiment import Group
from tierscope.record.program import Bins, Program
from tierscope.record.result import Blocks, Clock, GroupFacts
from tierscope.record.timing import Timing
from tierscope.record.work.job import JobWork
from tierscope.run.measurer import Measurer


def is_job(groups: Sequence[Group]) -> bool:
    """Return whether another program does the work of these groups."""
    return any(isinstance(group.workload.work, JobWork) for group in groups)


class Both:
    """A `Measurer` that begins the core and fio when the first experiment needs them, and asks the one that has it.

    The core releases its memory before fio runs. `clock` is the clock of the one that has the groups.
    """

    clock: Clock

    def __init__(self, core: Callable[[], Measurer], jobs: Callable[[], Measurer]) -> None:
        self._begin = {False: core, True: jobs}
        self._known: dict[bool, Measurer] = {}
        self._now: Measurer | None = None

    def _current(self) -> Measurer:
        assert self._now is not None, "prepare comes first"
        return self._now

    def prepare(self, groups: Sequence[Group]) -> tuple[GroupFacts, ...]:
        """Bring the groups into being where they belong."""
        kind = is_job(groups)
        if kind and False in self._known and self._now is self._known[False]:
            self._now.drop()
        if kind not in self._known:
            self._known[kind] = self._begin[kind]()
        self._now = self._known[kind]
        self.clock = self._now.clock
        return self._now.prepare(groups)

    def set(self, number: int, group: Group) -> GroupFacts:
        """Set another loop variant for an existing group."""
        return self._current().set(number, group)

    def measure(self, seconds: float, block_s: float, groups: Sequence[int] = ()) -> Blocks:
        """Return one batch."""
        return self._current().measure(seconds, block_s, groups)

    def count(self, events: str) -> Counting:
        """Count performance events from now on."""
        return self._current().count(events)

    def counts(self) -> tuple[Counts, ...]:
        """Return what they counted since."""
        return self._current().counts()

    def machine_counts(self) -> Counts:
        """Return what events of the whole machine counted since."""
        return self._current().machine_counts()

    def check(self) -> tuple[float, tuple[str, ...], dict[str, int]]:
        """Return the largest relative error, a detail for each group, and counters."""
        return self._current().check()

    def timings(self) -> tuple[tuple[Timing, ...], ...]:
        """Return what operations on a structure took."""
        return self._current().timings()

    def drop(self) -> None:
        """Release memory and threads."""
        self._current().drop()

    def told(self) -> tuple[Program, Bins] | None:
        """Return what a program also reported; None for the core."""
        return self._current().told()

    def close(self) -> None:
        """End both immediately."""
        for one in self._known.values():
            one.close()
        self._known, self._now = {}, None
