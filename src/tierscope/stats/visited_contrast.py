"""A comparison of takes that was visited several times: its time and its ratio over all visits.

Each visit is a few rounds, whose median leaves one disturbed round out; the ratios of the visits are pooled as the
rates of points are (`stats.visits`). The takes alternate within a visit, so that a drift of the machine cancels. The
remaining difference between visits is mostly the location of the memory.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import mean, median

from tierscope.record.experiment import Schedule
from tierscope.stats.contrast import ROUNDS, Contrast, too_few
from tierscope.stats.drift import Drift
from tierscope.stats.median import Interval
from tierscope.stats.visited import BETWEEN, ONCE, enough
from tierscope.stats.visits import Pooled, pool


def counted(visits: Sequence[Contrast], schedule: Schedule) -> list[int]:
    """Return which visits the numbers of a comparison are made of: the sound ones, else all that have a number."""
    good = [number for number, visit in enumerate(visits) if not _other_doubts(visit, schedule)]
    known = [number for number, visit in enumerate(visits) if visit.seconds.count and visit.ratio.count]
    return enough(good, len(visits)) or known or [0]


def visited_contrast(
    visits: Sequence[Contrast], drifts: tuple[Drift | None, Drift | None], schedule: Schedule
) -> Contrast:
    """Return one comparison of all visits, the first one first. drifts: of the times, and of the ratios."""
    chosen = [visits[number] for number in counted(visits, schedule)]
    times = pool([one.seconds for one in chosen], drifts[0], schedule.confidence)
    ratios = pool([one.ratio for one in chosen], drifts[1], schedule.confidence)
    itself = all(one.ratio.relative == 0 for one in chosen)  # compared with itself: 1, in each visit
    found = replace(
        chosen[0],
        seconds=times.interval if times else chosen[0].seconds,
        ratio=_itself(chosen) if itself else ratios.interval if ratios else chosen[0].ratio,
        left_out_share=mean(one.left_out_share for one in chosen),
        coverage=median(one.coverage for one in chosen),
        reasons=(),
    )
    doubted = visits if any(_other_doubts(one, schedule) for one in chosen) else ()
    reasons = [reason for one in doubted for reason in _other_doubts(one, schedule)]
    if times is None or (ratios is None and not itself):
        reasons.append(ONCE)
    reasons += _own_doubts(found, times if found.alone else ratios, schedule)
    return replace(found, reasons=tuple(dict.fromkeys(reasons)))


def _itself(chosen: Sequence[Contrast]) -> Interval:
    return Interval(1.0, 1.0, 1.0, sum(one.ratio.count for one in chosen))


def _own_doubts(found: Contrast, asked: Pooled | None, schedule: Schedule) -> list[str]:
    """Return why all visits together are not enough."""
    if few := too_few(found.asked.count, ROUNDS):
        return [few]
    between = BETWEEN if asked and asked.between_share > 0.5 else ""
    return [doubt + between] if (doubt := found.doubt(schedule)) else []


def _other_doubts(visit: Contrast, schedule: Schedule) -> list[str]:
    """Return why a visit may not be believed, apart from the width of its interval."""
    return [reason for reason in visit.reasons if reason != visit.doubt(schedule)]
