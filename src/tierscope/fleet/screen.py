"""The liberal screen: which machines deserve further sessions. False ones cost three canaries each, and no verdict."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from tierscope.arrays import Floats, Places, Truths
from tierscope.fleet.covariates import separating
from tierscope.fleet.groups import LEAST
from tierscope.fleet.known import mean_of
from tierscope.fleet.modes import two_modes
from tierscope.fleet.outliers_result import Covariate
from tierscope.fleet.window import Window
from tierscope.stats.median import MAD_SIGMA

FAR, FAR_TODAY, ODD = 2.5, 3.5, 3.5  # healthy spreads
SHARE = 0.05  # of healthy hosts that the single metrics may make suspects, however many metrics there are
LOW_METRIC, LOW_SCORE = 0.02, 0.01  # a suspect is slower by at least this share


@dataclass(frozen=True)
class Part:
    """A group, or one of its two kinds. spread: (metrics + 1,), the score last, with the noise in it."""

    name: str
    places: Places
    peers: Places  # places, and those of finer groups where it has too few
    spread: Floats
    apart: float | None = None
    slow_share: float | None = None
    covariate: Covariate | None = None


@dataclass(frozen=True)
class Screened:
    """Deviations from the machine's own kind, (machines, metrics + 1), the score last, and who is a suspect."""

    parts: tuple[Part, ...]
    deviation: Floats
    z: Floats
    suspect: Truths


def screen(window: Window) -> Screened:
    """Return the suspects of a window. Machines without a group are in no part, and never suspects."""
    mean = np.column_stack([window.mean, window.score])
    last = np.column_stack([window.last, mean_of(window.last)])
    z, z_last = np.full((2, *mean.shape), np.nan)
    parts = []
    for name in sorted(set(window.group.tolist()) - {""}):
        places = np.flatnonzero(window.group == name)
        for part in _parts(name, places, mean, window):
            z[part.places] = mean[part.places] / part.spread
            at_last = _spread(last, part.peers)
            z_last[part.places] = last[part.places] / at_last
            parts.append(part)
    low = np.append(np.full(mean.shape[1] - 1, LOW_METRIC), LOW_SCORE)
    far = distance(mean.shape[1] - 1)
    with np.errstate(invalid="ignore"):
        suspect = ((z < -far) & (mean < -low)) | ((z_last < -FAR_TODAY) & (last < -low))
        odd = np.abs(z[:, -1]) > 2 * ODD
    return Screened(tuple(parts), mean, z, suspect.any(axis=1) | (odd & (z[:, -1] < 0)))


def distance(metrics: int) -> Floats:
    """Return how many spreads make a suspect, (metrics + 1,): 2.5 up to eight metrics, further with more of them."""
    single = max(FAR, float(-ndtri(SHARE / max(1, metrics))))
    return np.append(np.full(metrics, single), FAR)


def _parts(name: str, places: Places, mean: Floats, window: Window) -> list[Part]:
    """Return a group as one part, or as two kinds. Deviations are centred on the part's own median, in place."""
    if len(places) < LEAST:  # its deviations are from the machines that share the rest of its identity
        alike = np.flatnonzero([str(one).startswith(name) for one in window.group])
        return [Part(name, places, alike, _spread(mean, alike))]
    score = mean[places, -1]
    known = places[~np.isnan(score)]
    modes = two_modes(mean[known, -1]) if len(known) else None
    if modes is None:
        return [_part(name, places, mean)]
    covariate = separating([window.facts[place] for place in known], modes.slow.tolist())
    share = float(modes.slow.mean())
    if covariate is None:  # no fact excuses the slow ones: a fault that many hosts share looks like this, too
        return [_part(name, places, mean, modes.apart, share)]
    values = [window.facts[place].get(covariate.fact, "") for place in known]
    slow = np.array([value in covariate.slow_values for value in values])
    told = f"{covariate.fact}={', '.join(covariate.slow_values[:3])}"
    kinds = [(name, known[~slow]), (f"{name} [{told}]", known[slow])]
    if min(len(members) for _, members in kinds) < LEAST // 2:
        return [_part(name, places, mean, modes.apart, share)]
    return [_part(kind, members, mean, modes.apart, share, covariate) for kind, members in kinds]


def _part(
    name: str, places: Places, mean: Floats, apart: float | None = None, share: float | None = None,
    covariate: Covariate | None = None,
) -> Part:  # fmt: skip
    mean[places] -= _median(mean[places])
    return Part(name, places, places, _spread(mean, places), apart, share, covariate)


def _median(values: Floats) -> Floats:
    """Return the median of each column without NaN, 0 for an empty one."""
    known = ~np.all(np.isnan(values), axis=0)
    found = np.zeros(values.shape[1])
    found[known] = np.nanmedian(values[:, known], axis=0)
    return found


def _spread(values: Floats, places: Places) -> Floats:
    """Return the robust spread of each column: 1.4826 median absolute deviations; equal values have a tiny one."""
    return np.maximum(MAD_SIGMA * _median(np.abs(values[places])), 1e-6)
