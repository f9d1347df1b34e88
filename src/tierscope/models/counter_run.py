"""The data of a run to which the counter model is fitted: `CounterModel.fit(*counters_of(records, family))`.

    operations n     = keys of a record, one round of operations on them                         [1]
    a counter        = its count of one operation * n                                            [1]
    clock            = cycles / task-clock, the median of the records                            [Hz]

Records are those of one structure and one operation over `count=`, with `counters=`. Stall cycles are those of the
processor's metrics, `stalls_total`, else the kernel's own `stalled-cycles-backend`. Counts of simulated caches are not
used, since they have no cycles. Counts of user mode alone are not used either, since task-clock always runs in the
kernel, too.
Source: document 004, section 5.2, which counts the same events.
"""

from collections.abc import Iterable

import numpy as np

from tierscope.arrays import Floats
from tierscope.metrics import metrics_for
from tierscope.models.model import FitError
from tierscope.record.counting import PERF_EVENT, mixed
from tierscope.record.result import Record
from tierscope.record.work.key import KeyedWork

EVENTS = {
    "cycles": ("cycles",),
    "stall_cycles": ("stalls_total", "stalled-cycles-backend"),
    "llc_load_misses": ("LLC-load-misses",),
    "llc_store_misses": ("LLC-store-misses",),
}
"""For each counter of the model the events that can represent it, the best first."""


def counters_of(records: Iterable[Record], family: str) -> tuple[Floats, dict[str, Floats], float]:
    """Return operations and counters, shape (points,), and the clock in Hz; family: of the processor that ran them.

    FitError names the record and the missing counter.
    """
    counted = sorted((_point(record, family) for record in records), key=lambda point: point[0])
    if not counted:
        raise FitError("counter_model: no record; run maps with several count= and counters=default")
    operations = np.array([keys for keys, _ in counted], dtype=np.float64)
    totals = {name: np.array([_first(of, names) for _, of in counted]) * operations for name, names in EVENTS.items()}
    clocks = [_first(of, ("cycles",)) / (_first(of, ("task-clock",)) * 1e-9) for _, of in counted]
    return operations, totals, float(np.median(clocks))


def _point(record: Record, family: str) -> tuple[int, dict[str, float]]:
    """Return the keys, and each event of one operation."""
    metrics = metrics_for(family)
    found = {
        metrics.called(event.event): (event, event.estimate / one.operations)
        for one in record.counted
        if one.origin == PERF_EVENT and one.operations
        for event in one.events
        if event.counted
    }
    for names in (*EVENTS.values(), ("task-clock",)):
        if not any(name in found for name in names):
            raise FitError(
                f"counter_model: record {record.number} has no count of {' or '.join(names)}; it needs a PMU, and "
                "counters=default (tierscope catalogue lists what is counted here)"
            )
    if why := mixed(found[name][0] for name in ("cycles", "task-clock")):
        raise FitError(f"counter_model: record {record.number} has no clock: {why}")
    return record.experiment.groups[0].workload.of(KeyedWork).count, {name: each for name, (_, each) in found.items()}


def _first(found: dict[str, float], names: tuple[str, ...]) -> float:
    return next(found[name] for name in names if name in found)
