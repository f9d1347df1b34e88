"""The curves behind `policy`: bandwidth over stride, stalls over the place that is written, time over fresh regions.

    ratio    = lines/s at the stride / lines/s of the control nearest to it          [1]
    together = median time until all reads that start together are back               [s]
    period   = mean number of writes between two stalls in step                      [1]
    fitted   = what the layout or the queue that was found gives                     [as measured]

Source and inference: `suites.policy.table`.
"""

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from tierscope.record.result import Run
from tierscope.tables import Insight, JudgedRow, Main, tables
from tierscope.tables.policy_found import COMBINING, INTERLEAVE, MIGRATION, PAIRS, Found, found
from tierscope.tables.policy_rows import CombiningRow, InterleaveRow, MigrationRow, PairsRow

R = TypeVar("R", bound=JudgedRow)


class _Curve:
    """A table whose findings `policy` reports."""

    def insights(self, run: Run, rows: list[Any]) -> list[Insight]:
        del run, rows
        return []


def _of_all(run: Run, part: Callable[[Found], list[R]]) -> list[R]:
    """Return the rows of all targets, one part of what was found."""
    return [row for one in found(run).values() for row in part(one)]


class Strides(_Curve):
    """One row for each stride of `run policy`; those of the controls are last."""

    name: ClassVar[str] = INTERLEAVE
    title: ClassVar[str] = "Scattered lines over the stride between them"
    keys: ClassVar[tuple[str, ...]] = ("stride_bytes", "control", "threads", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"),)
    row: ClassVar[type[InterleaveRow]] = InterleaveRow

    def rows(self, run: Run) -> list[InterleaveRow]:
        return _of_all(run, lambda one: [*one.strides, *one.controls])


class Together(_Curve):
    """One row for each number of reads that start together, in memory and in a cache; by `run policy`."""

    name: ClassVar[str] = PAIRS
    title: ClassVar[str] = "Reads that start together"
    keys: ClassVar[tuple[str, ...]] = ("reads", "near", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("together_s", less_is_better=True),)
    row: ClassVar[type[PairsRow]] = PairsRow

    def rows(self, run: Run) -> list[PairsRow]:
        return _of_all(run, lambda one: one.read)


class Places(_Curve):
    """One row for each size of a place that `run policy` overwrote, 256 B at a time."""

    name: ClassVar[str] = MIGRATION
    title: ClassVar[str] = "Stalls of single writes to one place"
    keys: ClassVar[tuple[str, ...]] = ("region_bytes", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("stall_s", less_is_better=True),)
    row: ClassVar[type[MigrationRow]] = MigrationRow

    def rows(self, run: Run) -> list[MigrationRow]:
        return _of_all(run, lambda one: one.places)


class Regions(_Curve):
    """One row for each size of fresh regions that `run policy` stored."""

    name: ClassVar[str] = COMBINING
    title: ClassVar[str] = "Lines stored in fresh regions"
    keys: ClassVar[tuple[str, ...]] = ("region_bytes", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("line_s", less_is_better=True),)
    row: ClassVar[type[CombiningRow]] = CombiningRow

    def rows(self, run: Run) -> list[CombiningRow]:
        return _of_all(run, lambda one: one.regions)


for table in (Strides(), Together(), Places(), Regions()):
    tables.add(table)
