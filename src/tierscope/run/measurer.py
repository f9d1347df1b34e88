"""The interface through which the loop measures: the native core, or a program that measures by itself."""

from collections.abc import Sequence
from typing import Protocol

from tierscope.record.counting import Counting, Counts
from tierscope.record.experiment import Group
from tierscope.record.program import Bins, Program
from tierscope.record.result import Blocks, Clock, GroupFacts
from tierscope.record.timing import Timing


class Measurer(Protocol):
    """The steps of a measurement.

    The order: prepare, count, measure as often as wanted, timings, check, counts, drop, `told`. Call counts also
    between batches, and close at any time.
    """

    clock: Clock

    def prepare(self, groups: Sequence[Group]) -> tuple[GroupFacts, ...]:
        """Create the groups, and return their facts; what was there before may be kept."""

    def set(self, number: int, group: Group) -> GroupFacts:
        """Set another loop variant for an existing group."""

    def measure(self, seconds: float, block_s: float, groups: Sequence[int] = ()) -> Blocks:
        """Return one batch; shape (blocks,), dtype BLOCK."""

    def count(self, events: str) -> Counting:
        """Count performance events in the timed blocks from now on, by perf's names; UsageError for an unknown one."""

    def counts(self) -> tuple[Counts, ...]:
        """Return what they counted since, of each group."""

    def machine_counts(self) -> Counts:
        """Return what events of the whole machine counted since; its blocks are batches."""

    def check(self) -> tuple[float, tuple[str, ...], dict[str, int]]:
        """Return the largest relative error, a detail for each group, counters."""

    def timings(self) -> tuple[tuple[Timing, ...], ...]:
        """Return the times of operations on a structure, for each group and batch; () for other groups."""

    def drop(self) -> None:
        """Give memory and threads back, and what belongs to the user as it was found."""

    def told(self) -> tuple[Program, Bins] | None:
        """Return the program's own report on the batches since `prepare`; None where there is none."""

    def close(self) -> None:
        """End immediately; more than once does no harm."""
