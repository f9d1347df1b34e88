"""When a host departed from its peers: CUSUM of its daily residuals, with confirmation.

z = (residual - mean of the baseline) / sigma, clipped at 3; S = max(0, S - z - k), alarm at S > h (k = 1, h = 8). The
change begins on the day that separates the two levels best, behind the last day with S = 0. The week after the alarm
must then be more than 2 % slower, at 99 %, with its variance inflated for the memory of the noise, (1 + r) / (1 - r),
r = 0.3. Three repeats of one night replace it.
Source: E. S. Page, "Continuous Inspection Schemes", Biometrika 41, 1954.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from tierscope.arrays import Floats, Places, Truths
from tierscope.stats.median import MAD_SIGMA, SIGMAS_95

Base = tuple[Floats, Floats, Truths]
K, H, CLIP = 1.0, 8.0, 3.0
BASELINE, WEEK, LIMIT, SURE = 21, 7, 0.02, 0.99
INFLATED = (1 + 0.3) / (1 - 0.3)
QUANTILE = float(stdtrit((BASELINE - 1) / INFLATED, SURE))  # sigma is known by as many independent days
LEAST_SIGMA = 0.002  # below it a fleet without noise would alarm at a rounding error


@dataclass(frozen=True)
class Alarm:
    """One change of one series. day, seen: places of its first day and of the alarm; change: logarithm, below 0 slower.

    half: of the 95 % interval; confirmed: whether the week after the alarm, or repeats, showed it.
    """

    series: int
    day: int
    seen: int
    change: float
    half: float
    confirmed: bool


def alarms(residuals: Floats, repeats: Floats | None = None) -> list[Alarm]:
    """Return the slowdowns of every series, (days, series), with NaN for a day without a report.

    repeats: (days, series), mean of at least three repeats of a day, NaN without them. A change that is refuted starts
    a new search behind it; one that is confirmed starts a new baseline. A change for the better does so too.
    """
    starts = beginnings(residuals)
    start = starts[0].copy()  # of the baseline
    begin = start + BASELINE  # of the search
    pending, found = np.arange(residuals.shape[1]), list[Alarm]()
    while len(pending):
        mean, sigma, known = baseline(residuals, start, pending)
        first = np.where(known, np.maximum(begin[pending], start[pending] + BASELINE), len(residuals))
        seen, day, better = _first(residuals[:, pending], mean, sigma, first)
        alarmed = np.flatnonzero(seen >= 0)
        for place in alarmed.tolist():
            one, when = int(pending[place]), (int(day[place]), int(seen[place]))
            base = (float(mean[place]), float(sigma[place]))
            alarm = _judged(residuals[:, one], one, when, base, repeats, better=bool(better[place]))
            begin[one] = when[1] + 1
            if alarm is not None:
                start[one] = starts[max(when[0], start[one] + 1), one]
                found += [] if better[place] else [alarm]
        pending = pending[alarmed]
    return sorted(found, key=lambda one: (one.series, one.seen))


def beginnings(residuals: Floats) -> Places:
    """Return the first day from each day on with which a baseline can begin, (days + 1, series); days if none can.

    Such a day is known, and so are enough of the days that follow it: a host may join the fleet later.
    """
    days = len(residuals)
    known = ~np.isnan(residuals)
    count = np.zeros((days + BASELINE, residuals.shape[1]), dtype=np.intp)
    count[1 : days + 1] = np.cumsum(known, axis=0)
    count[days + 1 :] = count[days]
    enough = known & (count[BASELINE:][:days] - count[:days] >= BASELINE // 2)
    place = np.where(enough, np.arange(days)[:, None], days)
    place = np.concatenate([place, np.full((1, residuals.shape[1]), days)])
    return np.minimum.accumulate(place[::-1], axis=0)[::-1]


def followed(residuals: Floats) -> Truths:
    """Return the series that have a complete baseline, and a day after it."""
    return np.asarray(beginnings(residuals)[0] + BASELINE < len(residuals))


def baseline(residuals: Floats, start: Places, which: Places) -> Base:
    """Return mean and sigma of the baselines that begin on these days, and whether enough of their days are known."""
    days = start[which][:, None] + np.arange(BASELINE)[None]
    inside = days < len(residuals)
    values = np.where(inside, residuals[np.minimum(days, len(residuals) - 1), which[:, None]], np.nan)
    known = (np.sum(~np.isnan(values), axis=1) >= BASELINE // 2) & (start[which] + BASELINE < len(residuals))
    values[~known] = 0.0
    middle = np.nanmedian(values, axis=1)
    robust = MAD_SIGMA * np.nanmedian(np.abs(values - middle[:, None]), axis=1)
    plain = np.nanstd(values, axis=1, ddof=1)
    sigma = np.maximum(np.maximum(robust, plain), LEAST_SIGMA)  # the larger: 21 days know it poorly
    return np.nanmean(values, axis=1), sigma, known


def _first(residuals: Floats, mean: Floats, sigma: Floats, first: Places) -> tuple[Places, Places, Truths]:
    """Return day of the first alarm, -1 without one, first day of the change, and whether it is for the better."""
    sums, zero = np.zeros((2, len(mean))), np.tile(first, (2, 1))
    seen, day = np.full((2, len(mean)), -1, dtype=np.intp)
    better = np.zeros(len(mean), dtype=bool)
    for now in range(int(first.min(initial=len(residuals))), len(residuals)):
        z = np.clip((residuals[now] - mean) / sigma, -CLIP, CLIP)
        use = (now >= first) & ~np.isnan(z)
        for side, sign in ((0, -1.0), (1, 1.0)):
            sums[side] = np.where(use, np.maximum(0.0, sums[side] + sign * z - K), sums[side])
            zero[side] = np.where(use & (sums[side] == 0), now + 1, zero[side])
            fresh = (sums[side] > H) & (seen < 0)
            seen[fresh], day[fresh], better[fresh] = now, zero[side][fresh], side == 1
    return seen, day, better


def _judged(
    values: Floats,
    series: int,
    days: tuple[int, int],
    base: tuple[float, float],
    repeats: Floats | None,
    *,
    better: bool,
) -> Alarm | None:
    """Return the change if it is confirmed or waits for more days; None if the week refutes it."""
    day, seen = days
    mean, sigma = base
    week = values[seen + 1 : seen + 1 + WEEK]
    week = week[~np.isnan(week)]
    again = repeats[seen : seen + WEEK + 1, series] if repeats is not None else np.array([])
    again = again[~np.isnan(again)]
    of_baseline = sigma**2 * INFLATED / BASELINE
    if len(again):
        change, error = float(again.mean()) - mean, np.sqrt(sigma**2 / (3 * len(again)) + of_baseline)
    elif len(week) >= WEEK - 2:
        change, error = float(week.mean()) - mean, np.sqrt(sigma**2 * INFLATED / len(week) + of_baseline)
    else:
        since = values[day : seen + 1]
        change = float(np.nanmedian(since)) - mean
        return Alarm(series, day, seen, change, SIGMAS_95 * float(np.sqrt(sigma**2 * INFLATED / 3)), confirmed=False)
    toward = -change if better else change
    if toward + QUANTILE * error > np.log1p(-LIMIT):
        return None
    return Alarm(series, _first_day(values, days, mean, change), seen, change, SIGMAS_95 * float(error), confirmed=True)


def _first_day(values: Floats, days: tuple[int, int], mean: float, change: float) -> int:
    """Return the day from which on the new level explains the values best, least squares."""
    apart = np.nan_to_num(values[days[0] : days[1] + 1] - mean)
    gain = apart**2 - (apart - change) ** 2  # of each day, if it belongs to the new level
    return days[0] + int(np.argmax(np.cumsum(gain[::-1])[::-1]))
