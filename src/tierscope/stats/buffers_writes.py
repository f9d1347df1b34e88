"""How a memory combines writes on their way to the medium, inferred from the time per line over fresh regions.

A queue of N lines passes its oldest line on, together with all that wait for the same unit of the medium, m lines. A
region of n lines is written once in a random order. A line waits while T others come, so that by J. D. C. Little's law

    N = T * mean over lines of the time left to the drain / T

and each unit of the region drains in as many groups as its m visits, uniform on [0, n], form if each group lasts T:

    time per line = drain * groups(T / n) / m + fence * lines of a fence / n     [s]

Groups and waits come from a fixed draw of units. The ratio of a lone line's drain to a joined one's is the write
amplification: bytes written to the medium over bytes requested. If time per line does not decrease with smaller
regions, either nothing joins writes in a measurable way, or the medium is not the limit. The unit is then at least the
reported one. A line is here what one store past the caches writes, 64 bytes, whatever the lines of the caches.
Source: model of a queue that drains whole units, in `docs/method.md`; J. D. C. Little, "A Proof for the Queuing Formula
L = lambda W", Operations Research 9, 1961.
"""

from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats
from tierscope.stats.buffers import PROOF, SHARE
from tierscope.stats.buffers_errors import MODEL
from tierscope.stats.buffers_levels import Estimate
from tierscope.stats.median import student
from tierscope.units import LINE_BYTES

UNITS = tuple(LINE_BYTES << step for step in range(1, 7))  # 128 B to 4 KiB
ENTRIES = np.unique(np.round(2.0 ** np.arange(1.0, 14.01, 0.0625)))  # lines
DRAWN = 1500  # units
SHARES = 2.0 ** np.arange(-16, 1.01, 0.25)  # of a region: the time that a group waits
LEAST = 0.1  # least relative excess of a lone line's time over a joined one's that is reported
CURVE_MODEL = 0.02  # relative error of the model
FENCE_MODEL, SMALLEST = 0.1, 256  # more where most of the time is a fence, which overlaps with stores
QUEUE_MODEL = 0.15  # relative error of the entries: groups do not all last equally long
FEWEST = 6


@dataclass(frozen=True)
class Joined:
    """A queue. line_s: of a line that drains alone. fence_s: of the fence behind each region."""

    entries: Estimate
    unit_bytes: Estimate
    line_s: Estimate
    fence_s: float
    curve_s: Floats

    @property
    def amplification(self) -> float:
        return self.unit_bytes.middle / LINE_BYTES


@dataclass(frozen=True)
class Writes:
    """The result of a fit. `joined` is None where nothing joins writes. line_s: the time per line of the largest
    region. misfit: root of the mean weighted square, 1 where the model explains all.
    """

    joined: Joined | None
    line_s: float
    curve_s: Floats
    misfit: float


def infer_writes(region_bytes: Floats, line_s: Floats, spread: Floats) -> Writes | None:
    """Return the fit of arrays of shape (points,); None for fewer than six points. spread: relative standard errors."""
    if region_bytes.size < FEWEST:
        return None
    weight = 1 / (line_s * np.hypot(spread, CURVE_MODEL + FENCE_MODEL * SMALLEST / region_bytes))
    fence = LINE_BYTES / region_bytes
    flat = _fit([np.ones_like(line_s)], fence, line_s, weight)
    fits = [
        (_fit([column], fence, line_s, weight), unit, float(entries))
        for unit in UNITS
        for entries, column in zip(ENTRIES, _columns(region_bytes, unit), strict=True)
    ]
    best, unit, entries = min(fits, key=lambda one: one[0][1])
    count = line_s.size
    scale = max(1.0, best[1] / max(1, count - 4))
    sure = (flat[1] - best[1]) / scale > 2 * np.log(count) + PROOF
    last = float(line_s[np.argmax(region_bytes)])
    if not sure or line_s.max() < (1 + LEAST) * line_s.min():
        misfit = float(np.sqrt(flat[1] / max(1, count - 2)))
        return Writes(None, last, _curve(flat[0], [np.ones_like(line_s)], fence), misfit)
    limit = best[1] + scale * student(SHARE, max(1.0, count - 4.0)) ** 2
    possible = [one for one in fits if one[0][1] <= limit]
    column = _columns(region_bytes, unit)[int(np.searchsorted(ENTRIES, entries))]
    joined = Joined(
        entries=_range(entries, [one[2] for one in possible if one[1] == unit], QUEUE_MODEL),
        unit_bytes=_range(unit, [one[1] for one in possible]),
        line_s=_range(best[0][0], [one[0][0][0] for one in possible], MODEL),
        fence_s=float(best[0][-1]),
        curve_s=_curve(best[0], [column], fence),
    )
    return Writes(joined, last, joined.curve_s, float(np.sqrt(best[1] / max(1, count - 4))))


def _range(middle: float, all_of_them: list[float], least: float = 0.0) -> Estimate:
    """Return the range from the least to the largest value that the curve does not rule out."""
    low, high = min(all_of_them), max(all_of_them)
    return Estimate(float(min(low, middle * (1 - least))), float(middle), float(max(high, middle * (1 + least))))


def _fit(columns: list[Floats], fence: Floats, target: Floats, weight: Floats) -> tuple[Floats, float]:
    """Return the times and the sum of weighted squares."""
    from scipy.optimize import nnls  # slow to load, and not every run needs it

    times, rest = nnls(np.stack([*columns, fence], axis=1) * weight[:, None], target * weight)
    return times, rest**2


def _curve(times: Floats, columns: list[Floats], fence: Floats) -> Floats:
    return np.asarray(np.stack([*columns, fence], axis=1) @ times)


def _columns(region_bytes: Floats, unit: int) -> Floats:
    """Return the groups per line for each number of entries and region, of shape (entries, points)."""
    m = unit // LINE_BYTES
    groups, waits = _drawn(m)
    lines = region_bytes / LINE_BYTES
    held = waits * SHARES  # lines in the queue over lines of the region, at each share
    wanted = ENTRIES[:, None] / lines[None, :]
    share = np.exp(np.interp(np.log(wanted), np.log(held), np.log(SHARES)))
    found = np.interp(np.log(share), np.log(SHARES), groups) / m
    return np.where(lines <= m, 1 / m, np.where(wanted >= held[-1], 1 / m, np.where(wanted <= held[0], 1.0, found)))


def _drawn(m: int) -> tuple[Floats, Floats]:
    """Return for each share the mean groups of a unit of m visits, and the mean wait of a line over the longest."""
    visits = np.sort(np.random.default_rng(1961).random((DRAWN, m)), axis=1)[:, :, None]
    begun = np.full((DRAWN, SHARES.size), -np.inf)
    groups, waits = np.zeros(SHARES.size), np.zeros(SHARES.size)
    for number in range(m):
        visit = visits[:, number]
        new = visit > begun + SHARES
        begun = np.where(new, visit, begun)
        groups += new.mean(axis=0)
        waits += (1 - (visit - begun) / SHARES).mean(axis=0)
    return groups, waits / m
