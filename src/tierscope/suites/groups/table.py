"""The user's own experiments: one row per group, at the instants at which all groups of its experiment worked.

    bandwidth = median rate * program bytes per operation     [bytes/s]
    latency   = 1 / (median rate / threads)                   [s], only where an operation is a dependent access

Blind to who slows whom: compare with experiments of one group alone.
"""

from typing import ClassVar

from tierscope.record.result import Record, Run
from tierscope.tables import Column, Flat, Insight, Main, tables
from tierscope.tables.measured import CLOSING, bounds, closing_flat, measured, number, page_bytes, records


class Groups:
    """One row for each group of each experiment of a [file of groups](../how-to/own-groups.md)."""

    name: ClassVar[str] = "groups"
    title: ClassVar[str] = "Groups"
    place: ClassVar[int] = 90
    keys: ClassVar[tuple[str, ...]] = ("experiment", "group", "kernel", "threads", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"),)
    columns: ClassVar[tuple[Column, ...]] = (
        Column("experiment", "experiment", "1", help="its number in the file, from 0"),
        Column("group", "group", "1", help="its number in the experiment, from 0"),
        Column("role", "role", "", help="as the file names it"),
        Column("kernel", "kernel", "", help="its name in the catalogue"),
        Column("threads", "threads", "1", help="one on each CPU"),
        Column("target", "target", "", tier=True, help="as `node:0`"),
        Column("footprint_bytes", "footprint", "B", help="all arrays together"),
        Column("page_bytes", "pages", "B", help="page size of most of the bytes, as verified"),
        Column("bandwidth_bytes_per_s", "bandwidth", "B/s", help="median, program bytes"),
        Column("bandwidth_low", "low", "B/s"),
        Column("bandwidth_high", "high", "B/s"),
        Column("operations_per_s", "operations", "1/s", help="median, lines of each array, hops, or calls"),
        Column(
            "latency_s",
            "latency",
            "s",
            help="median time of one access of one thread; null unless the kernel is `chase` or `probe`",
        ),
        Column("latency_low", "low", "s"),
        Column("latency_high", "high", "s"),
        *CLOSING,
    )

    def rows(self, run: Run) -> list[Flat]:
        return [_row(run, record, number) for record in records(run, self.name) for number in range(len(record.groups))]

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        """None: what the user's groups are meant to show is known to the user."""
        del run, rows
        return []


def _row(run: Run, record: Record, group: int) -> Flat:
    point, facts = measured(run, record), record.groups[group]
    rate, threads = point.groups[group].interval, len(facts.cpus)
    hops = bounds("latency", "s", rate.times(1 / threads).inverse())
    return {
        "experiment": record.number,
        "group": group,
        "role": record.experiment.groups[group].role,
        "kernel": facts.kernel,
        "threads": threads,
        "target": facts.target,
        "footprint_bytes": facts.footprint_bytes,
        "page_bytes": page_bytes(facts),
        **bounds("bandwidth", "bytes_per_s", rate.times(facts.program_bytes_per_operation)),
        "operations_per_s": number(rate.middle),
        **(hops if facts.operation == "hop" else dict.fromkeys(hops)),
        **closing_flat(record, point),
    }


tables.add(Groups())
