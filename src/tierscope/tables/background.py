"""The doubts that other programs cast on a visit, in addition to those of its own blocks."""

from dataclasses import replace

from tierscope.record.result import Record, Run
from tierscope.stats.background import doubt, shares_memory
from tierscope.stats.judged import Judged
from tierscope.stats.point import Point
from tierscope.stats.takes import takes_of


def doubted(run: Run, record: Record, found: Judged) -> Judged:
    """Return a judged visit with the doubt about its background, where there is one; not of takes without memory."""
    identity = run.result.machine.identity
    why = doubt(record.background, len(identity.cpus))
    if not why:
        return found
    meets = [
        any(shares_memory(record.groups[group], identity.caches, identity.cpus) for group in take)
        for take in takes_of(record.experiment)
    ]
    points = (_doubted(one, why) if met else one for one, met in zip(found.points, meets, strict=True))
    contrasts = (
        replace(one, reasons=(*one.reasons, why)) if met else one
        for one, met in zip(found.contrasts, meets, strict=False)
    )
    return replace(found, points=tuple(points), contrasts=tuple(contrasts))


def _doubted(point: Point, why: str) -> Point:
    return replace(point, groups=tuple(replace(one, reasons=(*one.reasons, why)) for one in point.groups))
