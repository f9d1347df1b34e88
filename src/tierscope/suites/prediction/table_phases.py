"""The phases of a program: its time here and on each tier, and what it waits for there."""

from typing import ClassVar

from tierscope.record.predicted import Predicted, PredictedPhase
from tierscope.record.result import Run
from tierscope.suites.prediction.row import PhaseRow
from tierscope.suites.prediction.table import interval, name_of
from tierscope.tables import Insight, Main, Number, tables

APART = 1.1  # slowdown of the slowest phase over that of the fastest, from which it is worth a sentence


class PredictionPhases:
    """One row for each phase and tier. See [phases](../how-to/predict-program.md#phases)."""

    name: ClassVar[str] = "prediction_phases"
    title: ClassVar[str] = "Phases of the program"
    place: ClassVar[int] = 51
    topics: ClassVar[tuple[str, ...]] = ()
    keys: ClassVar[tuple[str, ...]] = ("command", "phase", "tier")
    main: ClassVar[tuple[Main, ...]] = (Main("seconds_there", less_is_better=True),)
    row: ClassVar[type[PhaseRow]] = PhaseRow
    says: ClassVar[dict[str, str]] = {"slowest_phase TIER": "time of that phase there over its time here"}

    def rows(self, run: Run) -> list[PhaseRow]:
        found = run.result.predicted
        return [_row(found, one, run.result.origin) for one in found.phases] if found else []

    def insights(self, run: Run, rows: list[PhaseRow]) -> list[Insight]:
        """Return the phase that adds most time to each tier, where phases differ."""
        del run
        tiers = dict.fromkeys(row.tier for row in rows)
        return [said for tier in tiers for said in [_said([row for row in rows if row.tier == tier])] if said]


def _row(found: Predicted, one: PredictedPhase, origin: str) -> PhaseRow:
    slowdown = interval(one.low, one.ratio, one.high)
    return PhaseRow(
        command=name_of(found),
        phase=one.phase,
        tier=one.tier,
        visits=one.visits,
        share=min(one.share, 1.0),
        seconds=one.seconds,
        slowdown=slowdown,
        seconds_there=slowdown.times(one.seconds) if slowdown and one.seconds is not None else None,
        waits_latency=one.latency_share,
        waits_bandwidth=one.bandwidth_share,
        origin=origin,
    )


def _said(rows: list[PhaseRow]) -> Insight | None:
    known = [(row, row.slowdown, row.share * (row.slowdown.middle - 1)) for row in rows if row.slowdown]
    added = sum(more for *_, more in known if more > 0)
    ratios = [slowdown.middle for _, slowdown, _ in known]
    if not added or min(ratios, default=0) <= 0 or max(ratios) < APART * min(ratios):
        return None
    row, slowdown, more = max(known, key=lambda one: one[2])
    part = Number(value=more / added, kind="share")
    here = Number(value=row.share, kind="share")
    text = (
        f"Phase {row.phase} adds {100 * part.value:.0f} % of what {row.tier} adds: {slowdown.middle:.2f}x "
        f"({slowdown.low:.2f}x to {slowdown.high:.2f}x) there, {100 * here.value:.0f} % of the time here"
    )
    return Insight(
        name=f"slowest_phase {row.tier.replace(' ', '_')}", text=text, value=slowdown.middle, low=slowdown.low,
        high=slowdown.high, unit="1", others=(part, here),
    )  # fmt: skip


tables.add(PredictionPhases())
