"""Two targets over thread counts, and their ratio b / a: how much slower is the other tier, with how many threads?

Each number of threads was measured on a and then on b, so that the two are minutes apart at most. The interval of the
ratio is that of `stats.compare`.
Blind to what a second tier costs when both are used at once: that is the table `contention`.
Source: document 000, its table of STREAM copy on DRAM and NVDIMM (5.0 of 11.7 GB/s with one thread).
"""

from typing import Annotated, ClassVar

from tierscope.record.origin import strongest
from tierscope.record.result import Record, Run
from tierscope.stats.compare import compare
from tierscope.stats.median import Interval
from tierscope.suites.contention.table import stand_in
from tierscope.tables import Flat, Insight, JudgedRow, Main, tables
from tierscope.tables.measured import bounds, closing_flat, measured, number, records, sure_rows_flat, whole
from tierscope.tables.rows import Bandwidth, Col, Count, Quotient, Size


class TargetsRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `targets`."""

    threads: Annotated[Count, Col("threads", help="one on each CPU")]
    a_target: Annotated[str, Col("a", help="as `node:0`", tier=True)]
    b_target: Annotated[str, Col("b", help="as `file:/dev/shm/x`", tier=True)]
    a_bandwidth: Annotated[Bandwidth | None, Col("bandwidth of a", help="median program bytes within a")]
    b_bandwidth: Annotated[Bandwidth | None, Col("bandwidth of b", help="median program bytes within b")]
    ratio: Annotated[Quotient | None, Col("b / a", help="b / a")]
    stand_in: Annotated[bool, Col("b stands in", help="as for `contention`")]
    kernel: Annotated[str, Col("kernel", help="its name in the catalogue")]
    footprint_bytes: Annotated[Size, Col("footprint", help="both arrays")]


class Targets:
    """One row for each number of threads that was measured on a alone and on b alone."""

    name: ClassVar[str] = "targets"
    title: ClassVar[str] = "Two targets alone"
    place: ClassVar[int] = 60
    keys: ClassVar[tuple[str, ...]] = ("threads", "kernel", "a_target", "b_target")
    main: ClassVar[tuple[Main, ...]] = (Main("b_bandwidth_bytes_per_s"),)
    row: ClassVar[type[TargetsRow]] = TargetsRow
    says: ClassVar[dict[str, str]] = {
        "target_ratio THREADS": "b / a with the fewest and with the most threads",
    }

    def rows(self, run: Run) -> list[Flat]:
        found: dict[object, dict[object, Record]] = {}
        for record in records(run, self.name):
            labels = record.experiment.labels
            found.setdefault(labels["threads"], {})[labels["side"]] = record
        return [_row(run, sides["a"], sides["b"]) for sides in found.values() if {"a", "b"} <= sides.keys()]

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        del run
        known = sorted(sure_rows_flat(rows, "ratio", ""), key=lambda pair: whole(pair[0], "threads"))
        ends = {whole(row, "threads"): (row, ratio) for row, ratio in (*known[:1], *known[-1:])}
        return [_ratio(threads, *end) for threads, end in ends.items()]


def _row(run: Run, a: Record, b: Record) -> Flat:
    first, second = _bandwidth(run, a), _bandwidth(run, b)
    ratio = compare(first, second)
    one, other = closing_flat(a, measured(run, a)), closing_flat(b, measured(run, b))
    reasons = [f"{side}: {row['reasons']}" for side, row in (("a", one), ("b", other)) if row["reasons"]]
    return {
        "threads": len(a.groups[0].cpus),
        "a_target": a.groups[0].target,
        "b_target": b.groups[0].target,
        **bounds("a_bandwidth", "bytes_per_s", first),
        **bounds("b_bandwidth", "bytes_per_s", second),
        "ratio": number(ratio.middle),
        "ratio_low": number(ratio.low),
        "ratio_high": number(ratio.high),
        "stand_in": bool(a.experiment.labels.get("stand_in")),
        "kernel": a.groups[0].kernel,
        "footprint_bytes": a.groups[0].footprint_bytes,
        "conclusive": not reasons,
        "reasons": "; ".join(reasons),
        "blocks": a.blocks + b.blocks,
        "left_out_share": max(float(one["left_out_share"] or 0), float(other["left_out_share"] or 0)),
        "origin": strongest((str(one["origin"]), str(other["origin"]))),
    }


def _bandwidth(run: Run, record: Record) -> Interval:
    return measured(run, record).groups[0].interval.times(record.groups[0].program_bytes_per_operation)


def _ratio(threads: int, row: Flat, ratio: Interval) -> Insight:
    team = "1 thread" if threads == 1 else f"{threads} threads"
    low, middle, high = ratio.low, ratio.middle, ratio.high
    return Insight(
        name=f"target_ratio {threads}",
        text=f"With {team}, {row['b_target']} copies at {100 * middle:.1f} % ({100 * low:.1f} to {100 * high:.1f}) "
        f"of the rate of {row['a_target']}{stand_in(row)}",
        value=middle,
        low=low,
        high=high,
        unit="1",
    )


tables.add(Targets())
