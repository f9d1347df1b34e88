"""The second stage: suspects with healthy controls in further sessions, and "more than 2 % slower" as a test.

A slot is one day and session, in which suspects and controls of a group ran. In each, the level of the group is the
mean of its controls, each corrected by its own known deviation. The noise is that of one session, pooled over all
machines and slots.
H0: not slower than 2 %. Benjamini-Hochberg at 5 % over suspects x (metrics + score); intervals are those for selected
parameters. Sources: Y. Benjamini, Y. Hochberg, J. R. Statist. Soc. B 57, 1995; Y. Benjamini, D. Yekutieli, "False
Discovery Rate-Adjusted Multiple Confidence Intervals for Selected Parameters", JASA 100, 2005.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from tierscope.arrays import Floats, Integers, Places, Truths
from tierscope.fleet.known import mean_and_count, mean_of
from tierscope.fleet.screen import Part, Screened
from tierscope.fleet.store import DayRecord, Store, literal
from tierscope.fleet.window import DAYS, Window

LIMIT, RATE = 0.02, 0.05  # slower by more than this; share of false discoveries
LEAST_SLOTS, LEAST_CONTROLS = 3, 4
MOST_CONTROLS = 24  # of one group
CALM = 1.5  # a control is within this number of spreads of its peers, in every metric that it is compared by


@dataclass(frozen=True)
class Confirmed:
    """The test of the suspects, (suspects, metrics + 1), the score last: mean deviation, its error, slots, verdicts."""

    suspects: Places
    mean: Floats
    error: Floats
    slots: Integers
    rejected: Truths
    quantile: float  # interval = mean +- quantile x error
    noise: Floats  # (metrics + 1,)


def controls_of(screened: Screened, seed: int) -> Places:
    """Return healthy machines for the sessions, drawn from every part that has suspects; the same for a seed."""
    draw = np.random.default_rng(seed)
    chosen: list[int] = []
    for part in screened.parts:
        if screened.suspect[part.places].any():
            chosen += draw.permutation(_calm(part, screened))[:MOST_CONTROLS].tolist()
    return np.array(sorted(set(chosen)), dtype=np.intp)


def _calm(part: Part, screened: Screened) -> Places:
    """Return the peers of a part that are not suspects, and near the middle."""
    calm: Places = part.peers[~screened.suspect[part.peers] & (np.abs(screened.z[part.peers, -1]) < CALM)]
    return calm


def sessions(store: Store, records: dict[str, DayRecord], window: Window) -> Floats:
    """Return the further sessions of the window's days, (sessions, machines, metrics + 1); absent numbers are NaN."""
    used = [one for one in sorted(records) if one <= window.day][-DAYS:]
    files = [path for day in used for path in records[day].files.get("rows", ())]
    found = store.query(
        "SELECT day, session, machine_key, metric_key, deviation FROM {files} "
        f"WHERE session > 0 AND plan = {literal(window.plan)} ORDER BY day, session",
        files,
    )
    names = [f"{day} {session}" for day, session in zip(found["day"].tolist(), found["session"].tolist(), strict=True)]
    slots, slot = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)
    made = np.full((len(slots), len(window.key), len(window.metric_keys)), np.nan)
    if names:
        machine, metric = _place(window.key, found["machine_key"]), _place(window.metric_keys, found["metric_key"])
        known = (machine >= 0) & (metric >= 0)
        made[slot[known], machine[known], metric[known]] = np.asarray(found["deviation"])[known]
    return np.concatenate([made, mean_of(made)[:, :, None]], axis=2)


def _place(keys: Integers, asked: Any) -> Places:
    """Return the place of each number among sorted keys, -1 for a stranger."""
    asked = np.asarray(asked, dtype=np.int64)
    if not len(keys):  # without peers, no metric is compared
        return np.full(len(asked), -1)
    place = np.searchsorted(keys, asked)
    return np.where(keys[np.minimum(place, len(keys) - 1)] == asked, place, -1)


