"""Predictions as rows: of a preset of a model, and of a run of maps that is moved to another memory.

A run on memory 0 took T0 for one operation. M is the model's time of it; the part of T0 beyond M0 is not explained:

    T1 = T0 + M1 - M0             [s], as if that rest took the same time on memory 1, as instructions do
    T1 = T0 * M1 / M0             [s], as if it grew with the memory; where M0 is over T0, there is no rest

The first is reported. The bounds contain both, for lines that overlap and for lines that follow each other, for M0 and
M1 that are each 10 % wrong (`MODEL_ERROR`), and for the interval of T0. Nothing is fitted to memory 1: a run there only
checks it. If no error of the model is known there are no bounds: for a preset without a run, and outside of the numbers
of keys for which the model was checked. Then only a time is reported.
Blind to: all that the model is blind to, and flushes and fences, which change with the memory as well: inserts and
removes in pools have a note. Points of several threads, of keys by Zipf's law and of mixed operations are left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tierscope.errors import UsageError
from tierscope.models.counter_model import CounterModel
from tierscope.models.counter_run import counters_of
from tierscope.models.model import Prediction, Span
from tierscope.models.run_time import RunTime
from tierscope.models.structure_model import StructureModel
from tierscope.models.structures import structures
from tierscope.predict.memory import Memory
from tierscope.record.result import Run
from tierscope.record.work.key import KeyedWork
from tierscope.stats.median import Interval
from tierscope.suites.maps.row import MapsRow
from tierscope.suites.maps.table import Maps

VALUE = 16  # bytes of a value in the models of structures
MODEL_ERROR = 0.1  # of its time on either memory: bounds then contained 20 of 21 points from sim:ddr5 to sim:optane100


@dataclass(frozen=True, slots=True)
class Predicted:
    """One operation among `count` keys; times in s. before_s, measured_s: None where nothing was measured."""

    what: str
    count: int
    memory: str
    latency_s: float
    low_s: float | None  # None, as high_s: the error of the model is not known, and a warning states why
    high_s: float | None
    before_s: float | None = None
    measured_s: float | None = None
    warnings: tuple[str, ...] = field(default=())

    @property
    def error_share(self) -> float | None:
        """Return predicted over measured, less 1."""
        return self.latency_s / self.measured_s - 1 if self.measured_s else None

    @property
    def inside(self) -> bool | None:
        if not self.measured_s or self.low_s is None or self.high_s is None:
            return None
        return self.low_s <= self.measured_s <= self.high_s

    def row(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "what": self.what,
            "count": self.count,
            "memory": self.memory,
            "latency_s": self.latency_s,
            "latency_low_s": self.low_s,
            "latency_high_s": self.high_s,
            "seconds": self.latency_s * self.count,
            "before_s": self.before_s,
            "measured_s": self.measured_s,
            "error_share": self.error_share,
            "inside": self.inside,
            "warnings": list(self.warnings),
        }


def of_preset(
    model: type[RunTime], name: str, counts: Sequence[int], memories: Sequence[Memory], value_bytes: int
) -> list[Predicted]:
    """Return predictions of a preset; UnknownNameError names the presets. counts: operations, and keys of the
    structure.
    """
    made = model.preset(name)
    return [
        _of_one(name, count, memory, made.predict(count, memory.device, value_bytes), made.valid, made.checked)
        for memory in memories
        for count in counts
    ]


def of_counters(run: Run, counts: Sequence[int], memories: Sequence[Memory], value_bytes: int) -> list[Predicted]:
    """Return predictions of the counter model, fitted to the run's counters; FitError where there are too few."""
    records = run.result.records
    asked = [record.experiment.groups[0].workload for record in records]
    works = [one.work for one in asked if isinstance(one.work, KeyedWork)]
    kinds = sorted(
        {f"{one.kernel} {one.work.operation}" if isinstance(one.work, KeyedWork) else one.kernel for one in asked}
    )
    if len(kinds) != 1 or len(works) != len(asked):
        raise UsageError(f"{run.path} has {', '.join(kinds)}; a fit takes one structure and one operation")
    model = CounterModel.fit(*counters_of(records, run.result.machine.identity.family))
    places = counts or sorted({work.count for work in works})
    return [
        _of_one(kinds[0], count, memory, model.predict(count, memory.device, value_bytes), model.valid)
        for memory in memories
        for count in places
    ]


