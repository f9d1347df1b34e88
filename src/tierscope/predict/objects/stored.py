"""Objects and their placement as a run directory stores them: the few that matter one by one, the others together."""

from collections import Counter
from collections.abc import Sequence

from tierscope.predict.objects.choice import USEFUL
from tierscope.predict.objects.placed import Placed, Point
from tierscope.record.predicted import OTHERS, REST, PlacedObject, PlacedSet, PredictedPlacement


def placements(found: Sequence[Placed]) -> tuple[PredictedPlacement, ...]:
    """Return the placements of all tiers."""
    return tuple(_placement(one) for one in found)


def _placement(placed: Placed) -> PredictedPlacement:
    if placed.unknown:
        return PredictedPlacement(tier=placed.tier, unknown=placed.unknown)
    shown = _shown(placed)
    number = {i: position for position, i in enumerate(shown)}
    sets = tuple(_set(point, number) for point in (*placed.curve, *placed.best))
    return PredictedPlacement(
        tier=placed.tier, count=len(placed.objects), objects=tuple(_objects(placed, shown)), sets=sets
    )


def _shown(placed: Placed) -> list[int]:
    """Return the objects that are stored one by one, those that wait most first.

    They are worth a place, in a set, or move much.
    """
    chosen = {i for point in (*placed.curve, *placed.best) for i in point.objects}
    least = USEFUL * placed.moved_all
    every = range(len(placed.objects))
    useful = [i for i in every if placed.shares[i] >= USEFUL or i in chosen or placed.moved[i] >= least > 0]
    return sorted(useful, key=lambda i: -placed.shares[i])


def _objects(placed: Placed, shown: Sequence[int]) -> list[PlacedObject]:
    """Return these objects, then the others together, if there are any, and the rest of the program's memory."""
    names = Counter[str]()
    made = []
    for i in shown:
        one = placed.objects[i]
        names[one.name] += 1
        name = one.name if names[one.name] == 1 else f"{one.name} ({names[one.name]})"  # functions of one name
        made.append(
            PlacedObject(name=name, kind=one.kind, stack=one.stack, bytes=one.bytes, allocations=one.allocations,
                         share=placed.shares[i], moved_bytes=placed.moved[i])
        )  # fmt: skip
    left = sorted(set(range(len(placed.objects))) - set(shown))
    if left:
        others = [placed.objects[i] for i in left]
        made.append(
            PlacedObject(
                name=f"{len(left):,} other objects", kind=OTHERS, stack=(), bytes=sum(one.bytes for one in others),
                allocations=sum(one.allocations for one in others), share=sum(placed.shares[i] for i in left),
                moved_bytes=sum(placed.moved[i] for i in left),
            )
        )  # fmt: skip
    made.append(
        PlacedObject(name="the rest", kind=REST, stack=(), bytes=None, allocations=None,
                     share=max(1 - sum(placed.shares), 0.0), moved_bytes=max(placed.moved_all - sum(placed.moved), 0.0))
    )  # fmt: skip
    return made


def _set(point: Point, number: dict[int, int]) -> PlacedSet:
    answer = point.answer
    return PlacedSet(
        fast_bytes=point.fast, bytes=point.bytes, objects=tuple(sorted(number[i] for i in point.objects)),
        saved_share=point.share, estimated_share=point.estimated, ratio=answer.ratio, low=answer.low,
        high=answer.high,
    )  # fmt: skip
