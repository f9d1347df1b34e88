"""The rate of a large team at moments at which a few of its threads are disturbed.

Suppose that every thread must be undisturbed, and that each is disturbed for 0.3 % of its time. Then 256 threads keep
only 0.997^256 = 46 % of all moments, and 8 % at 1 %. So a team may lack one thread in FEW at a moment, which concerns
teams of FEW threads and more. The rate of the absent threads is filled in:

    filled = sum of the rates of those present / their share of the team     share: by each thread's own mean rate
    rate   = filled * exp(-relief * absent)                                  absent = 1 - share

`relief` is the gain of the other threads from what the absent ones do not request. It is 0 where nothing is shared, and
1 where the memory is full, since the rest then shares the same sum. It is the slope of log(filled) over `absent` within
the batches, and its error widens the interval. Moments without an absent thread are not changed.
Coverage in simulation, 256 threads, each disturbed for 0.3 % of its time (tests/unit/test_stats_crowd.py): 99 % of the
moments are kept. The 95 % interval contains the true rate in 93 to 97 % of the runs, whether the memory is full or
idle.
Blind to a disturbance that makes the other threads slower, such as one that takes their memory bandwidth.
"""

import math

import numpy as np

from tierscope.arrays import Floats, Integers, Truths
from tierscope.stats.product import product

FEW = 50  # threads; one of them may be absent: what is filled in stays below 2 % of a rate
PARTS = 20  # of a series, for the jackknife: each longer than neighbouring moments resemble each other


def allowed(threads: int) -> int:
    """Return how many threads of a team may be absent at a moment."""
    return threads // FEW


def filled(rates: Floats, present: Truths) -> tuple[Floats, Floats]:
    """Return the rate of a team at each moment as if all threads were present, and the share of it that is filled in.

    rates, present: shape (threads, moments), the latter whether a thread is undisturbed. A thread that is never present
    counts as the mean of the others. Shapes (moments,) and (moments,); the share is 1 where nobody is present.
    """
    seen = present.sum(axis=1)
    own = np.where(seen > 0, (rates * present).sum(axis=1) / np.maximum(seen, 1), np.nan)
    own = np.where(np.isnan(own), np.nanmean(own) if seen.any() else 0.0, own)
    total = (rates * present).sum(axis=0)
    whole = own.sum()
    share = (own[:, None] * present).sum(axis=0) / whole if whole > 0 else np.zeros(rates.shape[1])
    everyone = present.all(axis=0)
    scaled = np.divide(total, share, out=np.zeros_like(total), where=share > 0)
    return np.where(everyone, np.add.reduceat(rates, [0], axis=0)[0], scaled), np.where(everyone, 0.0, 1.0 - share)


def relieved(rates: Floats, absent: Floats, batches: Integers) -> tuple[Floats, float]:
    """Return filled rates less the gain of the threads present from the absence of others, and the error of that.

    rates, absent: shape (moments,), as `filled` returns them; batches: the batch of each moment, since the machine may
    be faster in one than in another. The error is a relative standard error of all the rates together: that of
    `relief`, by the jackknife over PARTS of the series, times the mean share that is absent.
    """
    usable = (rates > 0) & (absent < 1)
    if not (absent[usable] > 0).any():
        return rates, 0.0
    logs = _centred(np.log(rates[usable]), batches[usable])
    lacking = _centred(absent[usable], batches[usable])
    parts = np.array_split(np.arange(logs.size), min(PARTS, logs.size))
    products = np.array([product(lacking[part], logs[part]) for part in parts])
    squares = np.array([product(lacking[part], lacking[part]) for part in parts])
    relief = _slope(products.sum(), squares.sum())
    others = np.array([_slope(*one) for one in zip(products.sum() - products, squares.sum() - squares, strict=True)])
    error = math.sqrt((len(parts) - 1) / len(parts) * float(((others - others.mean()) ** 2).sum()))
    return rates * np.exp(-relief * absent), error * float(absent[usable].mean())


def _slope(product: float, square: float) -> float:
    """Return the slope; half of the possible range if the absent share does not vary."""
    return min(max(product / square, -1.0), 2.0) if square > 0 else 0.5


def _centred(values: Floats, batch: Integers) -> Floats:
    """Return the values without the mean of each batch."""
    counts = np.maximum(np.bincount(batch), 1)
    return np.asarray(values - (np.bincount(batch, weights=values) / counts)[batch])
