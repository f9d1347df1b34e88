"""When a host departed from its peers: CUSUM of its daily residuals, with confirmation.

z = (residual - mean of the baseline) / sigma, clipped at 3; S = max(0, S - z - k), alarm at S > h (k = 1, h = 8). The
change begins behind the last day with S = 0. A week after the alarm must then be more than 2 % slower, at 99 %, with its
variance inflated for the memory of the noise, (1 + r) / (1 - r), r = 0.3; three repeats of one night replace the week.
Source: E. S. Page, "Continuous Inspection Schemes", Biometrika 41, 1954.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats = npt.NDArray[np.float64]
K, H, CLIP = 1.0, 8.0, 3.0
BASELINE, WEEK, LIMIT, SURE = 21, 7, 0.02, 0.99
INFLATED = (1 + 0.3) / (1 - 0.3)
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
    series = residuals.shape[1]
    start = np.zeros(series, dtype=np.intp)
    pending = np.arange(series)
    found: list[Alarm] = []
    while len(pending):
        mean, sigma, first = baseline(residuals, start, pending)
        seen, day, better = _first(residuals, mean, sigma, first, pending)
        left = []
        for place in np.flatnonzero(seen >= 0).tolist():
            one = int(pending[place])
            if not better[place]:
                alarm = _confirmed(residuals[:, one], one, (int(day[place]), int(seen[place])),
                                   (float(mean[place]), float(sigma[place])), repeats)  # fmt: skip
                if alarm is not None:
                    found.append(alarm)
                    if not alarm.confirmed:
                        continue
            start[one] = (
                max(int(day[place]), start[one] + 1)
                if better[place] or _is(found, one, int(seen[place]))
                else (int(seen[place]) + 1 - BASELINE)
            )
            if start[one] <= first[place] - BASELINE:
                start[one] = int(seen[place]) + 1
            left.append(one)
        pending = np.array(left, dtype=np.intp)
    return sorted(found, key=lambda one: (one.series, one.seen))


def _is(found: list[Alarm], series: int, seen: int) -> bool:
    return bool(found) and found[-1].series == series and found[-1].seen == seen


def baseline(
    residuals: Floats, start: npt.NDArray[np.intp], which: npt.NDArray[np.intp]
) -> tuple[Floats, Floats, npt.NDArray[np.intp]]:
    """Return mean, sigma and the first day behind the baseline, each (series,)."""
    days = start[which][:, None] + np.arange(BASELINE)[None]
    inside = days < len(residuals)
    values = np.where(inside, residuals[np.minimum(days, len(residuals) - 1), which[:, None]], np.nan)
    known = np.sum(~np.isnan(values), axis=1) >= BASELINE // 2
    values[~known] = 0.0
    middle = np.nanmedian(values, axis=1)
    sigma = 1.4826 * np.nanmedian(np.abs(values - middle[:, None]), axis=1)
    plain = np.nanstd(values, axis=1, ddof=1)
    sigma = np.maximum(np.maximum(sigma, plain), LEAST_SIGMA)  # the larger: a baseline of 21 days knows it poorly
    return np.nanmean(values, axis=1), sigma, np.where(known, start[which] + BASELINE, len(residuals))


def _first(
    residuals: Floats, mean: Floats, sigma: Floats, first: npt.NDArray[np.intp], which: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """Return day of the first alarm, -1 without one, first day of the change, and whether it is for the better."""
    sums, zero = np.zeros((2, len(which))), np.tile(first, (2, 1))
    seen, day = np.full((2, len(which)), -1, dtype=np.intp)
    better = np.zeros(len(which), dtype=bool)
    for now in range(int(first.min(initial=len(residuals))), len(residuals)):
        z = np.clip(np.nan_to_num((residuals[now, which] - mean) / sigma), -CLIP, CLIP)
        z[(now < first) | np.isnan(residuals[now, which])] = 0.0
        for side, sign in ((0, -1.0), (1, 1.0)):
            step = sums[side] + sign * z - K
            skip = np.isnan(residuals[now, which])
            sums[side] = np.where(skip, sums[side], np.maximum(0.0, step))
            zero[side] = np.where((sums[side] == 0) & (now >= first), now + 1, zero[side])
            fresh = (sums[side] > H) & (seen < 0)
            seen[fresh], day[fresh], better[fresh] = now, zero[side][fresh], side == 1
    return seen, day, better


def _confirmed(
    values: Floats, series: int, days: tuple[int, int], base: tuple[float, float], repeats: Floats | None
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
        return Alarm(series, day, seen, change, 1.96 * float(np.sqrt(sigma**2 * INFLATED / 3)), confirmed=False)
    if change + stats.norm.ppf(SURE) * error > np.log1p(-LIMIT):
        return None
    return Alarm(series, day, seen, change, 1.96 * float(error), confirmed=True)
