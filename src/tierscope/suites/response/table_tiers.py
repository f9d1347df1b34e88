"""The program on other tiers, extrapolated from each lever, with bounds that widen with the distance."""

from collections.abc import Iterator
from typing import ClassVar

from tierscope.draw.words import short_command
from tierscope.record.result import Run
from tierscope.stats.median import Interval
from tierscope.suites.response.found import Found, found
from tierscope.suites.response.labels import BETWEEN, ResponseLabels
from tierscope.suites.response.options import Tier, tier_of
from tierscope.suites.response.row import TierRow
from tierscope.suites.response.table import ResponseSteps
from tierscope.suites.response.table_fit import KNOWN, UNKNOWN
from tierscope.tables import Insight, Main, tables
from tierscope.tables.measured import records


class ResponseTiers:
    """One row for each tier and lever."""

    name: ClassVar[str] = "response_tiers"
    title: ClassVar[str] = "The program on other tiers"
    place: ClassVar[int] = 47
    keys: ClassVar[tuple[str, ...]] = ("command", "lever", "tier")
    main: ClassVar[tuple[Main, ...]] = ()  # extrapolated from the steps, which are compared
    row: ClassVar[type[TierRow]] = TierRow
    says: ClassVar[dict[str, str]] = {"response_tier TIER": "slowdown on that tier, by the lever with the best bounds"}

    def rows(self, run: Run) -> list[TierRow]:
        words = {
            (labels.command, labels.lever): labels.on.split(BETWEEN)
            for record in records(run, ResponseSteps.name)
            for labels in [ResponseLabels.read(record.experiment)]
            if labels.on
        }
        return [row for one in found(ResponseSteps().rows(run)) for row in _rows(one, words)]

    def insights(self, run: Run, rows: list[TierRow]) -> list[Insight]:
        """Return a sentence for each tier that a lever knows."""
        del run
        known = [row for row in rows if row.slowdown]
        best = {}
        for row in sorted(known, key=lambda row: -(row.slowdown.relative if row.slowdown else 0)):
            best[row.command, row.tier] = row
        return [_said(row, row.slowdown) for row in best.values() if row.slowdown]


def _rows(one: Found, words: dict[tuple[str, str], list[str]]) -> Iterator[TierRow]:
    for word in words.get((one.command, one.lever), []):
        yield _row(one, tier_of(word))


def _row(one: Found, tier: Tier) -> TierRow:
    base = one.rows[0]
    ratio = tier.factor if tier.factor is not None else tier.ratio(base.latency.middle) if base.latency else None
    said = one.at(ratio) if ratio is not None else "the latency here was not measured"
    slowdown = None if isinstance(said, str) else Interval(said.low, said.value, said.high, len(one.rows) - 1)
    return TierRow(
        command=one.command,
        lever=one.lever,
        tier=tier.name,
        over=ratio,
        answer=KNOWN if slowdown else UNKNOWN,
        slowdown=slowdown,
        seconds=slowdown.times(base.seconds.middle) if slowdown and base.seconds else None,
        far=one.fit.distance(ratio) if one.fit and ratio is not None else None,
        why=said if isinstance(said, str) else "",
        origin=base.origin,
    )


def _said(row: TierRow, slowdown: Interval) -> Insight:
    text = (
        f"{short_command(row.command)} on {row.tier}: {slowdown.middle:.2f}x the time "
        f"({slowdown.low:.2f}x to {slowdown.high:.2f}x), by {row.lever}"
    )
    return Insight.of(slowdown, name=f"response_tier {row.tier.replace(' ', '_')}", text=text, unit="1")


tables.add(ResponseTiers())
