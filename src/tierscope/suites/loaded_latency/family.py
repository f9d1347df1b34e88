"""Predictions of the model `loaded_family` for the loads that it was not given.

Each placement of chaser and load has a family of its own, and each kind of stores in it: what a plain store costs on
the bus differs between CPUs. Loads without stores are points of both. The model selects its points by share of reads
and bandwidth alone.
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
from tierscope.tables.scored import noise_of, score
from tierscope.units import show_rate

NAME = "model"
NONE = "none"
Key = tuple[tuple[object, ...], str]
"""Placement, and kind of stores."""


@dataclass(frozen=True)
class Fitted:
    """A family, or why there is none; given: the rows that it was fitted to."""

    given: tuple[LoadedLatencyRow, ...] = ()
    model: LoadedFamily | None = None
    why: str = ""

    def of(self, row: LoadedLatencyRow) -> Interval | None:
        """Return the prediction for a row; None for those that were given, and where it is not known."""
        if self.model is None or not _known(row) or any(row is one for one in self.given):
            return None
        try:
            found = self.model.predict(*_place(row))
        except FitError:
            return None
        return Interval(*found.short, len(self.given))


def with_model(rows: Sequence[LoadedLatencyRow]) -> list[LoadedLatencyRow]:
    """Return the rows with `model` where their family predicts them."""
    found: dict[int, Interval] = {}
    for _, own in _families(rows):
        family = fitted(own)
        found |= {id(row): model for row in own if (model := family.of(row))}
    return [replace(row, model=found[id(row)]) if id(row) in found else row for row in rows]


def fitted(rows: Sequence[LoadedLatencyRow]) -> Fitted:
    """Return the family of its rows."""
    known = [(row, time) for row in rows if _known(row) and (time := sure(row, row.latency))]
    shares, bandwidth = np.array([_place(row) for row, _ in known]).reshape(-1, 2).T
    times = np.array([time.middle for _, time in known])
    try:
        places = chosen(shares, bandwidth)
        noise = noise_of([time for _, time in known])
        model = LoadedFamily.fit(shares[places], bandwidth[places], times[places], noise=noise)
    except FitError as error:
        return Fitted(why=f"{error}; {len(known)} of {len(rows)} loads are conclusive")
    return Fitted(tuple(known[i][0] for i in places), model)


def said(rows: Sequence[LoadedLatencyRow], names: dict[tuple[object, ...], str]) -> Iterator[Insight]:
    """Yield the error of each family over the conclusive loads that it was not given, or why that is not known.

    Nothing for families with FEWEST loads or less: they leave none to predict. rows: with `model`; names: of each
    placement, as `apart_names` gives them.
    """
    for (curve, store), own in _families(rows):
        if len(own) <= FEWEST:
            continue
        which = ", ".join(word for word in (names[curve], f"{store} stores" * (store != NONE)) if word)
        found = fitted(own)
        scored = [(row, row.model, time) for row in own if row.model and (time := sure(row, row.latency))]
        few = f"it predicts no conclusive load except the {len(found.given)} that it was given"
        if why := found.why or few * (not scored):
            text = f"The error of the model `loaded_family`{_of(which)} is not known, because {why}"
            yield Insight(name=f"{NAME} {which}".strip(), text=text, unit="1", conclusive=False)
        else:
            yield _error(which, len(found.given), scored)


def _of(which: str) -> str:
    return f" ({which})" if which else ""


def _others(count: int) -> str:
    return "the other one" if count == 1 else f"the {count} others"


def _error(which: str, given: int, scored: list[tuple[LoadedLatencyRow, Interval, Interval]]) -> Insight:
    its = score([(model, time) for _, model, time in scored])
    worst = scored[its.at][0]
    return Insight(
        name=f"{NAME} {which}".strip(),
        text=f"From {given} loads{_of(which)}, the model `loaded_family` is off by {100 * its.mean:.1f} % on average "
        f"at {_others(len(scored))} (worst: {100 * its.worst:+.1f} %, {_named(worst)}); its bounds contain "
        f"{its.inside} of them",
        value=its.mean,
        unit="1",
        kind="difference",
        others=(Number(value=its.worst, kind="difference"), Number(value=_place(worst)[0], kind="share")),
    )


def _named(row: LoadedLatencyRow) -> str:
    share, bandwidth = _place(row)
    stores = "" if row.store == "none" else f", {row.store} stores"
    return f"{100 * share:.0f} % reads{stores}, {show_rate(bandwidth)}"


def _families(rows: Sequence[LoadedLatencyRow]) -> Iterator[tuple[Key, list[LoadedLatencyRow]]]:
    """Yield the rows of each placement and kind of stores, those without stores in each; alone if none store."""
    loads = [row for row in rows if row.load_threads]
    for curve in dict.fromkeys(row.curve for row in loads):
        here = [row for row in loads if row.curve == curve]
        for store in dict.fromkeys(row.store for row in here if row.store != NONE) or (NONE,):
            yield (curve, store), [row for row in here if row.store in (store, NONE)]


def _known(row: LoadedLatencyRow) -> bool:
    return row.read_share is not None and row.bandwidth is not None and row.bandwidth.middle > 0


def _place(row: LoadedLatencyRow) -> tuple[float, float]:
    """Return the share of reads and the bandwidth."""
    assert row.read_share is not None
    assert row.bandwidth
    return row.read_share, row.bandwidth.middle
