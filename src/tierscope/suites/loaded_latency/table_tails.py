"""Percentiles of single accesses, or of means of a few, idle and under load.

A timed batch takes T = H + C: H is the time of its accesses, C that of the clock. Empty batches measure C. For a
percentile q, a share 1 - q of T is above T[q]; its interval is by order statistics (`stats.percentiles`). With e = (1 -
q) / 2:

    middle = T[q] - C[0.5]
    high   = upper end of T[q] - least C
    low    = lower end of T[q - e] - upper end of C[1 - e]

The last one is valid for any relation between H and C. If more than (1 - q) + e of all T are above t, and at most e of
all C are above c, then more than 1 - q of all H are above t - c. All are divided by the accesses of a batch.
A clock that steps coarsely moves T and C by a step each, in all visits alike, so that the ends are two steps apart from
these. A row whose median may then be 0 is inconclusive.
A percentile is absent if too few batches support it, or if the clock's part of its interval is more than half of it.
Blocks are left out if the system switched threads within them or the hypervisor took the CPU: they do not time
accesses.
"""

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from tierscope.arrays import Floats
from tierscope.record.result import Blocks, Record, Run
from tierscope.stats.median import Interval
from tierscope.stats.percentiles import operation_times, percentiles, rounded
from tierscope.stats.takes import blocks_of
from tierscope.suites.loaded_latency.labels import TailLabels
from tierscope.suites.loaded_latency.tails import CLOCK, IDLE, LOADED
from tierscope.tables import Insight, JudgedRow, Main, tables
from tierscope.tables.measured import closing, judged, over_visits, records, visits_of
from tierscope.tables.rows import Col, Count, Ratio, Time
from tierscope.units import show_seconds

SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "p9999": 0.9999}
MOST_CLOCK = 0.5  # the largest part of a percentile that the clock's part of its interval may be
SUBTRACTED = 2  # times: of a batch and of an empty one; each may be off by a step of the clock
CHASER = {IDLE: 0, LOADED: 0}  # its number in its takes


class LatencyTailRow(JudgedRow, frozen=True, kw_only=True):
    """The percentiles of the chaser's accesses, without load or with one."""

    loaded: Annotated[bool, Col("loaded", help="whether the load ran; false: the chaser alone")]
    mix: Annotated[str, Col("mix", help="of the load, as the option `mixes`")]
    delay_cycles: Annotated[Count | None, Col("delay, cycles", help="core cycles after each burst of the load")]
    load_threads: Annotated[Count, Col("load threads", help="threads of the load")]
    hops: Annotated[Count, Col("accesses of a batch", help="between two reads of the clock")]
    batches: Annotated[Count, Col("batches", help="that were timed and not disturbed, in all visits")]
    p50: Annotated[Time | None, Col("p50", help="median")]
    p90: Annotated[Time | None, Col("p90", help="90th percentile; null if it is not supported")]
    p99: Annotated[Time | None, Col("p99", help="99th percentile; null if not supported")]
    p999: Annotated[Time | None, Col("p99.9", help="99.9th percentile; null if not supported")]
    p9999: Annotated[Time | None, Col("p99.99", help="99.99th percentile; null if not supported")]
    clock_p50: Annotated[Time | None, Col("clock p50", help="median time of a batch of nothing; it is subtracted")]
    clock_p9999: Annotated[Time | None, Col("clock p99.99", help="the same, of the 99.99th percentile")]
    absent: Annotated[str, Col("absent", help='why percentiles are null; "" if none is')]
    read_share: Annotated[Ratio | None, Col("reads", help="share of the load's program bytes that are read")]
    target: Annotated[str, Col("target", help="of the chaser, as `node:0`", tier=True)]

    def percentile(self, name: str) -> Interval | None:
        """Return one of SHARES."""
        found: Interval | None = getattr(self, name)
        return found


class LatencyTail:
    """One row for each point and state of the load: the chaser alone, and the chaser with the load."""

    name: ClassVar[str] = "latency_tail"
    title: ClassVar[str] = "Tail of latency"
    place: ClassVar[int] = 31
    topics: ClassVar[tuple[str, ...]] = ("latency",)
    keys: ClassVar[tuple[str, ...]] = ("loaded", "mix", "delay_cycles", "load_threads", "hops", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("p50_s", less_is_better=True),)
    row: ClassVar[type[LatencyTailRow]] = LatencyTailRow
    says: ClassVar[dict[str, str]] = {
        "tail MIX DELAY": "highest percentile that is known under load; low and high are its interval",
    }

    def rows(self, run: Run) -> list[LatencyTailRow]:
        return [_row(run, record, take) for record in records(run, self.name) for take in (IDLE, LOADED)]

    def insights(self, run: Run, rows: list[LatencyTailRow]) -> list[Insight]:
        del run
        return [one for row in rows if row.loaded and row.conclusive for one in _tail(row)]