def confirm(window: Window, screened: Screened, seen: Floats) -> Confirmed:
    """Return the test of every suspect; seen: (sessions, machines, metrics + 1)."""
    suspects = np.flatnonzero(screened.suspect)
    width = screened.deviation.shape[1]
    relative, control_error = np.full_like(seen, np.nan), np.full((len(window.key), width), np.nan)
    noise, degrees = _noise(seen)
    for part in screened.parts:
        calm = _calm(part, screened)
        if len(calm) < LEAST_CONTROLS or not len(seen):
            continue
        share, left = shrinking(part.spread, window)
        level, count = mean_and_count(seen[:, calm] - (share * screened.deviation[calm])[None], 1)
        level = np.where(count >= LEAST_CONTROLS, level, np.nan)
        relative[:, part.places] = seen[:, part.places] - level[:, None]
        # noise is fresh in each slot, what is unknown of the controls is the same in all
        error = (noise**2 / len(seen) + left**2) / np.maximum(count.min(axis=0), 1)
        control_error[part.places] = np.sqrt(error)
    found = relative[:, suspects]
    slots = (~np.isnan(found)).sum(axis=0)
    mean, _ = mean_and_count(found, 0)
    error = np.sqrt(noise**2 / np.maximum(slots, 1) + control_error[suspects] ** 2)
    return _judged(suspects, mean, error, slots, noise, degrees)


def _judged(
    suspects: Places, mean: Floats, error: Floats, slots: Integers, noise: Floats,
    degrees: float,
) -> Confirmed:  # fmt: skip
    usable = (slots >= LEAST_SLOTS) & ~np.isnan(mean) & ~np.isnan(error)
    statistic = np.where(usable, (-mean + np.log1p(-LIMIT)) / np.maximum(error, 1e-9), -np.inf)
    chance = stdtr(degrees, -statistic)
    rejected = usable & discoveries(chance, RATE)
    share = max(1, int(rejected.sum())) / max(1, rejected.size)
    quantile = float(-stdtrit(degrees, RATE * share / 2))
    return Confirmed(suspects, mean, error, slots, rejected, quantile, noise)


def discoveries(chance: Floats, rate: float) -> Truths:
    """Return which hypotheses Benjamini-Hochberg rejects; chance: of any shape."""
    ordered = np.sort(chance, axis=None)
    below = np.flatnonzero(ordered <= rate * np.arange(1, ordered.size + 1) / max(1, ordered.size))
    return chance <= ordered[below[-1]] if below.size else np.zeros(chance.shape, dtype=bool)


def _noise(seen: Floats) -> tuple[Floats, float]:
    """Return the noise of one session around its machine's mean, (metrics + 1,), and its degrees of freedom."""
    slots, machines, width = seen.shape
    if slots < 2 or not machines:
        return np.full(width, np.nan), 1.0
    apart = seen - mean_and_count(seen, 1)[0][:, None]
    apart = apart - mean_and_count(apart, 0)[0][None]
    known = ~np.isnan(apart)
    ran = known.sum(axis=0)
    degrees = np.maximum((ran - 1).clip(min=0).sum(axis=0) - (slots - 1), 1)
    squares = np.where(known & (ran > 1)[None], apart, 0.0) ** 2
    enough = (ran > 1).any(axis=0)
    return np.where(enough, np.sqrt(squares.sum(axis=(0, 1)) / degrees), np.nan), float(degrees.min())


def shrinking(spread: Floats, window: Window) -> tuple[Floats, Floats]:
    """Return how much of a deviation in the window is the machine's own, and what stays unknown of it."""
    days = max(1.0, float(np.median(window.count)) if len(window.count) else 1.0)
    variance = window.noise**2 / days
    share = np.where(np.isnan(variance), 0.0, np.clip(1 - variance / spread**2, 0, 1))
    return share, np.where(np.isnan(variance), spread, np.sqrt(share * variance))
