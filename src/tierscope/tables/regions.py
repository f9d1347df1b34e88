"""One row of a fresh region, without its fit: what `regions`, `buffers` and the closed loop share."""

import math
from functools import partial
from typing import Annotated

from msgspec import UNSET, UnsetType

from tierscope.record.labels import Labels, present
from tierscope.record.result import Record, Run
from tierscope.record.work.block import BlockWork
from tierscope.record.work.hop import HopWork
from tierscope.stats.fresh import mean_of_regions
from tierscope.stats.median import Interval, beyond
from tierscope.stats.visited import ONCE
from tierscope.tables import JudgedRow
from tierscope.tables.measured import closing, measured, over_visits, page_bytes
from tierscope.tables.rows import AskedSize, Col, Count, Seconds, Size, Time


class RegionLabels(Labels, frozen=True, kw_only=True):
    """The labels of a point on regions: the bytes of each."""

    region_bytes: int


class FreshLabels(RegionLabels, frozen=True, kw_only=True):
    """The labels of a point on fresh regions.

    of: the suite that asks; ways, grain_bytes: of interleaved memories. stride_bytes: between the lines of a region, if
    they do not follow one another.
    """

    operation: str
    scattered: bool
    of: str
    ways: int | UnsetType = UNSET
    grain_bytes: int | UnsetType = UNSET
    stride_bytes: int | UnsetType = UNSET


NOTHING = Interval(math.nan, math.nan, math.nan, 0)


class RegionsRow(JudgedRow, frozen=True, kw_only=True):
    """An operation in fresh regions of one size."""

    operation: Annotated[
        str,
        Col("operation", help="`read`: dependent reads; `write`: stores past the caches, a fence behind each region"),
    ]
    region_bytes: Annotated[Size, Col("region", help="each line of the region was visited once before the next region")]
    block_bytes: Annotated[AskedSize, Col("block", help="read or written at a time")]
    scattered: Annotated[bool, Col("scattered", help="true: regions follow one another at random; false: by address")]
    stride_bytes: Annotated[
        Size | None,
        Col("distance", help="between two lines of a pair, or of a pass over the region; null: all lines in any order"),
    ]
    latency: Annotated[Time | None, Col("time per line", help="time per line of the caches")]
    fit_s: Annotated[
        Seconds | None, Col("fit", help="what the buffers found would give; null where none were looked for")
    ]
    footprint_bytes: Annotated[Size, Col("footprint", help="that all regions share")]
    ways: Annotated[Count | None, Col("memories", help="interleaved memories that the run knew of; null: one")]
    grain_bytes: Annotated[Size | None, Col("bytes in each", help="consecutive bytes in each of them")]
    page_bytes: Annotated[Size | None, Col("pages", help="page size of most of the bytes")]
    target: Annotated[str, Col("target", help="such as `node:0`", tier=True)]


def row_of(run: Run, record: Record) -> RegionsRow:
    """Return the row of a record, without its fit."""
    facts, labels, point = record.groups[0], FreshLabels.read(record.experiment), measured(run, record)
    block = _block(record)
    interval, reasons = _judged(run, record)
    reasons = tuple(reason for reason in point.reasons if reason == ONCE) + reasons
    verdict = closing(record, point) | {"conclusive": not reasons, "reasons": reasons}
    return RegionsRow(
        operation=labels.operation,
        region_bytes=labels.region_bytes,
        block_bytes=block,
        scattered=labels.scattered,
        stride_bytes=present(labels.stride_bytes),
        latency=interval.times(run.result.machine.line_bytes() / block),
        fit_s=None,
        footprint_bytes=facts.footprint_bytes,
        ways=present(labels.ways),
        grain_bytes=present(labels.grain_bytes),
        page_bytes=page_bytes(facts),
        target=facts.target,
        **verdict,
    )


def _block(record: Record) -> int:
    """Return the bytes of one operation."""
    asked_of = record.experiment.groups[0].workload
    work = asked_of.work if isinstance(asked_of.work, HopWork) else asked_of.of(BlockWork)
    return work.element_bytes


def _mean(run: Run, visit: Record) -> Interval | None:
    """Return the seconds of an operation in one visit; None where no whole region was visited undisturbed."""
    operations = max(FreshLabels.read(visit.experiment).region_bytes // _block(visit), 1)
    return mean_of_regions(run.blocks(visit), visit.clock.hz, operations)


def _judged(run: Run, record: Record) -> tuple[Interval, tuple[str, ...]]:
    """Return the seconds of an operation in all visits, and why they are inconclusive."""
    mean = over_visits(run, record, "time", partial(_mean, run))
    if mean is None:
        return NOTHING, ("no whole region was walked undisturbed",)
    precision = record.experiment.schedule.precision
    return mean, (f"interval {beyond(mean, precision)}",) if mean.relative > precision else ()
