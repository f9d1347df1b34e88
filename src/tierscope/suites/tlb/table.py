"""TLB: the time of an access over the number of pages touched, and what of it is translation.

    extra = median with the lines a page apart - median with as many lines side by side    [s]
    its interval: the root of the sum of squares of both half-widths

Lines side by side are measured once for all page sizes. Inconclusive points count for the levels: the fit weighs each
by its error. Levels: `suites.tlb.table_levels`.
"""

import math
from collections.abc import Iterable, Mapping
from typing import ClassVar

import numpy as np
from msgspec.structs import replace

from tierscope.record.labels import present
from tierscope.record.result import Record, Run
from tierscope.stats.median import Interval
from tierscope.stats.tlb import APART, BESIDE, Translation, curve_of, translation
from tierscope.suites.tlb.findings import sentences
from tierscope.suites.tlb.labels import TlbLabels
from tierscope.suites.tlb.mixed import shares
from tierscope.suites.tlb.row import TlbRow, mixed
from tierscope.tables import Asked, Insight, Main, tables
from tierscope.tables.emulated import floor_s
from tierscope.tables.measured import closing, measured, page_bytes, records, weighed


class Tlb:
    """One row for each page size and number of pages, if both layouts were measured."""

    name: ClassVar[str] = "tlb"
    title: ClassVar[str] = "Translation over pages touched"
    asked: ClassVar[Asked] = Asked(
        question="How much memory do the TLBs reach?",
        answers=("tlb_entries", "tlb_walk", "tlb_none", "tlb_doubt"),
        keys={"tlb_entries": "entries of TLB level {}", "tlb_walk": "beyond the last level, pages of {}"},
    )
    keys: ClassVar[tuple[str, ...]] = ("page_bytes", "part_bytes", "touched", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("latency_s", less_is_better=True),)
    row: ClassVar[type[TlbRow]] = TlbRow
    says: ClassVar[dict[str, str]] = {
        "tlb_none PAGES": "0: the curves show no level",
        "tlb_entries N PAGES": "entries of the Nth level; bounds as in `tlb_levels`",
        "tlb_doubt N PAGES": "entries of an Nth level that may be none, `certain` is false",
        "tlb_walk PAGES": "what translation adds beyond the last level",
        "tlb_parts PAGES": "bytes of the parts in which pages of this size are translated",
    }

    def rows(self, run: Run) -> list[TlbRow]:
        own = records(run, self.name)
        points = [(TlbLabels.read(record.experiment), record) for record in own]
        beside = {labels.touched: record for labels, record in points if labels.layout == BESIDE}
        apart = [(labels, record) for labels, record in points if labels.layout == APART and labels.touched in beside]
        found = shares(run) if own else {}
        rows = [_row(run, labels, record, beside[labels.touched], found) for labels, record in apart]
        return sorted(rows, key=lambda row: (row.page_bytes, row.touched))

    def insights(self, run: Run, rows: list[TlbRow]) -> list[Insight]:
        """Return one sentence for each level, or that there is none, for each page size."""
        del run
        return [_doubted(said, part) for part in parts(rows) for said in sentences(part, found(part))]


def _doubted(said: Insight, part: list[TlbRow]) -> Insight:
    """Return the insight with its doubts: levels are fitted to all points, so most of them must be conclusive."""
    doubtful = sum(not row.conclusive for row in part)
    if not doubtful:
        return said
    few = 2 * doubtful <= len(part)
    text = f"{said.text} ({'' if few else 'inconclusive: '}{doubtful} of {len(part)} points are inconclusive)"
    return replace(said, text=text, conclusive=few and said.conclusive, brief=said.headline)


def _time(run: Run, record: Record) -> Interval:
    return measured(run, record).groups[0].interval.inverse()


def _row(run: Run, labels: TlbLabels, apart: Record, beside: Record, in_parts: Mapping[int, float | None]) -> TlbRow:
    facts = apart.groups[0]
    time, control = _time(run, apart), _time(run, beside)
    extra = time.middle - control.middle
    half = math.hypot(time.high - time.low, control.high - control.low) / 2
    points = [measured(run, record) for record in (apart, beside)]
    reasons = dict.fromkeys(reason for point in points for reason in point.reasons)
    size = page_bytes(facts) or labels.found_page_bytes
    row = TlbRow(
        target=facts.target,
        page_bytes=size,
        part_bytes=present(labels.part_bytes),
        in_parts=in_parts.get(size),
        probed=size in in_parts,
        touched=labels.touched,
        latency=time,
        control=control,
        extra=Interval(extra - half, extra, extra + half, time.count),
        coarse=labels.coarse,
        cpu=facts.cpus[0],
        footprint_bytes=facts.footprint_bytes,
        **closing(apart, points[0]),
    )
    return replace(row, conclusive=all(point.conclusive for point in points), reasons=tuple(reasons))


def parts(rows: list[TlbRow]) -> list[list[TlbRow]]:
    """Return the points of each page size on each target."""
    keys = dict.fromkeys((row.target, row.page_bytes) for row in rows)
    return [[row for row in rows if (row.target, row.page_bytes) == key] for key in keys]


def found(rows: Iterable[TlbRow]) -> Translation:
    """Return the translation in the rows of one page size; none if an emulated floor hides all levels, or if pages
    are not all translated alike.
    """
    known = [
        (row, time, control) for row in rows if (time := weighed(row.latency)) and (control := weighed(row.control))
    ]
    if any(floor_s(row.target) or mixed(row) for row, _, _ in known):
        return Translation((), None)
    widths = [float(np.hypot(time.high - time.low, control.high - control.low)) for _, time, control in known]
    curve = curve_of(
        np.array([row.touched for row, _, _ in known], dtype=np.float64),
        np.array([time.middle for _, time, _ in known]),
        np.array([control.middle for _, _, control in known]),
        np.array(widths) / 4,  # a 95 % interval is four standard errors wide
        np.array([row.coarse for row, _, _ in known]),
    )
    return translation(curve)


tables.add(Tlb())