def _of_one(what: str, count: int, memory: Memory, found: Prediction, valid: Span, checked: bool = True) -> Predicted:
    """Return a predicted row.

    checked: whether an error of the model alone, without a run that is moved, is known.
    """
    low, high, warnings = found.low / count, found.high / count, found.warnings
    if not checked:
        why = f"{what}: bounds are unknown, because no error of the model alone was measured; move a run with --from"
        return Predicted(
            what, count, memory.word, found.value / count, None, None, warnings=(*_beyond(valid, count), why)
        )
    if valid.distance(count) > 1:
        return Predicted(what, count, memory.word, found.value / count, None, None, warnings=_beyond(valid, count))
    return Predicted(what, count, memory.word, found.value / count, low, high, warnings=warnings)


def _beyond(valid: Span, count: float) -> tuple[str, ...]:
    return tuple(f"{text}, its bounds are unknown" for text in valid.warnings(count))


def moved(run: Run, here: Memory, memories: Sequence[Memory], beside: Run | None) -> tuple[list[Predicted], list[str]]:
    """Return each point of the run on each memory, and notes; UsageError where no point can be moved.

    here: the memory that the run ran on; `beside`: a run on the other memory; its equal points are the measured ones.
    """
    rows = Maps().rows(run)
    if not rows:
        raise UsageError(f"{run.path} has no maps; make one with `tierscope run maps`")
    known = list(_known(rows))
    if not known:
        raise UsageError(f"{run.path}: no point is of one thread, even keys and one operation that a model knows")
    notes = [] if len(known) == len(rows) else [f"{len(rows) - len(known)} of {len(rows)} points are left out"]
    if any(one.row.operation != "get" and one.row.target.startswith("pool") for one in known):
        notes.append("inserts and removes in pools: flushes and fences are assumed to cost the same as before")
    found = {_key(row): row for row in (Maps().rows(beside) if beside else ())}
    if beside and not any(_key(one.row) in found for one in known):
        raise UsageError(f"{beside.path} has no point of {run.path}: same structure, operation, count and value")
    return [_moved(one, here, memory, found.get(_key(one.row))) for memory in memories for one in known], notes


class _Point(NamedTuple):
    """One that a model knows, with what it took."""

    row: MapsRow
    latency: Interval

    @property
    def name(self) -> str:
        """Return 'robin_map get', as the models call it."""
        return f"{self.row.structure} {self.row.operation}"


def _known(rows: list[MapsRow]) -> Iterator[_Point]:
    for row in rows:
        if row.threads == 1 and row.keys == "uniform" and row.latency:
            point = _Point(row, row.latency)
            if point.name in structures:
                yield point


def _key(row: MapsRow) -> tuple[object, ...]:
    return row.structure, row.operation, row.keys, row.count, row.value_bytes, row.threads


def _moved(point: _Point, here: Memory, there: Memory, measured: MapsRow | None) -> Predicted:
    row, latency = point
    model = StructureModel.preset(point.name)
    copied = max(row.value_bytes - VALUE, 0) if row.operation == "insert" else 0
    old, new = (model.predict(1, one.device, copied, row.count) for one in (here, there))
    times = [
        time
        for before in (latency.low, latency.high)
        for m0, m1 in ((old.low, new.low), (old.high, new.high))
        for time in _times(before, m0, m1)
    ]
    known = model.valid.distance(row.count) == 1
    return Predicted(
        what=point.name,
        count=row.count,
        memory=there.word,
        latency_s=_time(latency.middle, old.value, new.value),
        low_s=min(times) if known else None,
        high_s=max(times) if known else None,
        before_s=latency.middle,
        measured_s=measured.latency.middle if measured and measured.latency else None,
        warnings=_beyond(model.valid, row.count),
    )


def _time(before: float, m0: float, m1: float) -> float:
    return before + m1 - m0 if m0 <= before else before * m1 / m0


def _times(before: float, m0: float, m1: float) -> Iterator[float]:
    """Yield the times at the ends of the model's error, under both readings of what it leaves."""
    for old in (m0 * (1 - MODEL_ERROR), m0 * (1 + MODEL_ERROR)):
        for new in (m1 * (1 - MODEL_ERROR), m1 * (1 + MODEL_ERROR)):
            yield _time(before, old, new)
            yield before * new / old
