"""The smallest slowdown that the two stages find in 80 % of cases: "this run can see 4.1 %".

A machine is found if it passes the screen and the confirming sessions. Its own healthy deviation and the noise move it,
and the limit of 2 % must be passed with the chance that Benjamini-Hochberg allows among this many tests.
"""

import numpy as np
from scipy.special import ndtri

from tierscope.arrays import Floats
from tierscope.fleet.confirm import LEAST_CONTROLS, LIMIT, MOST_CONTROLS, RATE, Confirmed
from tierscope.fleet.confirm_plan import SESSIONS
from tierscope.fleet.screen import LOW_METRIC, LOW_SCORE, Part, distance
from tierscope.fleet.window import Window

POWER = 0.8


def sees(part: Part, window: Window, confirmed: Confirmed | None) -> tuple[float, float]:
    """Return the detectable slowdown, as a share, of all metrics and of one metric."""
    noise = _noise(part, window, confirmed)
    width = len(part.spread)
    tests = max(1, len(confirmed.suspects) if confirmed else len(part.places) // 10) * width
    found = max(1, int(confirmed.rejected.sum()) if confirmed else 1)
    strict, power = -ndtri(min(0.05, RATE * found / tests)), ndtri(POWER)
    controls = max(LEAST_CONTROLS, min(MOST_CONTROLS, len(part.places) // 2))
    error = noise * np.sqrt((1 + 1 / controls) / SESSIONS)
    spread = np.hypot(part.spread, error)
    low = np.append(np.full(width - 1, LOW_METRIC), LOW_SCORE)
    by_screen = np.maximum(distance(width - 1) * part.spread, low) + power * part.spread
    by_test = LIMIT + strict * error + power * spread
    logs = np.maximum(by_screen, by_test)
    return float(-np.expm1(-logs[-1])), float(-np.expm1(-np.median(logs[:-1]))) if width > 1 else 0.0


def _noise(part: Part, window: Window, confirmed: Confirmed | None) -> Floats:
    """Return the noise of one session: of the confirming ones, else of the days, else all of the spread."""
    found = part.spread
    for known in (window.noise, confirmed.noise if confirmed else np.full_like(part.spread, np.nan)):
        found = np.where(np.isnan(known), found, known)
    return found
