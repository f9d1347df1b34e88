"""The objects of a program: which of them wait for a tier, and which move bytes."""

from collections.abc import Iterator
from typing import ClassVar

from tierscope.record.predicted import OTHERS, REST, PlacedObject, Predicted, PredictedPlacement
from tierscope.record.result import Run
from tierscope.suites.prediction.row_placed import ObjectRow
from tierscope.suites.prediction.table import name_of
from tierscope.tables import Insight, Main, Number, tables
from tierscope.units import show_apart, show_bytes

LEAST = 0.01  # share of the added time that is worth a sentence


class PredictionObjects:
    """One row for each object and tier. See [how to place objects](../how-to/place-objects.md)."""

    name: ClassVar[str] = "prediction_objects"
    title: ClassVar[str] = "Objects that wait for a tier"
    place: ClassVar[int] = 49
    topics: ClassVar[tuple[str, ...]] = ()
    in_terminal: ClassVar[bool] = True
    keys: ClassVar[tuple[str, ...]] = ("command", "tier", "object")
    main: ClassVar[tuple[Main, ...]] = (Main("seconds_added", less_is_better=True),)
    row: ClassVar[type[ObjectRow]] = ObjectRow
    says: ClassVar[dict[str, str]] = {"waits_most TIER": "share of the time that the tier adds"}

    def rows(self, run: Run) -> list[ObjectRow]:
        found = run.result.predicted
        return [row for one in found.placed for row in _rows(found, one, run.result.origin)] if found else []

    def insights(self, run: Run, rows: list[ObjectRow]) -> list[Insight]:
        """Return the object that waits most, for each tier."""
        del run
        objects = [row for row in rows if row.kind not in {OTHERS, REST} and row.added_share >= LEAST]
        first = {row.tier: row for row in reversed(objects)}
        return [_said(first[tier]) for tier in dict.fromkeys(row.tier for row in objects)]


def _rows(found: Predicted, placed: PredictedPlacement, origin: str) -> Iterator[ObjectRow]:
    tier = next((one for one in found.tiers if one.tier == placed.tier), None)
    added = (tier.ratio - 1) * found.wall_s if tier and tier.ratio is not None else None
    whole = sum(one.moved_bytes for one in placed.objects)
    for number, one in enumerate(placed.objects):
        yield ObjectRow(
            command=name_of(found),
            tier=placed.tier,
            object=one.name,
            kind=one.kind,
            added_share=min(one.share, 1.0),
            seconds_added=None if added is None else one.share * added,
            size=one.bytes,
            allocations=one.allocations,
            moved_share=min(one.moved_bytes / whole, 1.0) if whole else None,
            moved_bytes=round(one.moved_bytes),
            best_for=_sizes(placed, number, one),
            stack=one.stack,
            origin=origin,
        )


def _sizes(placed: PredictedPlacement, number: int, one: PlacedObject) -> tuple[str, ...]:
    """Return the sizes of --fast whose best set contains the object."""
    if one.kind in {OTHERS, REST}:
        return ()
    fast = {best.fast_bytes: best.objects for best in placed.sets if best.fast_bytes is not None}
    texts = show_apart(fast)
    return tuple(texts[size] for size, objects in fast.items() if number in objects)


def _said(row: ObjectRow) -> Insight:
    known = row.seconds_added is not None
    text = f"{row.object}, {show_bytes(row.size or 0)}: {100 * row.added_share:.0f} % of the time that {row.tier} adds "
    text += "waits for it"
    if row.moved_share is not None:
        text += f", and {100 * row.moved_share:.0f} % of the bytes are moved for it"
    if not known:
        text += "; by the model alone, which does not match the time here"
    others = () if row.moved_share is None else (Number(value=row.moved_share, kind="share"),)
    return Insight(
        name=f"waits_most {row.tier.replace(' ', '_')}", text=text, value=row.added_share, unit="1", kind="share",
        others=others, conclusive=known,
    )  # fmt: skip


tables.add(PredictionObjects())
