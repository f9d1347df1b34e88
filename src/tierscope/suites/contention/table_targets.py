"""Two targets over thread counts, and their ratio b / a: how much slower is the other tier, with how many threads?

Each number of threads was measured on a and then on b, so the two are minutes apart at most. The interval of the ratio
is that of `stats.compare`.
Blind to what a second tier costs if both are used at the same time: the table `contention` shows that.
Source: document 000, its table of STREAM copy on DRAM and NVDIMM (5.0 of 11.7 GB/s with one thread).
"""

from typing import Annotated, ClassVar

from tierscope.record.origin import strongest
from tierscope.record.result import Record, Run
from tierscope.stats.median import Interval
from tierscope.suites.contention.labels import SideLabels
from tierscope.suites.contention.slowed import STAND_IN
from tierscope.tables import Asked, Insight, JudgedRow, Main, tables
from tierscope.tables.measured import closing, measured, quotient, records, sure_rows
from tierscope.tables.rows import Bandwidth, Col, Quotient, Size
from tierscope.tables.usual import Threads


class TargetsRow(JudgedRow, frozen=True, kw_only=True):
    """Two targets at one number of threads, each measured alone."""

    threads: Threads
    a_target: Annotated[str, Col("a", help="such as `node:0`", tier=True)]
    b_target: Annotated[str, Col("b", help="such as `file:/dev/shm/x`", tier=True)]
    a_bandwidth: Annotated[Bandwidth | None, Col("bandwidth of a", help="median program bytes within a")]
    b_bandwidth: Annotated[Bandwidth | None, Col("bandwidth of b", help="median program bytes within b")]
    ratio: Annotated[Quotient | None, Col("b / a", help="b / a")]
    stand_in: Annotated[bool, Col("b is a replacement", help="as for `contention`")]
    kernel: Annotated[str, Col("kernel", help="its name in the catalogue")]
    footprint_bytes: Annotated[Size, Col("footprint", help="both arrays")]


class Targets:
    """One row for each number of threads that was measured on a alone and on b alone."""

    name: ClassVar[str] = "targets"
    title: ClassVar[str] = "Two targets alone"
    asked: ClassVar[Asked] = Asked(
        question="How far is one memory behind the other?",
        answers=("target_ratio",),
        keys={"target_ratio": "b over a, {} threads"},
    )
    place: ClassVar[int] = 60
    keys: ClassVar[tuple[str, ...]] = ("threads", "kernel", "a_target", "b_target")
    main: ClassVar[tuple[Main, ...]] = (Main("b_bandwidth_bytes_per_s"),)
    row: ClassVar[type[TargetsRow]] = TargetsRow
    says: ClassVar[dict[str, str]] = {
        "target_ratio THREADS": "b / a with the fewest and with the most threads",
    }

    def rows(self, run: Run) -> list[TargetsRow]:
        found: dict[int, dict[str, Record]] = {}
        for record in records(run, self.name):
            labels = SideLabels.read(record.experiment)
            found.setdefault(labels.threads, {})[labels.side] = record
        return [_row(run, sides["a"], sides["b"]) for sides in found.values() if {"a", "b"} <= sides.keys()]

    def insights(self, run: Run, rows: list[TargetsRow]) -> list[Insight]:
        del run
        known = sorted(sure_rows(rows, lambda row: row.ratio), key=lambda pair: pair[0].threads)
        ends = {row.threads: (row, ratio) for row, ratio in (*known[:1], *known[-1:])}
        return [_ratio(*end) for end in ends.values()]


def _row(run: Run, a: Record, b: Record) -> TargetsRow:
    first, second = _bandwidth(run, a), _bandwidth(run, b)
    one, other = closing(a, measured(run, a)), closing(b, measured(run, b))
    joined = (("a", "; ".join(one["reasons"])), ("b", "; ".join(other["reasons"])))
    reasons = tuple(f"{side}: {why}" for side, why in joined if why)
    return TargetsRow(
        threads=len(a.groups[0].cpus),
        a_target=a.groups[0].target,
        b_target=b.groups[0].target,
        a_bandwidth=first,
        b_bandwidth=second,
        ratio=quotient(first, second),
        stand_in=SideLabels.read(a.experiment).stand_in,
        kernel=a.groups[0].kernel,
        footprint_bytes=a.groups[0].footprint_bytes,
        conclusive=not reasons,
        reasons=reasons,
        blocks=one["blocks"] + other["blocks"],
        left_out_share=max(one["left_out_share"], other["left_out_share"]),
        origin=strongest((one["origin"], other["origin"])),
    )


def _bandwidth(run: Run, record: Record) -> Interval:
    return measured(run, record).groups[0].interval.times(record.groups[0].program_bytes_per_operation)


def _ratio(row: TargetsRow, ratio: Interval) -> Insight:
    team = "1 thread" if row.threads == 1 else f"{row.threads} threads"
    low, middle, high = ratio.low, ratio.middle, ratio.high
    return Insight(
        name=f"target_ratio {row.threads}",
        text=f"With {team}, {row.b_target} copies at {100 * middle:.1f} % ({100 * low:.1f} to {100 * high:.1f}) "
        f"of the rate of {row.a_target}{STAND_IN if row.stand_in else ''}",
        value=middle,
        low=low,
        high=high,
        unit="1",
    )


tables.add(Targets())
