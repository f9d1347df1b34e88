"""The results in the records of `run policy`: rows of the three curves, and what is inferred of them; remembered.

The interval of a row is that of the median rate of its blocks; single writes have no rate, but an order.
"""

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace
from typing import TypeVar

import numpy as np
from msgspec.structs import replace

from tierscope.arrays import Floats, Truths
from tierscope.record.result import SIZING, Record, Run
from tierscope.stats.combining import Combining, infer_combining
from tierscope.stats.interleave import Interleave
from tierscope.stats.median import SIGMAS_95, Interval
from tierscope.stats.migration import Migration, Seen, infer_migration, look
from tierscope.stats.pairs import UNMEASURED, PairLabels, Pairs, infer_pairs, overlap
from tierscope.stats.strides import Spread, Stride, StrideLabels, saturated, spread_of, stride_of
from tierscope.stats.together import UNCLEAN
from tierscope.tables.measured import closing, measured, records
from tierscope.tables.policy_rows import CombiningRow, InterleaveRow, MigrationRow, PairsRow
from tierscope.tables.regions import RegionLabels
from tierscope.units import LINE_BYTES, show_size

INTERLEAVE = "interleave"
PAIRS = "pairs"
MIGRATION = "migration"
COMBINING = "combining"
FEWEST = 8  # regions
WRITE_BYTES = 256  # that the part `migration` overwrites
MOST_KNOWN = 64

T = TypeVar("T")


@dataclass(frozen=True)
class Found:
    """The results of one target; None if too little of a part was measured. `evidence`: in words, by part."""

    strides: list[InterleaveRow]
    controls: list[InterleaveRow]
    places: list[MigrationRow]
    regions: list[CombiningRow]
    interleave: Interleave | None
    migration: Migration | None
    combining: Combining | None
    saturated: bool  # the memories, not the processor, limited the controls
    evidence: dict[str, str]
    read: list[PairsRow]
    pairs: Pairs

    @property
    def hidden(self) -> bool:
        """Return whether one CPU alternates writes between several memories, which hides the queue of each."""
        return (self.interleave is not None and self.interleave.ways > 1) or self.pairs.several is not None

    @property
    def divided(self) -> bool:
        """Return whether the bytes that are overwritten may be in several memories, as far as anybody looked.

        While one of them moves its unit, the queue of another one empties. It then accepts writes for a part of its own
        stall, so that the program sees less than the whole.
        """
        if not self.strides and not self.controls:
            return False
        if self.interleave is not None and self.interleave.ways > 1:
            return self.interleave.grain_range[0] < WRITE_BYTES
        return not self.pairs.one


_found: dict[tuple[object, ...], dict[str, Found]] = {}
_seen: dict[tuple[object, ...], Seen] = {}
_paired: dict[tuple[object, ...], Pairs] = {}


def found(run: Run) -> dict[str, Found]:
    """Return target -> what its records show."""
    own = [record for part in (INTERLEAVE, PAIRS, MIGRATION, COMBINING) for record in records(run, part)]
    key = (run.path.absolute(), *(record.mark for record in own))
    targets = dict.fromkeys(record.groups[0].target for record in own)
    return _once(_found, key, lambda: {one: _of(run, [r for r in own if r.groups[0].target == one]) for one in targets})


def _once(known: dict[tuple[object, ...], T], key: tuple[object, ...], make: Callable[[], T]) -> T:
    """Return what was made for this key, or make it; MOST_KNOWN are remembered, since live rows ask again."""
    if key not in known:
        while len(known) >= MOST_KNOWN:
            del known[next(iter(known))]
        known[key] = make()
    return known[key]


