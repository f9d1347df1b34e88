"""The user's own experiments: one row per group, at the instants at which all groups of its experiment worked.

    bandwidth = median rate * program bytes per operation     [bytes/s]
    latency   = 1 / (median rate / threads)                   [s], only where an operation is a dependent access, or
                                                              a chain of them

Blind to who slows whom: compare with experiments of one group alone.
"""

from typing import ClassVar

from tierscope.record.result import GroupFacts, Record, Run
from tierscope.record.work.chain import USUAL, ChainWork
from tierscope.suites.groups.findings import said
from tierscope.suites.groups.labels import GroupsLabels
from tierscope.suites.groups.row import GroupsRow
from tierscope.tables import Asked, Insight, Main, OverTime, tables
from tierscope.tables.measured import closing, measured, page_bytes, records


class Groups:
    """One row for each group of each experiment of a [file of groups](../how-to/own-groups.md)."""

    name: ClassVar[str] = "groups"
    title: ClassVar[str] = "Groups"
    asked: ClassVar[Asked] = Asked(
        question="What do groups cost each other?",
        answers=("group_ratio",),
        keys={"group_ratio": "over the first, group"},
    )
    place: ClassVar[int] = 90
    over_time: ClassVar[OverTime] = OverTime.FIRST
    keys: ClassVar[tuple[str, ...]] = ("experiment", "group", "kernel", "chain", "threads", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"),)
    row: ClassVar[type[GroupsRow]] = GroupsRow
    says: ClassVar[dict[str, str]] = {
        "group_ratio GROUP": "bandwidth of a group, or latency of a chase, over that in the first experiment that has "
        "the same group",
    }

    def rows(self, run: Run) -> list[GroupsRow]:
        return [_row(run, record, number) for record in records(run, self.name) for number in range(len(record.groups))]

    def insights(self, run: Run, rows: list[GroupsRow]) -> list[Insight]:
        own = records(run, self.name)
        asked = [group for record in own for group in record.experiment.groups]
        return said(rows, asked, {one.number: GroupsLabels.read(one.experiment).label for one in own})


WAITING = ("hop", "chain")
"""Operations that begin when the one before is complete."""


def _row(run: Run, record: Record, group: int) -> GroupsRow:
    point, facts = measured(run, record), record.groups[group]
    rate, threads = point.groups[group].interval, len(facts.cpus)
    work, source_bytes = record.experiment.groups[group].workload.work, _source_bytes(facts)
    return GroupsRow(
        experiment=record.number,
        group=group,
        label=GroupsLabels.read(record.experiment).label,
        role=record.experiment.groups[group].role,
        kernel=facts.kernel,
        chain=work.chain or USUAL if isinstance(work, ChainWork) else "",
        threads=threads,
        target=facts.target,
        source=facts.source,
        footprint_bytes=facts.footprint_bytes,
        page_bytes=page_bytes(facts),
        bandwidth=rate.times(facts.program_bytes_per_operation),
        source_bandwidth=None if source_bytes is None else rate.times(source_bytes),
        operations_per_s=rate.middle,
        operation_bytes=round(facts.program_bytes_per_operation),
        source_bytes=source_bytes,
        latency=rate.times(1 / threads).inverse() if facts.operation in WAITING else None,
        **closing(record, point),
    )


def _source_bytes(facts: GroupFacts) -> int | None:
    share = facts.source_bytes_per_operation
    return round(share) if facts.source and share is not None else None


tables.add(Groups())
