"""Stride: bandwidth of accesses that are a stride apart.

    bandwidth = median rate * bytes touched at each access     [bytes/s], of all threads
    lines     = median rate * lines of the caches that an access touches     [1/s]
    share     = bandwidth / best of the same operation, store, order and threads    [1]

Bytes between two accesses are left out, though memory may move them. A row whose lines may stay in the caches is
inconclusive. Sentences: `suites.stride.findings`.
"""

from typing import ClassVar

from msgspec.structs import replace

from tierscope.record.result import Record, Run
from tierscope.suites.stride.findings import sentences
from tierscope.suites.stride.labels import StrideLabels
from tierscope.suites.stride.row import StrideRow
from tierscope.tables import Asked, Insight, Main, tables
from tierscope.tables.measured import closing, measured, page_bytes, records
from tierscope.units import show_bytes


class Stride:
    """One row for each operation, kind of store, order, number of threads, access size and stride."""

    name: ClassVar[str] = "stride"
    title: ClassVar[str] = "Strided accesses"
    asked: ClassVar[Asked] = Asked(
        question="How large should accesses be?",
        answers=("stride_access", "stride_unit"),
        keys={"stride_access": "access size for 90 % of the bandwidth", "stride_unit": "unit that an access moves"},
    )
    keys: ClassVar[tuple[str, ...]] = ("op", "store", "order", "threads", "access_bytes", "stride_bytes", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"),)
    row: ClassVar[type[StrideRow]] = StrideRow
    says: ClassVar[dict[str, str]] = {
        "stride_unit WAY": "stride from which on an access of the smallest size costs a whole unit; null "
        "where no unit shows",
        "stride_access WAY": "access size that has 90 % of the best bandwidth at the widest stride; low is "
        "the largest that has less, null where none has it",
    }

    def rows(self, run: Run) -> list[StrideRow]:
        rows = [_row(run, record) for record in records(run, self.name)]
        best: dict[tuple[object, ...], float] = {}
        for row in rows:
            if not row.cached:
                best[row.kind] = max(best.get(row.kind, 0.0), _rate(row))
        return [row if row.cached else _beside(row, best[row.kind]) for row in rows]

    def insights(self, run: Run, rows: list[StrideRow]) -> list[Insight]:
        return sentences(rows, run.result.machine.line_bytes())


def _rate(row: StrideRow) -> float:
    return row.bandwidth.middle if row.bandwidth else 0.0


def _beside(row: StrideRow, best: float) -> StrideRow:
    return replace(row, best_share=_rate(row) / best) if best else row


def _row(run: Run, record: Record) -> StrideRow:
    facts, labels, point = record.groups[0], StrideLabels.read(record.experiment), measured(run, record)
    access, touched = labels.access_bytes, labels.touched_bytes
    rate = point.groups[0].interval.times(access)
    row = StrideRow(
        op=labels.op,
        store=labels.store,
        order=labels.order,
        threads=labels.threads,
        access_bytes=access,
        stride_bytes=labels.stride_bytes,
        bandwidth=rate,
        lines=rate.times(max(access / run.result.machine.line_bytes(), 1) / access),
        best_share=None,
        target=facts.target,
        touched_bytes=touched,
        cached=labels.cached,
        footprint_bytes=facts.footprint_bytes,
        page_bytes=page_bytes(facts),
        **closing(record, point),
    )
    if not row.cached:
        return row
    return replace(
        row, conclusive=False, reasons=(f"{show_bytes(touched)} of lines may stay in the caches", *row.reasons)
    )


tables.add(Stride())
