"""The program with sets of its objects in the memory here: growing sets, and the best one for each size."""

from collections.abc import Iterator
from typing import ClassVar

from tierscope.record.predicted import PlacedSet, Predicted, PredictedPlacement
from tierscope.record.result import Run
from tierscope.suites.prediction.row_placed import BEST, GROWING, SetRow
from tierscope.suites.prediction.table import interval, name_of
from tierscope.tables import Asked, Insight, Main, Number, Unjudged, tables
from tierscope.units import show_apart, show_bytes

ENOUGH = 0.9  # of the added time, that a set saves which a sentence names where no size was asked for
NAMES = 5  # objects that a sentence names


class PredictionPlacement:
    """One row for each set and tier. See [how to place objects](../how-to/place-objects.md)."""

    name: ClassVar[str] = "prediction_placement"
    title: ClassVar[str] = "Time over the size of the memory here"
    place: ClassVar[int] = 50
    asked: ClassVar[Asked] = Asked(
        question="Which data should stay in the memory here?",
        answers=("placed", "placed_unknown"),
        keys={"placed": "slowdown by placement: {}"},
    )
    bounded: ClassVar[Unjudged] = Unjudged(thing="object set", number="slowdown", names="tier", why="why")
    topics: ClassVar[tuple[str, ...]] = ()
    keys: ClassVar[tuple[str, ...]] = ("command", "tier", "set", "memory_bytes")
    main: ClassVar[tuple[Main, ...]] = (Main("seconds", less_is_better=True),)
    row: ClassVar[type[SetRow]] = SetRow
    says: ClassVar[dict[str, str]] = {
        "placed SIZE TIER": "wall time with the best set for this size, over that here",
        "placed_unknown TIER": "null: the text has the reason",
    }

    def rows(self, run: Run) -> list[SetRow]:
        found = run.result.predicted
        return [row for one in found.placed for row in _rows(found, one, run.result.origin)] if found else []

    def insights(self, run: Run, rows: list[SetRow]) -> list[Insight]:
        """Return a sentence for each size that was asked for; without sizes, the first set that saves enough."""
        found = run.result.predicted
        unknown = [_refused(one) for one in found.placed if one.unknown] if found else []
        return [*(_said(rows, row) for row in _chosen(rows)), *unknown]


def _chosen(rows: list[SetRow]) -> Iterator[SetRow]:
    for tier in dict.fromkeys(row.tier for row in rows):
        of_tier = [row for row in rows if row.tier == tier]
        best = [row for row in of_tier if row.set == BEST]
        enough = (row for row in of_tier if row.set == GROWING and row.objects and row.saved >= ENOUGH)
        yield from best or [row for row in [next(enough, None)] if row]


def _rows(found: Predicted, placed: PredictedPlacement, origin: str) -> Iterator[SetRow]:
    tier = next((one for one in found.tiers if one.tier == placed.tier), None)
    for one in placed.sets:
        yield _row(found, placed, one, tier.unknown if tier else "", origin)


def _row(found: Predicted, placed: PredictedPlacement, one: PlacedSet, unknown: str, origin: str) -> SetRow:
    slowdown = interval(one.low, one.ratio, one.high)
    return SetRow(
        command=name_of(found),
        tier=placed.tier,
        set=GROWING if one.fast_bytes is None else BEST,
        memory_bytes=one.bytes if one.fast_bytes is None else one.fast_bytes,
        size=one.bytes,
        objects=len(one.objects),
        of_objects=placed.count,
        slowdown=slowdown,
        seconds=slowdown.times(found.wall_s) if slowdown else None,
        saved=one.saved_share,
        estimated=one.estimated_share,
        names=tuple(placed.objects[i].name for i in one.objects),
        why="" if slowdown else unknown,
        origin=origin,
    )


def _said(rows: list[SetRow], row: SetRow) -> Insight:
    tier = row.tier
    size = show_apart(one.memory_bytes for one in rows if one.set == row.set and one.tier == tier)[row.memory_bytes]
    place = f"{size.replace(' ', '_')} {tier.replace(' ', '_')}"
    if not row.objects:
        return Insight(
            name=f"placed {place}", text=f"With {size} of the memory here: no object that waits for {tier} fits"
        )
    which = "this one" if row.objects == 1 else f"these {row.objects}"
    text = f"With {size} of the memory here: {which} of {row.of_objects} objects, {show_bytes(row.size)}, in it"
    names = "; ".join(row.names[:NAMES]) + (f"; {len(row.names) - NAMES} more" if len(row.names) > NAMES else "")
    nothing = next((one.slowdown for one in rows if one.tier == tier and not one.objects and one.slowdown), None)
    if row.slowdown is None or nothing is None:
        text += f": {100 * row.saved:.0f} % less added time on {tier}, by the model alone: {names}"
        return Insight(name=f"placed {place}", text=text, others=(Number(value=row.saved),), conclusive=False)
    one = row.slowdown
    text += (
        f": {one.middle:.2f}x ({one.low:.2f}x to {one.high:.2f}x) instead of {nothing.middle:.2f}x on {tier} alone: "
        f"{names}"
    )
    others = (Number(value=nothing.middle, low=nothing.low, high=nothing.high),)
    return Insight(
        name=f"placed {place}", text=text, value=one.middle, low=one.low, high=one.high, unit="1", others=others
    )


def _refused(placed: PredictedPlacement) -> Insight:
    tier = placed.tier.replace(" ", "_")
    text = f"Objects on {placed.tier}: not known, because {placed.unknown}"
    return Insight(name=f"placed_unknown {tier}", text=text, conclusive=False)


tables.add(PredictionPlacement())
