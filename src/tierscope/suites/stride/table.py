"""Stride: bandwidth of accesses that lie a stride apart.

    bandwidth = median rate * bytes touched at each access     [bytes/s], of all threads
    lines     = bandwidth / 64                                  [1/s]
    share     = bandwidth / best of the same operation, store, order and threads    [1]

Bytes between two accesses are not counted, though memory may move them. A row whose lines may stay in the caches is
inconclusive. Sentences: `suites.stride.findings`.
"""

from typing import Annotated, ClassVar

from tierscope.record.result import Record, Run
from tierscope.suites.stride.findings import KIND, sentences
from tierscope.tables import Flat, Insight, JudgedRow, Main, tables
from tierscope.tables.measured import bounds, closing_flat, measured, page_bytes, records
from tierscope.tables.rows import Bandwidth, Col, Count, Rate, Ratio, Size
from tierscope.units import LINE_BYTES, show_bytes


class StrideRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `stride`."""

    op: Annotated[str, Col("operation", help="`read`, `write`")]
    store: Annotated[str | None, Col("store", help="how writes leave the core, as `nt`; null for reads")]
    order: Annotated[str, Col("order", help="of the accesses: `sequential`, `random`")]
    threads: Annotated[Count, Col("threads", help="one on each CPU")]
    access_bytes: Annotated[Size, Col("access", help="touched at each access")]
    stride_bytes: Annotated[Size, Col("stride", help="from one access to the next")]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="bytes touched, of all threads; not those between")]
    lines: Annotated[Rate | None, Col("lines", help="the same in lines of 64 bytes")]
    best_share: Annotated[
        Ratio | None,
        Col(
            "share of the best",
            help=(
                "bandwidth over the best of the same operation, store, order and threads; null where it may be cached"
            ),
        ),
    ]
    target: Annotated[str, Col("target", help="as `node:0`", tier=True)]
    touched_bytes: Annotated[Size, Col("touched", help="all lines that are touched, together")]
    cached: Annotated[
        bool,
        Col(
            "may be cached",
            help=("true: so few that they may stay in the caches; the row is inconclusive and counts for no sentence"),
        ),
    ]
    footprint_bytes: Annotated[Size, Col("footprint", help="over which they are spread")]
    page_bytes: Annotated[Size, Col("pages", help="page size of most of the bytes")]


class Stride:
    """One row for each operation, kind of store, order, number of threads, access size and stride."""

    name: ClassVar[str] = "stride"
    title: ClassVar[str] = "Strided accesses"
    keys: ClassVar[tuple[str, ...]] = ("op", "store", "order", "threads", "access_bytes", "stride_bytes", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"),)
    row: ClassVar[type[StrideRow]] = StrideRow
    says: ClassVar[dict[str, str]] = {
        "stride_unit WAY": "stride from which on an access of the smallest size costs a whole unit; null "
        "where no unit shows",
        "stride_access WAY": "access size that has 90 % of the best bandwidth at the widest stride; low is "
        "the largest that has less, null where none has it",
    }

    def rows(self, run: Run) -> list[Flat]:
        rows = [_row(run, record) for record in records(run, self.name)]
        best: dict[tuple[object, ...], float] = {}
        for row in rows:
            key = tuple(row[name] for name in KIND)
            best[key] = max(best.get(key, 0.0), float(row["bandwidth_bytes_per_s"] or 0) * (not row["cached"]))
        for row in rows:
            top = best[tuple(row[name] for name in KIND)]
            row["best_share"] = float(row["bandwidth_bytes_per_s"] or 0) / top if top and not row["cached"] else None
        return rows

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        del run
        return sentences(rows)


def _row(run: Run, record: Record) -> Flat:
    facts, labels, point = record.groups[0], record.experiment.labels, measured(run, record)
    rate = point.groups[0].interval.times(float(labels["access_bytes"] or 0))
    return {
        **{key: labels[key] for key in ("op", "store", "order", "threads", "access_bytes", "stride_bytes")},
        **bounds("bandwidth", "bytes_per_s", rate),
        **bounds("lines", "per_s", rate.times(1 / LINE_BYTES)),
        "best_share": None,
        "target": facts.target,
        "touched_bytes": labels["touched_bytes"],
        "cached": labels["cached"],
        "footprint_bytes": facts.footprint_bytes,
        "page_bytes": page_bytes(facts),
        **closing_flat(record, point),
        **_verdict(labels["cached"] is True, int(labels["touched_bytes"] or 0), point.reasons),
    }


def _verdict(cached: bool, touched: int, reasons: tuple[str, ...]) -> Flat:
    own = (f"{show_bytes(touched)} of lines may stay in the caches",) if cached else ()
    return {"conclusive": not (own or reasons), "reasons": "; ".join((*own, *reasons))}


tables.add(Stride())
