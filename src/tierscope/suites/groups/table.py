"""The user's own experiments: one row per group, at the instants at which all groups of its experiment worked.

    bandwidth = median rate * program bytes per operation     [bytes/s]
    latency   = 1 / (median rate / threads)                   [s], only where an operation is a dependent access

Blind to who slows whom: compare with experiments of one group alone.
"""

from typing import Annotated, ClassVar

from tierscope.record.result import Record, Run
from tierscope.tables import Insight, JudgedRow, Main, tables
from tierscope.tables.measured import closing, measured, page_bytes, records
from tierscope.tables.rows import Bandwidth, Col, Count, PerS, Size, Time


class GroupsRow(JudgedRow, frozen=True, kw_only=True):
    """A group of an experiment."""

    experiment: Annotated[Count, Col("experiment", help="its number in the file, from 0")]
    group: Annotated[Count, Col("group", help="its number in the experiment, from 0")]
    role: Annotated[str, Col("role", help="as the file names it")]
    kernel: Annotated[str, Col("kernel", help="its name in the catalogue")]
    threads: Annotated[Count, Col("threads", help="one on each CPU")]
    target: Annotated[str, Col("target", help="as `node:0`", tier=True)]
    footprint_bytes: Annotated[Size, Col("footprint", help="all arrays together")]
    page_bytes: Annotated[Size | None, Col("pages", help="page size of most of the bytes, as verified")]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="median, program bytes")]
    operations_per_s: Annotated[PerS | None, Col("operations", help="median, lines of each array, hops, or calls")]
    latency: Annotated[
        Time | None,
        Col("latency", help="median time of one access of one thread; null unless the kernel is `chase` or `probe`"),
    ]


class Groups:
    """One row for each group of each experiment of a [file of groups](../how-to/own-groups.md)."""

    name: ClassVar[str] = "groups"
    title: ClassVar[str] = "Groups"
    place: ClassVar[int] = 90
    keys: ClassVar[tuple[str, ...]] = ("experiment", "group", "kernel", "threads", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"),)
    row: ClassVar[type[GroupsRow]] = GroupsRow

    def rows(self, run: Run) -> list[GroupsRow]:
        return [_row(run, record, number) for record in records(run, self.name) for number in range(len(record.groups))]

    def insights(self, run: Run, rows: list[GroupsRow]) -> list[Insight]:
        """None: what the user's groups are meant to show is known to the user."""
        del run, rows
        return []


def _row(run: Run, record: Record, group: int) -> GroupsRow:
    point, facts = measured(run, record), record.groups[group]
    rate, threads = point.groups[group].interval, len(facts.cpus)
    return GroupsRow(
        experiment=record.number,
        group=group,
        role=record.experiment.groups[group].role,
        kernel=facts.kernel,
        threads=threads,
        target=facts.target,
        footprint_bytes=facts.footprint_bytes,
        page_bytes=page_bytes(facts),
        bandwidth=rate.times(facts.program_bytes_per_operation),
        operations_per_s=rate.middle,
        latency=rate.times(1 / threads).inverse() if facts.operation == "hop" else None,
        **closing(record, point),
    )


tables.add(Groups())
