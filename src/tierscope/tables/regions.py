"""One row of a fresh region, without its fit: what `regions`, `buffers` and the closed loop share."""

import math

from tierscope.record.result import Record, Run
from tierscope.stats.fresh import mean_of_regions
from tierscope.stats.median import Interval, beyond
from tierscope.tables import Flat
from tierscope.tables.measured import bounds, closing_flat, measured, page_bytes
from tierscope.units import LINE_BYTES

NOTHING = Interval(math.nan, math.nan, math.nan, 0)


def row_of(run: Run, record: Record) -> Flat:
    """Without its fit."""
    point, facts, group = measured(run, record), record.groups[0], record.experiment.groups[0]
    labels, block = record.experiment.labels, group.workload.element_bytes
    each = max(int(labels["region_bytes"] or 0) // block, 1)
    interval, verdict = _judged(run, record, each, closing_flat(record, point))
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


def _judged(run: Run, record: Record, operations: int, verdict: Flat) -> tuple[Interval, Flat]:
    """Seconds of an operation; operations: of a region."""
    mean = mean_of_regions(run.blocks(record), record.clock.hz, operations)
    if mean is None:
        return NOTHING, {**verdict, "conclusive": False, "reasons": "no whole region was walked undisturbed"}
    precision, reasons = record.experiment.schedule.precision, ""
    if mean.relative > precision:
        reasons = f"interval {beyond(mean, precision)}"
    return mean, {**verdict, "conclusive": not reasons, "reasons": reasons}
