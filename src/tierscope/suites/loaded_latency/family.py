"""Predictions of the model `loaded_family` for the loads that it was not given.

    bus of the load = bytes of both on the bus - those of the chaser                    [bytes/s]
    share of reads  = 1 - stored bytes / bus of the load                                [1]

A plain store first reads its line, so that plain and non-temporal stores are points of one family. Each placement of
chaser and load has a family of its own. The model selects its points by share and bandwidth alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from tierscope.models.loaded_family import FEWEST, LoadedFamily, chosen
from tierscope.models.model import FitError
from tierscope.stats.median import Interval
from tierscope.suites.loaded_latency.row import LoadedLatencyRow
from tierscope.tables import Insight, Number
from tierscope.tables.measured import sure
from tierscope.units import show_rate

NORMAL = 1.96  # deviations of a 95 % interval
DIGITS = 6  # of a share: the same mix has the same one at any bandwidth
NAME = "model"
Place = tuple[float, float]
"""Share of reads on the bus, and bytes/s there."""


@dataclass(frozen=True)
class Fitted:
    """A family, or why there is none; given: the rows that it was fitted to."""

    given: tuple[LoadedLatencyRow, ...] = ()
    model: LoadedFamily | None = None
    why: str = ""

    def of(self, row: LoadedLatencyRow) -> Interval | None:
        """Return the prediction for a row; None for those that were given, and where it is not known."""
        place = _place(row)
        if self.model is None or place is None or any(row is one for one in self.given):
            return None
        try:
            found = self.model.predict(*place)
        except FitError:
            return None
        return Interval(found.low, found.value, found.high, len(self.given))


def with_model(rows: Sequence[LoadedLatencyRow]) -> list[LoadedLatencyRow]:
    """Return the rows with `model` where the family of their placement predicts them."""
    families = {curve: fitted(own) for curve, own in _placements(rows)}
    return [replace(row, model=families[row.curve].of(row)) if row.load_threads else row for row in rows]


def fitted(rows: Sequence[LoadedLatencyRow]) -> Fitted:
    """Return the family of the rows of one placement."""
    known = [(row, place, time) for row in rows if (place := _place(row)) and (time := sure(row, row.latency))]
    shares, bandwidth = (np.array([place[i] for _, place, _ in known]) for i in (0, 1))
    times = np.array([time.middle for _, _, time in known])
    try:
        places = chosen(shares, bandwidth)
        noise = float(np.median([time.relative for _, _, time in known])) / NORMAL
        model = LoadedFamily.fit(shares[places], bandwidth[places], times[places], noise=noise)
    except FitError as error:
        return Fitted(why=str(error))
    return Fitted(tuple(known[i][0] for i in places), model)


def said(rows: Sequence[LoadedLatencyRow], names: dict[tuple[object, ...], str]) -> Iterator[Insight]:
    """Yield the error of each family over the conclusive loads that it was not given, or why that is not known.

    Nothing for placements with FEWEST loads or less, of which none could be left to predict. rows: with `model`; names:
    of each placement, as `apart_names` gives them.
    """
    for curve, own in _placements(rows):
        if len(own) <= FEWEST:
            continue
        which = f" {names[curve]}" if names[curve] else ""
        found = fitted(own)
        scored = [(row, row.model, time) for row in own if row.model and (time := sure(row, row.latency))]
        why = found.why or (
            "" if scored else f"it predicts no conclusive load but the {len(found.given)} that it was given"
        )
        if why:
            text = f"The error of the model `loaded_family`{which} is not known, because {why}"
            yield Insight(name=f"{NAME}{which}", text=text, unit="1", conclusive=False)
        else:
            yield _error(which, len(found.given), scored)


def _error(which: str, given: int, scored: list[tuple[LoadedLatencyRow, Interval, Interval]]) -> Insight:
    errors = [model.middle / time.middle - 1 for _, model, time in scored]
    mean, at = float(np.mean(np.abs(errors))), int(np.argmax(np.abs(errors)))
    inside = sum(model.low <= time.middle <= model.high for _, model, time in scored)
    return Insight(
        name=f"{NAME}{which}",
        text=f"From {given} loads{which}, the model `loaded_family` is off by {100 * mean:.1f} % on average at the "
        f"{len(scored)} others (worst: {100 * errors[at]:+.1f} %, {_named(scored[at][0])}); its bounds contain "
        f"{inside} of them",
        value=mean,
        unit="1",
        kind="difference",
        others=(Number(value=errors[at], kind="difference"), *_share(scored[at][0])),
    )


def _named(row: LoadedLatencyRow) -> str:
    reads = 100 * (row.read_share or 0.0)
    stores = "" if row.store == "none" else f", {row.store} stores"
    return f"{reads:.0f} % reads{stores}, {show_rate(row.bandwidth.middle if row.bandwidth else 0.0)}"


def _share(row: LoadedLatencyRow) -> tuple[Number, ...]:
    return (Number(value=row.read_share or 0.0, kind="share"),)


def _placements(rows: Sequence[LoadedLatencyRow]) -> Iterator[tuple[tuple[object, ...], list[LoadedLatencyRow]]]:
    loads = [row for row in rows if row.load_threads]
    for curve in dict.fromkeys(row.curve for row in loads):
        yield curve, [row for row in loads if row.curve == curve]


def _place(row: LoadedLatencyRow) -> Place | None:
    """Return None where only a counter could measure the bytes on the bus."""
    if row.bus_bytes_per_s is None or row.read_share is None or not row.bandwidth or not row.bandwidth.middle:
        return None
    bus = row.bus_bytes_per_s - (row.chaser_bytes_per_s or 0.0)
    return round(1 - (1 - row.read_share) * row.bandwidth.middle / bus, DIGITS), bus