@dataclass(frozen=True)
class Batches:
    """Seconds of each batch of one visit, in the order of time."""

    clock: Floats
    chaser: Floats

    def bounded(self, share: float, confidence: float) -> tuple[Interval | None, str]:
        """Return a percentile of the accesses of a batch, or why there is none."""
        rest = (1 - share) / 2
        (at, below), (clock,) = (
            percentiles(self.chaser, (share, share - rest), confidence),
            percentiles(self.clock, (1 - rest,), confidence),
        )
        if at is None or below is None or clock is None:
            return None, f"{min(self.chaser.size, self.clock.size)} batches of a visit are too few"
        ordered = sorted(self.clock.tolist())
        middle, least = at.middle - ordered[len(ordered) // 2], ordered[0]
        found = Interval(below.low - clock.high, middle, at.high - least, at.count)
        if clock.high - least > MOST_CLOCK * middle:
            return None, f"the clock alone takes up to {show_seconds(clock.high)}; more accesses in a batch help"
        return found, ""


def batches_of(run: Run, visit: Record, take: int) -> Batches:
    """Return the batches of a visit."""
    blocks = run.blocks(visit)

    def times(number: int, group: int) -> Floats:
        own = blocks_of(blocks, visit.experiment, visit.takes, number)
        return operation_times(_one(own, group), visit.clock.hz, 0.0).seconds

    return Batches(times(CLOCK, 0), times(take, CHASER[take]) * _hops(visit))


def _one(blocks: Blocks, group: int) -> Blocks:
    """Return the blocks of a group that began while all groups of its batch were working."""
    kept = []
    for batch in sorted(set(blocks["batch"].tolist())):
        own = blocks[blocks["batch"] == batch]
        groups = [own[own["group"] == number] for number in sorted(set(own["group"].tolist()))]
        begin = max(int(one["start_ticks"].min()) for one in groups)
        end = min(int(one["stop_ticks"].max()) for one in groups)
        mine = own[own["group"] == group]
        kept.append(mine[(mine["start_ticks"] >= begin) & (mine["start_ticks"] < end)])
    return np.concatenate(kept) if kept else blocks[:0]


def _hops(record: Record) -> int:
    return TailLabels.read(record.experiment).hops


def _row(run: Run, record: Record, take: int) -> LatencyTailRow:
    visits = [batches_of(run, visit, take) for visit in visits_of(run, record)]
    found = {name: _percentile(run, record, take, share) for name, share in SHARES.items()}
    why = {name: visits[0].bounded(share, record.experiment.schedule.confidence)[1] for name, share in SHARES.items()}
    absent = "; ".join(f"{name}: {why[name] or 'not in every visit'}" for name in SHARES if found[name] is None)
    clock = {name: _clock(run, record, share) for name, share in (("p50", 0.5), ("p9999", 0.9999))}
    labels, point = TailLabels.read(record.experiment), judged(run, record).points[take]
    reasons = _reasons(found["p50"], absent, 1 / record.clock.hz)
    return LatencyTailRow(
        loaded=take == LOADED,
        mix=labels.mix,
        delay_cycles=labels.delay_cycles,
        load_threads=labels.load_threads,
        hops=labels.hops,
        batches=sum(one.chaser.size for one in visits),
        **found,
        clock_p50=clock["p50"],
        clock_p9999=clock["p9999"],
        absent=absent,
        read_share=labels.read_share,
        target=record.groups[1].target,
        **closing(record, point) | {"conclusive": not reasons, "reasons": reasons},
    )


def _reasons(p50: Interval | None, absent: str, step_s: float) -> tuple[str, ...]:
    """Return why a row is inconclusive. step_s: of the clock."""
    if p50 is None:
        return (absent or "no percentile",)
    if p50.low <= 0:
        return (f"the median may be 0, as the clock steps by {show_seconds(step_s)}; more accesses in a batch help",)
    return ()


def _percentile(run: Run, record: Record, take: int, share: float) -> Interval | None:
    """Return a percentile of one access, of all visits."""

    def of(visit: Record) -> Interval | None:
        found, _ = batches_of(run, visit, take).bounded(share, visit.experiment.schedule.confidence)
        return found and found.times(1 / _hops(visit))

    found = over_visits(run, record, f"tail {take} {share}", of)
    return _whole(found and rounded(found, SUBTRACTED / record.clock.hz / _hops(record)))


def _clock(run: Run, record: Record, share: float) -> Interval | None:
    def of(visit: Record) -> Interval | None:
        (found,) = percentiles(batches_of(run, visit, IDLE).clock, (share,), visit.experiment.schedule.confidence)
        return found

    found = over_visits(run, record, f"clock {share}", of)
    return _whole(found and rounded(found, 1 / record.clock.hz))


def _whole(found: Interval | None) -> Interval | None:
    """Return the interval; None for one without an end."""
    return found if found and math.isfinite(found.low) and math.isfinite(found.high) else None


def _tail(row: LatencyTailRow) -> list[Insight]:
    """Return the highest percentile that is known, next to the median."""
    known = [(name, found) for name in SHARES if (found := row.percentile(name))]
    if len(known) < 2 or row.p50 is None:
        return []
    name, found = known[-1]
    shown = f"{name[:3]}.{name[3:]}" if len(name) > 3 else name
    text = (
        f"{row.mix}, delay {row.delay_cycles}: {shown} is {show_seconds(found.middle)} ({show_seconds(found.low)} to "
        f"{show_seconds(found.high)}), median {show_seconds(row.p50.middle)}; batches of {row.hops}"
    )
    insight = Insight.of(
        found,
        name=f"tail {row.mix} {row.delay_cycles}",
        text=text,
        unit="s",
    )
    return [insight]


tables.add(LatencyTail())