def _of(run: Run, own: list[Record]) -> Found:
    evidence: dict[str, str] = {}
    strides, controls, spread = _interleave(run, _part(own, INTERLEAVE), evidence)
    interleave = spread.interleave if spread else None
    places, migration = _migration(run, _part(own, MIGRATION), evidence)
    regions, combining = _combining(run, _part(own, COMBINING), interleave, evidence)
    limited = saturated(_points(run, _part(own, INTERLEAVE)))
    read, pairs = _pairs(run, _part(own, PAIRS))
    if migration is not None and pairs.several is not None and (interleave is None or interleave.ways == 1):
        migration = dataclass_replace(migration, unit_bytes=None)  # places are in several memories, nobody knows which
    return Found(strides, controls, places, regions, interleave, migration, combining, limited, evidence, read, pairs)


def _part(own: list[Record], table: str) -> list[Record]:
    return [record for record in own if record.experiment.table == table]


def _interleave(
    run: Run, own: list[Record], evidence: dict[str, str]
) -> tuple[list[InterleaveRow], list[InterleaveRow], Spread | None]:
    """Return the interleaving from rows of strides and of controls, by rising stride."""
    rows = [
        _stride(run, record)
        for record in sorted(own, key=lambda record: StrideLabels.read(record.experiment).stride_bytes)
    ]
    controls = [row for row in rows if row.control]
    strides = [row for row in rows if not row.control and row.bandwidth and row.bandwidth.middle]
    spread = spread_of(_points(run, own))
    if spread is None:
        return strides, controls, None
    compared = []
    for row, one in zip(strides, spread.strides, strict=True):
        ratio = Interval(one.ratio / (1 + one.half), one.ratio, one.ratio * (1 + one.half), row.blocks)
        compared.append(replace(row, ratio=ratio, fitted=one.fitted))
    least = min(spread.strides, key=lambda one: one.ratio)
    stride = show_size(least.stride_bytes)
    evidence[INTERLEAVE] = f"{least.ratio:.2f} of the control's bandwidth at a stride of {stride}"
    return compared, controls, spread


def _points(run: Run, own: list[Record]) -> list[Stride]:
    return [stride_of(record.experiment, measured(run, record).groups[0].interval) for record in own]


def _stride(run: Run, record: Record) -> InterleaveRow:
    point, facts = measured(run, record), record.groups[0]
    return InterleaveRow(
        stride_bytes=StrideLabels.read(record.experiment).stride_bytes,
        control=StrideLabels.read(record.experiment).control,
        bandwidth=point.groups[0].interval.times(LINE_BYTES),
        ratio=None,
        fitted=None,
        threads=len(facts.cpus),
        target=facts.target,
        **closing(record, point),
    )


def _pairs(run: Run, own: list[Record]) -> tuple[list[PairsRow], Pairs]:
    """Return the rows of reads that start together, and what their times show."""
    labelled = [(PairLabels.read(record.experiment), record) for record in own]
    rows = [_read(run, record, labels) for labels, record in labelled]
    ordered = sorted(labelled, key=lambda one: one[0].reads)
    far, near = ([record for labels, record in ordered if labels.near == here] for here in (False, True))
    if len(far) < 2 or len(near) < 2:
        return rows, UNMEASURED
    key = (run.path.absolute(), *(record.mark for record in own))
    return rows, _once(_paired, key, lambda: _inferred(run, far, near))


def _inferred(run: Run, far: list[Record], near: list[Record]) -> Pairs:
    """Return what reads of memory and of a cache show, each by rising number of reads."""
    cost = near[0].clock.read_cost_s if near[0].groups[0].origin != "simulated" else 0.0
    one, several = (_warm(_clean_times(run, record)) for record in near[:2])
    single, pair = (_clean_times(run, record) for record in far[:2])
    return infer_pairs(single, pair, overlapped=overlap(one, several, cost))


