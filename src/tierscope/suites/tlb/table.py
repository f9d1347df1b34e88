"""TLB: the time of an access over the number of pages touched, and what of it is translation.

    extra = median with the lines a page apart - median with as many lines side by side    [s]
    its interval: the root of the sum of squares of both half-widths

Lines side by side are measured once for all page sizes. Inconclusive points count for the levels: the fit weighs each
by its error. Levels: `suites.tlb.table_levels`.
"""

import math
from collections.abc import Iterable
from typing import Annotated, ClassVar

import numpy as np
from msgspec.structs import replace

from tierscope.record.result import Record, Run
from tierscope.stats.median import Interval
from tierscope.stats.tlb import APART, BESIDE, Translation, curve_of, translation
from tierscope.suites.tlb.findings import sentences
from tierscope.tables import Flat, Insight, JudgedRow, Main, tables
from tierscope.tables.emulated import floor_s
from tierscope.tables.measured import bounds, closing_flat, measured, page_bytes, records, weighed_flat, whole
from tierscope.tables.rows import Col, Count, Size, Time


class TlbRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `tlb`."""

    target: Annotated[str, Col("target", help="as `node:0`", tier=True)]
    page_bytes: Annotated[Size, Col("pages", help="page size as it was found")]
    touched: Annotated[Count, Col("touched", help="pages touched, a line of each")]
    latency: Annotated[Time | None, Col("a page apart", help="one dependent access, the lines a page and a line apart")]
    control: Annotated[Time | None, Col("side by side", help="the same, as many lines side by side")]
    extra: Annotated[Time | None, Col("translation", help="their difference: what translation adds")]
    coarse: Annotated[bool, Col("coarse", help="true: of the first curve; false: measured where a level ends")]
    cpu: Annotated[Count, Col("CPU", help="that chased")]
    footprint_bytes: Annotated[Size, Col("footprint", help="mapped")]


class Tlb:
    """One row for each page size and number of pages, if both layouts were measured."""

    name: ClassVar[str] = "tlb"
    title: ClassVar[str] = "Translation over pages touched"
    keys: ClassVar[tuple[str, ...]] = ("page_bytes", "touched", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("latency_s", less_is_better=True),)
    row: ClassVar[type[TlbRow]] = TlbRow
    says: ClassVar[dict[str, str]] = {
        "tlb_none PAGES": "0: the curves show no level",
        "tlb_entries N PAGES": "entries of the Nth level; bounds as in `tlb_levels`",
        "tlb_doubt N PAGES": "entries of an Nth level that may be none, `certain` is false",
        "tlb_walk PAGES": "what translation adds beyond the last level",
    }

    def rows(self, run: Run) -> list[Flat]:
        own = records(run, self.name)
        beside = {record.experiment.labels["touched"]: record for record in own if _layout(record) == BESIDE}
        pairs = [
            (record, beside[record.experiment.labels["touched"]])
            for record in own
            if _layout(record) == APART and record.experiment.labels["touched"] in beside
        ]
        rows = [_row(run, *pair) for pair in pairs]
        return sorted(rows, key=lambda row: (int(row["page_bytes"] or 0), int(row["touched"] or 0)))

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        """One sentence for each level, or that there is none, for each page size."""
        del run
        return [_doubted(said, part) for part in parts(rows) for said in sentences(part, found(part))]


def _doubted(said: Insight, part: list[Flat]) -> Insight:
    """Levels are fitted to all points of a page size: most of them must be conclusive."""
    doubtful = sum(not row["conclusive"] for row in part)
    if not doubtful:
        return said
    few = 2 * doubtful <= len(part)
    text = f"{said.text} ({'' if few else 'inconclusive: '}{doubtful} of {len(part)} points are inconclusive)"
    return replace(said, text=text, conclusive=few)


def _layout(record: Record) -> object:
    return record.experiment.labels["layout"]


def _time(run: Run, record: Record) -> Interval:
    rate = measured(run, record).groups[0].interval
    low, middle, high = (1 / r if r > 0 else math.nan for r in (rate.high, rate.middle, rate.low))
    return Interval(low, middle, high, rate.count)


def _row(run: Run, apart: Record, beside: Record) -> Flat:
    facts, labels = apart.groups[0], apart.experiment.labels
    time, control = _time(run, apart), _time(run, beside)
    extra = time.middle - control.middle
    half = math.hypot(time.high - time.low, control.high - control.low) / 2
    points = [measured(run, record) for record in (apart, beside)]
    reasons = dict.fromkeys(reason for point in points for reason in point.reasons)
    return {
        "target": facts.target,
        "page_bytes": page_bytes(facts) or labels["found_page_bytes"],
        "touched": labels["touched"],
        **bounds("latency", "s", time),
        **bounds("control", "s", control),
        **bounds("extra", "s", Interval(extra - half, extra, extra + half, time.count)),
        "coarse": labels["coarse"],
        "cpu": facts.cpus[0],
        "footprint_bytes": facts.footprint_bytes,
        **closing_flat(apart, points[0]),
        "conclusive": all(point.conclusive for point in points),
        "reasons": "; ".join(reasons),
    }


def parts(rows: list[Flat]) -> list[list[Flat]]:
    """Points of each page size on each target."""
    keys = dict.fromkeys((row["target"], row["page_bytes"]) for row in rows)
    return [[row for row in rows if (row["target"], row["page_bytes"]) == key] for key in keys]


def found(rows: Iterable[Flat]) -> Translation:
    """rows: of one page size in the table `tlb`. An emulated floor hides all levels: there are none then."""
    known = [
        (row, time, control)
        for row in rows
        if (time := weighed_flat(row, "latency", "s")) and (control := weighed_flat(row, "control", "s"))
    ]
    if any(floor_s(row["target"]) for row, _, _ in known):
        return Translation((), None)
    widths = [float(np.hypot(time.high - time.low, control.high - control.low)) for _, time, control in known]
    curve = curve_of(
        np.array([whole(row, "touched") for row, _, _ in known], dtype=np.float64),
        np.array([time.middle for _, time, _ in known]),
        np.array([control.middle for _, _, control in known]),
        np.array(widths) / 4,  # a 95 % interval is four standard errors wide
        np.array([bool(row["coarse"]) for row, _, _ in known]),
    )
    return translation(curve)


tables.add(Tlb())
