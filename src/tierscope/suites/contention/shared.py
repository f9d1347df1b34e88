"""Predictions of the model `sharing` for the splits of a contention that it was not given.

With three or more mixed splits of a mode, it is given those next to a quarter and three quarters of the threads, and
predicts the others. With fewer, it is given both tiers with all threads alone.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from tierscope.models.model import FitError, Prediction
from tierscope.models.sharing import Sharing, Split
from tierscope.stats.median import Interval
from tierscope.suites.contention.labels import words_of
from tierscope.tables import Insight, Number
from tierscope.tables.scored import noise_of

if TYPE_CHECKING:
    from tierscope.suites.contention.table import ContentionRow

ENOUGH = 3  # mixed splits: two are given, one is left to predict
Alone = Sequence[tuple[int, Interval]]
"""Number of threads, and their bandwidth on a alone."""


def with_model(rows: "list[ContentionRow]", alone: Alone) -> "list[ContentionRow]":
    """Return the rows with `a_model` and `b_model` where the model predicts them; alone: fewer threads of a."""
    keys = {(row.mode, row.a_threads + row.b_threads) for row in rows}
    found = {key: _of([row for row in rows if (row.mode, row.a_threads + row.b_threads) == key], alone) for key in keys}
    return [
        replace(row, a_model=pair[0], b_model=pair[1])
        if (pair := found[row.mode, row.a_threads + row.b_threads].get(row.b_threads))
        else row
        for row in rows
    ]


def _of(rows: "list[ContentionRow]", alone: Alone) -> dict[int, tuple[Interval, Interval]]:
    """Return threads of B -> the prediction of A and of B; an empty dictionary if the model cannot be fitted."""
    every = rows[0].a_threads + rows[0].b_threads
    curve = {n: one for n, one in alone if n < every and one.middle}
    curve |= {row.a_threads: row.a_bandwidth for row in rows if not row.b_threads and row.a_bandwidth}
    mixed = {row.b_threads: row for row in rows if row.a_threads and row.b_threads and _known(row)}
    given = _given(list(mixed), every)
    ends = [row.b_bandwidth for row in rows if not row.a_threads and row.b_bandwidth]
    try:
        model = Sharing.fit(
            np.array(list(curve), dtype=np.float64), np.array([one.middle for one in curve.values()]),
            splits=[_split(mixed[k]) for k in given], second=ends[0].middle if ends else 0.0,
            noise=(noise_of(curve.values()), noise_of(ends or [_side(row, "b") for row in mixed.values()])),
        )  # fmt: skip
        return {k: _pair(model.predict(k)) for k in mixed if k not in given}
    except FitError:
        return {}


def _given(mixed: list[int], every: int) -> list[int]:
    if len(mixed) < ENOUGH:
        return []
    return sorted({min(mixed, key=lambda k: abs(k - part * every)) for part in (0.25, 0.75)})


def _known(row: "ContentionRow") -> bool:
    return all(one is not None and one.middle > 0 for one in (row.a_bandwidth, row.b_bandwidth))


def _side(row: "ContentionRow", side: str) -> Interval:
    found = row.a_bandwidth if side == "a" else row.b_bandwidth
    return found or Interval(0.0, 0.0, 0.0, 0)


def _split(row: "ContentionRow") -> Split:
    return Split(row.b_threads, _side(row, "a").middle, _side(row, "b").middle)


def _pair(found: tuple[Prediction, Prediction]) -> tuple[Interval, Interval]:
    first, second = (Interval(max(one.low, 0.0), one.value, one.high, 1) for one in found)
    return first, second


def said(rows: "list[ContentionRow]") -> list[Insight]:
    """Return the error of the model for each mode, over both groups of the splits that it was not given."""
    found = []
    for mode in dict.fromkeys(row.mode for row in rows):
        mine = [row for row in rows if row.mode == mode and row.a_model and row.b_model and row.conclusive]
        errors = {
            f"{side} of {row.split}": model.middle / measured.middle - 1
            for row in mine
            for side, model, measured in (("A", row.a_model, row.a_bandwidth), ("B", row.b_model, row.b_bandwidth))
            if model and measured
        }
        if errors:
            found.append(_insight(mode, errors, any(row.stand_in for row in mine)))
    return found


def _insight(mode: str, errors: dict[str, float], stand_in: bool) -> Insight:
    mean = sum(map(abs, errors.values())) / len(errors)
    worst = max(errors, key=lambda name: abs(errors[name]))
    return Insight(
        name=f"model {mode}",
        text=f"{words_of(mode)}: at splits that it was not given, the model `sharing` is off by {100 * mean:.1f} % on "
        f"average (worst: {100 * errors[worst]:+.1f} %, {worst})" + ("; b replaces a second tier" if stand_in else ""),
        value=mean,
        unit="1",
        kind="difference",
        others=(Number(value=errors[worst], kind="difference"),),
    )