def _warm(times: Floats) -> Floats:
    """Return the later half, when the cache contains what is read."""
    return times[times.size // 2 :]


def _clean_times(run: Run, record: Record) -> Floats:
    """Return the seconds of the undisturbed blocks, of shape (blocks,)."""
    seconds, clean = _times(run, record)
    return seconds[clean]


def _times(run: Run, record: Record) -> tuple[Floats, Truths]:
    """Return the seconds of all timed blocks, and which are undisturbed, of shape (blocks,) each."""
    blocks = run.blocks(record)
    timed = blocks[(blocks["flags"] & SIZING) == 0]
    seconds: Floats = (timed["stop_ticks"] - timed["start_ticks"]).astype(np.float64) / record.clock.hz
    return seconds, (timed["flags"] & UNCLEAN) == 0


def _read(run: Run, record: Record, labels: PairLabels) -> PairsRow:
    point = measured(run, record)
    return PairsRow(
        reads=labels.reads,
        near=labels.near,
        together=point.groups[0].interval.inverse().times(float(labels.reads)),
        target=record.groups[0].target,
        **closing(record, point),
    )


def _migration(run: Run, own: list[Record], evidence: dict[str, str]) -> tuple[list[MigrationRow], Migration | None]:
    ordered = sorted(own, key=lambda record: RegionLabels.read(record.experiment).region_bytes)
    seen: list[Seen] = []
    for record in ordered:
        seen.append(_look(run, record, seen[0] if seen else None))
    rows = [_place(run, record, one) for record, one in zip(ordered, seen, strict=True)]
    if not seen:
        return rows, None
    inferred = infer_migration(seen)
    evidence[MIGRATION] = inferred.why or f"{inferred.period.stalls if inferred.period else 0} stalls in step"
    return rows, inferred


def _look(run: Run, record: Record, first: Seen | None) -> Seen:
    """Read once: these are many blocks."""
    like = first.period if first else None
    region = RegionLabels.read(record.experiment).region_bytes
    return _once(_seen, (run.path.absolute(), record.mark, like), lambda: look(region, *_times(run, record), like))


def _place(run: Run, record: Record, one: Seen) -> MigrationRow:
    period = one.period
    return MigrationRow(
        region_bytes=one.region_bytes,
        writes=one.writes,
        typical_s=one.typical_s,
        stalls=one.stalls,
        alike=_alike(one),
        period=Interval(period.low, period.writes, period.high, period.stalls) if period else None,
        between_s=period.seconds if period else None,
        stall=Interval(period.stall_low, period.stall_s, period.stall_high, period.stalls) if period else None,
        target=record.groups[0].target,
        **closing(record, measured(run, record)),
    )


def _alike(one: Seen) -> Interval:
    """Return the stalls in a million writes that are as long as the periodic ones, and the range of a count."""
    scale, half = 1e6 / max(one.writes, 1), SIGMAS_95 * one.alike**0.5
    return Interval(max(one.alike - half, 0.0), one.alike, one.alike + half, one.alike).times(scale)


def _combining(
    run: Run, own: list[Record], interleave: Interleave | None, evidence: dict[str, str]
) -> tuple[list[CombiningRow], Combining | None]:
    rows = sorted((_region(run, record) for record in own), key=lambda row: row.region_bytes)
    known = [(row, row.line) for row in rows if row.line]
    if len(known) < FEWEST:
        return rows, None
    many = interleave is not None and interleave.ways > 1
    lines = np.array([line.middle for _, line in known])
    inferred = infer_combining(
        np.array([float(row.region_bytes) for row, _ in known]), lines,
        np.array([line.high - line.low for _, line in known]) / 2 / SIGMAS_95 / lines,
        interleave.ways if interleave and many else 1, interleave.grain_bytes if interleave and many else 4096,
    )  # fmt: skip
    fitted = iter(inferred.fitted)
    rows = [replace(row, fitted_s=float(next(fitted))) if row.line else row for row in rows]
    evidence[COMBINING] = f"a line takes {lines.min() * 1e9:.3g} to {lines.max() * 1e9:.3g} ns over regions"
    return rows, inferred


def _region(run: Run, record: Record) -> CombiningRow:
    point = measured(run, record)
    return CombiningRow(
        region_bytes=RegionLabels.read(record.experiment).region_bytes,
        line=point.groups[0].interval.inverse(),
        fitted_s=None,
        target=record.groups[0].target,
        **closing(record, point),
    )
