"""A program on each tier that was asked for: slowdown with bounds, and where the time goes."""

import shlex
from collections.abc import Iterator
from typing import ClassVar

from tierscope.draw.words import short_command
from tierscope.record.predicted import Predicted, PredictedTier
from tierscope.record.result import Run
from tierscope.stats.median import Interval
from tierscope.suites.prediction.row import PredictionRow
from tierscope.tables import Asked, Insight, Main, Number, Unjudged, tables

KNOWN, UNKNOWN = "known", "not known"


class Prediction:
    """One row for each tier. See [how to predict a program](../how-to/predict-program.md)."""

    name: ClassVar[str] = "prediction"
    title: ClassVar[str] = "A program on other memories"
    place: ClassVar[int] = 48
    asked: ClassVar[Asked] = Asked(
        question="How long would this program take on that memory?",
        answers=("predicted", "predicted_unknown"),
        keys={"predicted": "slowdown on {}"},
    )
    bounded: ClassVar[Unjudged] = Unjudged(
        thing="prediction",
        number="slowdown",
        names="tier",
        why="why",
        limits="How often such bounds contain the time on a real second memory is not known yet.",
    )
    topics: ClassVar[tuple[str, ...]] = ()
    keys: ClassVar[tuple[str, ...]] = ("command", "tier")
    main: ClassVar[tuple[Main, ...]] = (Main("seconds", less_is_better=True),)
    row: ClassVar[type[PredictionRow]] = PredictionRow
    says: ClassVar[dict[str, str]] = {
        "predicted TIER": "wall time on that tier over that here",
        "predicted_unknown TIER": "null: the text has the reason",
        "prediction_fit": "time of the model over the time that was measured here",
        "prediction_note": "null: the text has what limits the answers",
    }

    def rows(self, run: Run) -> list[PredictionRow]:
        found = run.result.predicted
        return [_row(found, one, run.result.origin) for one in found.tiers] if found else []

    def insights(self, run: Run, rows: list[PredictionRow]) -> list[Insight]:
        """Return a sentence for each tier, how well the model fits here, and what limits the answers."""
        found = run.result.predicted
        notes = (
            [Insight(name="prediction_note", text=begun(note), conclusive=False, detail=True) for note in found.notes]
            if found
            else []
        )
        return [*(_said(row) for row in rows), *(_fits(found) if found else ()), *notes]


def _fits(found: Predicted) -> Iterator[Insight]:
    """Yield how the model compares with the runs here."""
    if found.model_over_measured is None:
        return
    of = f" of {found.followed[0].words[0]}" if found.followed else ""
    text = f"The model takes {found.model_over_measured:.2f}x the time{of} that was measured here"
    others: tuple[Number, ...] = ()
    if found.noise_share is not None:
        text += f"; runs here differ by {100 * found.noise_share:.1f} %"
        others = (Number(value=found.noise_share, kind="percent"),)
    yield Insight(
        name="prediction_fit",
        text=text,
        value=found.model_over_measured,
        unit="1",
        others=others,
        conclusive=False,
        detail=True,
    )


def begun(text: str) -> str:
    """Return a note with a capital letter."""
    return text[:1].upper() + text[1:]


def name_of(found: Predicted) -> str:
    """Return the command line."""
    return shlex.join(found.command)


def interval(low: float | None, middle: float | None, high: float | None) -> Interval | None:
    """Return the bounds of a prediction; None where it is not known."""
    return None if low is None or middle is None or high is None else Interval(low, middle, high, 1)


def _row(found: Predicted, one: PredictedTier, origin: str) -> PredictionRow:
    slowdown = interval(one.low, one.ratio, one.high)
    return PredictionRow(
        command=name_of(found),
        tier=one.tier,
        answer=KNOWN if slowdown else UNKNOWN,
        slowdown=slowdown,
        seconds=slowdown.times(found.wall_s) if slowdown else None,
        waits_latency=one.latency_share,
        waits_bandwidth=one.bandwidth_share,
        large_pages=one.large_pages_share,
        latency_over=one.latency_over,
        bandwidth_over=one.bandwidth_over,
        lever=one.lever,
        by_lever=interval(one.lever_low, one.lever_ratio, one.lever_high),
        why=one.unknown,
        origin=origin,
    )


def _said(row: PredictionRow) -> Insight:
    tier, program = row.tier.replace(" ", "_"), short_command(row.command)
    one = row.slowdown
    if one is None:
        text = f"{program} on {row.tier}: not known, because {row.why}"
        return Insight(name=f"predicted_unknown {tier}", text=text, conclusive=False)
    text = f"{program} on {row.tier}: {one.middle:.2f}x the time ({one.low:.2f}x to {one.high:.2f}x)"
    others: tuple[Number, ...] = ()
    if row.waits_latency is not None and row.waits_bandwidth is not None:
        text += (
            f"; {100 * row.waits_latency:.0f} % of it waits for misses, {100 * row.waits_bandwidth:.0f} % for bandwidth"
        )
        others = tuple(Number(value=share, kind="share") for share in (row.waits_latency, row.waits_bandwidth))
    return Insight.of(one, name=f"predicted {tier}", text=text, unit="1", others=others)


tables.add(Prediction())
