"""Latency of each line over the size of fresh regions: the curve in which a memory's own buffers show.

    latency = mean time of an operation of one thread over whole regions / lines of a block     [s]

as `stats.fresh` takes it: a median would leave out the first lines of a region, which miss more.
Reads are dependent; of a block above one line all lines are under way at once. Writes are stores past the caches with
a fence behind each region. `scattered` regions follow one another at random, others by address. `fit_s` is what the
buffers that `run buffers` found would give (`buffers_found`).
Blind to the tail: a mean hides single slow accesses.
Source: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020 (LENS).
"""

import math
from typing import ClassVar

from tierscope.result import Record, Run
from tierscope.stats.fresh import mean_of_regions
from tierscope.stats.median import Interval, beyond
from tierscope.tables import Column, Insight, Row, tables
from tierscope.tables.buffers_found import fits
from tierscope.tables.measured import CLOSING, bounds, closing, measured, page_bytes, records
from tierscope.units import LINE_BYTES

NOTHING = Interval(math.nan, math.nan, math.nan, 0)


class Regions:
    """One row per operation, region and block."""

    name: ClassVar[str] = "regions"
    title: ClassVar[str] = "Fresh regions"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("operation", "operation", ""),
        Column("region_bytes", "region", "B"),
        Column("block_bytes", "block", "B"),
        Column("scattered", "scattered", ""),
        Column("latency_s", "time per line", "s"),
        Column("latency_low", "low", "s"),
        Column("latency_high", "high", "s"),
        Column("fit_s", "fit", "s"),
        Column("footprint_bytes", "footprint", "B"),
        Column("ways", "memories", "1"),
        Column("grain_bytes", "each in turn", "B"),
        Column("page_bytes", "pages", "B"),
        Column("target", "target", ""),
        *CLOSING,
    )

    def rows(self, run: Run) -> list[Row]:
        rows = [row_of(run, record) for record in records(run, self.name)]
        for row, fit in zip(rows, fits(rows), strict=True):
            row["fit_s"] = fit
        return rows

    def insights(self, run: Run, rows: list[Row]) -> list[Insight]:
        """None: `buffers` says what they show."""
        del run, rows
        return []


def row_of(run: Run, record: Record) -> Row:
    """Without its fit."""
    point, facts, group = measured(run, record), record.groups[0], record.experiment.groups[0]
    labels, block = record.experiment.labels, group.workload.element_bytes
    each = max(int(labels["region_bytes"] or 0) // block, 1)
    interval, verdict = _judged(run, record, each, closing(record, point))
    return {
        "operation": labels["operation"],
        "region_bytes": labels["region_bytes"],
        "block_bytes": block,
        "scattered": labels["scattered"],
        **bounds("latency", "s", interval.times(LINE_BYTES / block)),
        "fit_s": None,
        "footprint_bytes": facts.footprint_bytes,
        "ways": labels.get("ways"),
        "grain_bytes": labels.get("grain_bytes"),
        "page_bytes": page_bytes(facts),
        "target": facts.target,
        **verdict,
    }


def _judged(run: Run, record: Record, operations: int, verdict: Row) -> tuple[Interval, Row]:
    """Seconds of an operation; operations: of a region."""
    mean = mean_of_regions(run.blocks(record), record.clock.hz, operations)
    if mean is None:
        return NOTHING, {**verdict, "conclusive": False, "reasons": "no whole region was walked undisturbed"}
    precision, reasons = record.experiment.schedule.precision, ""
    if mean.relative > precision:
        reasons = f"interval {beyond(mean, precision)}"
    return mean, {**verdict, "conclusive": not reasons, "reasons": reasons}


tables.add(Regions())
