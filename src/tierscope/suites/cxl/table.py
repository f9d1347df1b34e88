"""Bandwidth of pages that alternate between DRAM and a slower memory.

    far_share = far_pages / (near_pages + far_pages)
    over_near = bandwidth / bandwidth of near alone      (interval as in `stats.compare`)

Both memories serve their shares of the lines at the same time. With bandwidths n and f of each alone, no ratio exceeds
n + f, and a ratio of n : f reaches it if there is no other limit. Blind to limits of the CPUs, which are the same for
every ratio.
"""

from typing import ClassVar

from msgspec.structs import replace

from tierscope.record.experiment import Target
from tierscope.record.result import Record, Run
from tierscope.suites.cxl.findings import said
from tierscope.suites.cxl.labels import PagesLabels
from tierscope.suites.cxl.row import InterleaveRow
from tierscope.tables import Audited, Insight, Main, tables
from tierscope.tables.in_cache import small_arrays
from tierscope.tables.measured import Closing, closing, measured, page_bytes, quotient, records


class Interleave:
    """One row for each ratio of pages."""

    name: ClassVar[str] = "page_ratio"
    title: ClassVar[str] = "Pages interleaved between DRAM and far memory"
    place: ClassVar[int] = 32
    audited: ClassVar[Audited] = Audited()
    keys: ClassVar[tuple[str, ...]] = ("near", "far", "near_pages", "far_pages", "kernel")
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"),)
    row: ClassVar[type[InterleaveRow]] = InterleaveRow
    says: ClassVar[dict[str, str]] = {
        "best_ratio": "the highest bandwidth of pages on both over that of near alone, if it is shown",
        "no_gain": "the same where no ratio is shown to be faster than near alone",
    }

    def rows(self, run: Run) -> list[InterleaveRow]:
        rows = [_row(run, record) for record in records(run, self.name)]
        return [_beside(row, rows) for row in rows]

    def insights(self, run: Run, rows: list[InterleaveRow]) -> list[Insight]:
        del run
        return said(rows)


def _row(run: Run, record: Record) -> InterleaveRow:
    found, facts, labels = measured(run, record), record.groups[0], PagesLabels.read(record.experiment)
    near, far = labels.near_pages, labels.far_pages
    total = sum(facts.nodes.values())
    node = Target.parse(labels.far).node
    return InterleaveRow(
        near=labels.near,
        far=labels.far,
        near_pages=near,
        far_pages=far,
        far_share=far / (near + far),
        found_far_share=min(facts.nodes.get(node, 0) / total, 1.0) if total and node else None,
        bandwidth=found.groups[0].interval.times(facts.program_bytes_per_operation),
        over_near=None,
        kernel=facts.kernel,
        threads=len(facts.cpus),
        footprint_bytes=facts.footprint_bytes,
        page_bytes=page_bytes(facts),
        **_believed(run, record),
    )


def _believed(run: Run, record: Record) -> Closing:
    """Return the verdict; inconclusive if arrays fit in the last cache: no page of them is read from a memory."""
    found, fits = closing(record, measured(run, record)), small_arrays(run, record)
    return {**found, "conclusive": False, "reasons": (*found["reasons"], *fits)} if fits else found


def _beside(row: InterleaveRow, rows: list[InterleaveRow]) -> InterleaveRow:
    alone = next((one for one in rows if not one.far_pages and one.kernel == row.kernel), None)
    if alone is None or alone is row or not alone.bandwidth or not row.bandwidth or alone.bandwidth.middle <= 0:
        return row
    return replace(row, over_near=quotient(alone.bandwidth, row.bandwidth))


tables.add(Interleave())
