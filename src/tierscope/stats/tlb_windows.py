"""Pages that are translated in parts among others that are translated as a whole, by the times of windows.

A window is about one page. Its lines are in other parts of the page, and all windows are visited one after another. A
page as a whole needs one entry of a TLB. Each part of a page in parts needs an entry, which other windows have replaced
in the nearest level since the last pass. So each of its lines takes a hit in a farther level, or a page walk.

    time of a window     mean of the faster half of its passes, as disturbances only add time     [s]
    share                windows with more than SLOWER times the time of the fastest ones

A window is a little shorter than a page, so that a few windows enter no further page. They do without the entry that
all others need, and do not count. The fastest ones are the fastest FEW of the others. Pages are mixed if the share is
at least FEW. If all are as a whole, or all in parts, the share is 0, and the mean time shows which of both. A window
that is half in a page of either kind counts as in parts.
"""

import numpy as np
import numpy.typing as npt

# A hit in a second level takes about half of the time of a hit in a second cache, and of half a window a quarter.
SLOWER = 1.2
FEW = 0.02  # of the pages: fewer hardly change a curve
LEAST_PASSES = 12
KEPT = 0.5  # of the passes
STEPS = 2  # of the clock that a window takes at least

Times = npt.NDArray[np.float64]


def times_of(blocks: Times, windows: int, step_s: float = 0.0) -> Times:
    """Return the time of each window, NaN for one with fewer than LEAST_PASSES passes; empty if that is so for most, or
    if the windows take no more than a few steps of the clock.

    blocks: shape (n,), seconds of consecutive windows in rising order, the first one first; NaN: disturbed. windows:
    their number. step_s: resolution of the clock.
    """
    passes = blocks.size // windows if windows else 0
    if passes < LEAST_PASSES:
        return np.empty(0)
    every = np.sort(blocks[: passes * windows].reshape(passes, windows), axis=0)  # NaN is last
    counts = np.sum(~np.isnan(every), axis=0)
    kept = np.where(counts >= LEAST_PASSES, np.ceil(counts * KEPT), 0)
    sums = np.where(np.arange(passes)[:, None] < kept, every, 0.0).sum(axis=0)
    times = np.divide(sums, kept, out=np.full(windows, np.nan), where=kept > 0)
    known = times[~np.isnan(times)]
    return times if known.size > windows / 2 and np.median(known) >= STEPS * step_s else np.empty(0)


def entering(windows: int, window_bytes: int, apart_bytes: int, page_bytes: int) -> npt.NDArray[np.bool_]:
    """Return which windows enter a page that the one before did not. The first window begins with a page.

    apart_bytes: from one line of a window to the next.
    """
    last = ((np.arange(windows) + 1) * window_bytes - apart_bytes) // page_bytes
    return np.append(True, np.diff(last) > 0)


def share_in_parts(times: Times) -> float:
    """Return the share of windows that take much longer than the fastest; 0 if all take about the same."""
    known = times[~np.isnan(times)]
    if known.size == 0:
        return 0.0
    return float(np.mean(known > SLOWER * np.quantile(known, FEW)))
