"""A point that was visited several times: which visits its numbers are made of, and whether they can be believed.

A visit may be disturbed for reasons of its own, such as too few clean moments or a rate that still changes. It is left
out if at least half of the visits, and two, are sound. Otherwise all visits with a number are used, and the doubts of
each remain. The width of a visit's own interval is not such a doubt: the interval of all visits decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tierscope.record.earlier import Between
from tierscope.record.experiment import Schedule
from tierscope.stats.between_runs import GUEST
from tierscope.stats.drift import Drift, Spread
from tierscope.stats.point import Point, Seen
from tierscope.stats.summary import Summary, too_wide
from tierscope.stats.visits import Pooled, pool, spread

BETWEEN = ", since the machine changes from visit to visit"
SLOWLY = ", since the machine changes from run to run"
PLACED = ", since the number changes with each mapping of the memory"
NOT_YET = ", since the changes of this machine from run to run are not known yet"
SLOWED = ", since others may have slowed it"
DRIFTS = (BETWEEN, SLOWLY, NOT_YET, PLACED)
WIDTHS = (*DRIFTS, SLOWED)
HALF = 0.5  # of the squared half of an interval: whatever makes more of it is its cause
ONCE = "seen once, and how much this machine drifts between visits is not known"


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of a group's number that its own visits do not show.

    drift: of points of its kind, None where it is not known. between: as for `stats.visits.pool`. mapping: the variance
    from mapping to mapping, None where it is not known.

    slowed: for each visit, the logarithm of the factor by which others may have slowed it; (): by none.
    """

    drift: Drift | None = None
    between: Between | None = None
    mapping: float | None = None
    slowed: Sequence[float] = ()


def sound(visits: Sequence[Point], precision: float) -> list[int]:
    """Return which visits may be believed, if they are enough; else none."""
    good = [
        number for number, visit in enumerate(visits) if not any(doubts(group, precision) for group in visit.groups)
    ]
    return enough(good, len(visits))


def used(visits: Sequence[Point], precision: float) -> list[int]:
    """Return which visits the numbers of a point are made of: the sound ones, else all that have a number."""
    counted = [number for number, visit in enumerate(visits) if all(group.interval.count for group in visit.groups)]
    return sound(visits, precision) or counted or [0]


def doubts(summary: Summary, precision: float) -> list[str]:
    """Return why a visit may not be believed, apart from the width of its interval."""
    return [reason for reason in summary.reasons if reason != too_wide(summary.interval, precision)]


def spreads(visits: Sequence[Point], schedule: Schedule, tours: Sequence[int]) -> list[Spread | None]:
    """Return how much the visits of a point differ, for each of its groups; see `stats.visits.spread`.

    tours: the tour of each visit.
    """
    chosen = used(visits, schedule.precision)
    moments = [tours[number] for number in chosen]
    return [
        spread([visits[number].groups[group].interval for number in chosen], schedule.confidence, moments)
        for group in range(len(visits[0].groups))
    ]


def visited(visits: Sequence[Point], schedule: Schedule, more_blocks: int, changes: Sequence[Changes]) -> Point:
    """Return one point of all visits, the first one first.

    more_blocks: of all visits but the first; changes: of each group.
    """
    chosen = used(visits, schedule.precision)
    doubted = [] if sound(visits, schedule.precision) else visits
    counted = [visits[number] for number in chosen]
    found = [
        pool(
            [visit.groups[group].interval for visit in counted],
            change.drift,
            schedule.confidence,
            change.between,
            [change.slowed[number] for number in chosen] if change.slowed else (),
        )
        for group, change in enumerate(changes)
    ]
    summaries = tuple(
        _summary(
            [visit.groups[group] for visit in counted],
            [reason for visit in doubted for reason in doubts(visit.groups[group], schedule.precision)],
            pooled,
            schedule.precision,
            change,
        )
        for group, (pooled, change) in enumerate(zip(found, changes, strict=True))
    )
    known = [pooled for pooled in found if pooled]
    every = len(known) == len(found)
    shares = [
        pooled.mapping_share(change.mapping)
        for pooled, change in zip(found, changes, strict=True)
        if pooled and change.mapping is not None
    ]
    seen = Seen(
        visits=len(chosen),
        between_share=max((pooled.between_share for pooled in known), default=None) if every else None,
        slow_share=max((pooled.slow_share for pooled in known), default=None) if every else None,
        mapping_share=max(shares, default=None),
        degrees=min((pooled.degrees for pooled in known), default=None) if every else None,
        left_out_share=sum(visit.together.left_out_share for visit in visits) / len(visits),
        more_blocks=more_blocks,
        own=() if doubted or not every else tuple(pooled.own for pooled in known),
    )
    return Point(counted[0].together, summaries, seen)


def enough(good: list[int], visits: int) -> list[int]:
    """Return the visits that may be believed, if they are two and half of all; else none."""
    return good if len(good) >= min(2, visits) and 2 * len(good) >= visits else []


def since(pooled: Pooled | None, changes: Changes) -> str:
    """Return what makes most of an interval that is too wide, as the end of that reason; "" for the scatter within
    visits.
    """
    between, mapping = changes.between, changes.mapping
    if pooled is None or pooled.between_share + pooled.slow_share <= HALF:
        return ""
    if between and between.degrees and pooled.slow_share > HALF:
        if between.kind != GUEST.kind:
            return SLOWLY
        if pooled.drift <= between.variance:
            return NOT_YET
    return PLACED if mapping is not None and pooled.mapping_share(mapping) > HALF else BETWEEN


def _summary(
    visits: Sequence[Summary],
    reasons: list[str],
    pooled: Pooled | None,
    precision: float,
    changes: Changes,
) -> Summary:
    interval = pooled.interval if pooled else visits[0].interval
    if pooled is None and interval.count:
        reasons.append(ONCE)
    if interval.count and (wide := too_wide(interval, precision)):
        slowed = pooled and not too_wide(pooled.without_others, precision)
        reasons.append(wide + (SLOWED if slowed else since(pooled, changes)))
    return replace(
        visits[0],
        interval=interval,
        best=max(visit.best for visit in visits),
        average=sum(visit.average for visit in visits) / len(visits),
        worst=min(visit.worst for visit in visits),
        steady=all(visit.steady for visit in visits),
        reasons=tuple(dict.fromkeys(reasons)),
    )
