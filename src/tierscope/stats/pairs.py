"""Whether pairs of reads at random wait for each other: always in one memory, sometimes in several side by side.

    f(ln t of a pair) = (1 - p) s(ln t - a) + p s(ln t - b)         s: density of ln t of single reads      [1/ln s]

t is the time of one read, or of two that start together, at random places. A memory that serves one read at a time
makes every pair wait. Of W memories, a pair is in the same one with probability p = 1 / W, in whatever order addresses
are spread over them. `a`, `b` and `p` are tried on a grid; s is the smoothed histogram of single reads. `low` and
`high` are the ends of p within DOUBT of the best in twice the log-likelihood (S. S. Wilks, The Large-Sample
Distribution of the Likelihood Ratio for Testing Composite Hypotheses, Annals of Mathematical Statistics, 1938); DOUBT
is 3x the 95 % quantile, because s is itself measured.

`waits` is None where this shows nothing: a wait is too short for the scatter, the fit leaves a residual, or the
processor does not overlap reads. Reads that a cache serves test the last: 16 of them must take far less than 16 times
one.
Blind to: memories that serve several reads at a time, whose pairs never wait; banks of one memory, which look like
memories side by side.
"""

import math
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats
from tierscope.record.labels import Labels

FEWEST = 500  # times of each kind
BINS = 400
TAIL = 0.02  # share of pairs that anything else delays
WIDTH = 0.01  # of the smoothing, at least; of ln t, twice the step of the grid
NEAR = np.linspace(0.0, 0.1, 21)  # a: two reads take a little longer than one
WAITS = np.linspace(0.02, 0.72, 141)  # b: up to twice the time
SHARES = np.linspace(0.0, 1.0, 101)  # p
DOUBT = 12.0
MISFIT = 0.06  # most distance between the distribution of pairs and the fitted one
ALWAYS = 0.75  # least p of one memory; two have 0.5
SOMETIMES = (0.02, 0.65)  # p of several
OVERLAPPED = 0.5  # most cost of one more read from a cache, over the time of a single one
NEAR_READS = 16
HASHED = "not known, because an interleaving by a hash looks like one memory"
ALONE = "every pair of reads at random waits, as in one memory"


class PairLabels(Labels, frozen=True, kw_only=True):
    """The labels of a point: reads that start together, and whether a cache serves them."""

    reads: int
    near: bool


@dataclass(frozen=True, slots=True)
class Pairs:
    """share, low, high: p and its range; None if nothing is known. why: what is not known, in words."""

    share: float | None
    low: float
    high: float
    why: str = ""

    @property
    def one(self) -> bool:
        """Return whether every pair waits, as in one memory."""
        return self.share is not None and self.low >= ALWAYS

    @property
    def several(self) -> tuple[float, float, float] | None:
        """Return the number of memories and its range; None if pairs do not show several."""
        if self.share is None or self.share <= 0 or self.low < SOMETIMES[0] or self.high > SOMETIMES[1]:
            return None
        return 1 / self.high, 1 / self.share, 1 / self.low

    def doubt(self, ways: int) -> str:
        """Return why a layout with this number of memories by strides is not sure, in words; "" if it is."""
        if ways > 1:
            return ALONE if self.one else ""
        if self.one:
            return ""
        if self.several is None:
            seen = self.why or f"{self.low:.0%} to {self.high:.0%} of pairs of reads wait for each other"
            return f"{HASHED}; {seen}"
        low, middle, high = self.several
        return (
            f"{HASHED}; {self.share:.0%} of pairs of reads wait for each other, as in {middle:.0f} memories "
            f"({low:.0f} to {high:.0f}) in an order that strides do not show"
        )


UNMEASURED = Pairs(None, 0.0, 1.0, "pairs of reads were not timed")


def overlap(near: Floats, many: Floats, read_cost_s: float) -> bool:
    """Return whether the processor overlaps reads: times of 1 and of NEAR_READS reads that a cache serves, in s."""
    if not near.size or not many.size:
        return False
    one, several = float(np.median(near)), float(np.median(many))
    return (several - one) / (NEAR_READS - 1) < OVERLAPPED * (one - read_cost_s)


def infer_pairs(single: Floats, pair: Floats, *, overlapped: bool) -> Pairs:
    """Return the share of pairs that wait, from times in s of shape (reads,) each.

    overlapped: whether the processor overlaps reads at all.
    """
    if not overlapped:
        return _unknown("the processor may not overlap reads")
    single, pair = (times[times > 0] for times in (single, pair))
    if min(single.size, pair.size) < FEWEST:
        return _unknown("too few reads were timed")
    alone = np.log(single)
    middle = float(np.median(alone))
    edges = np.linspace(middle - 1.5, middle + 2.0, BINS + 1)
    seen = np.histogram(np.clip(np.log(pair), edges[0], edges[-1]), edges)[0].astype(np.float64)
    step = edges[1] - edges[0]
    width = _width(alone)
    base = _smoothed(np.histogram(np.clip(alone, edges[0], edges[-1]), edges)[0].astype(np.float64), width, step)
    first, second = (np.array([_shifted(base, by / step) for by in shifts]) for shifts in (NEAR, WAITS))
    return _best(seen, first, second, _smoothed(seen, width, step))


def _unknown(why: str) -> Pairs:
    return Pairs(None, 0.0, 1.0, why)


def _width(alone: Floats) -> float:
    """Return the width of the smoothing of ln t, by the rule of Silverman."""
    spread = float(np.subtract(*np.percentile(alone, [75, 25]))) / 1.35
    return max(spread * math.pow(alone.size, -0.2), WIDTH)


def _smoothed(counts: Floats, width: float, step: float) -> Floats:
    """Return the density per bin."""
    reach = np.arange(-math.ceil(4 * width / step), math.ceil(4 * width / step) + 1) * step
    kernel = np.exp(-0.5 * (reach / width) ** 2)
    return np.asarray(np.convolve(counts, kernel / kernel.sum(), mode="same") / counts.sum(), dtype=np.float64)


def _shifted(base: Floats, by: float) -> Floats:
    places = np.arange(base.size, dtype=np.float64)
    return np.asarray(np.interp(places - by, places, base, left=0.0), dtype=np.float64)


def _best(seen: Floats, first: Floats, second: Floats, smooth: Floats) -> Pairs:
    """Return the best share, and its range over all shifts.

    seen: pairs of shape (bins,); first, second: densities of shape (shifts, bins); smooth: that of the pairs.
    """
    full = np.nonzero(seen)[0]
    rest = TAIL / seen.size
    likely = np.full(SHARES.size, -np.inf)
    fitted: list[Floats] = [first[0]] * SHARES.size
    for place, share in enumerate(SHARES):
        for near, own in zip(NEAR, first, strict=True):
            later = second[near + WAITS[0] <= WAITS]
            models = (1 - TAIL) * ((1 - share) * own + share * later) + rest
            logs = np.log(models[:, full]) @ seen[full]
            top = int(np.argmax(logs))
            if logs[top] > likely[place]:
                likely[place], fitted[place] = logs[top], models[top]
    top = int(np.argmax(likely))
    kept = SHARES[2 * (likely[top] - likely) <= DOUBT]
    apart = float(np.abs(np.cumsum(smooth) - np.cumsum(fitted[top])).max())
    if apart > MISFIT:
        return _unknown("the times of pairs are not those of reads that wait or do not")
    return Pairs(float(SHARES[top]), float(kept.min()), float(kept.max()))
