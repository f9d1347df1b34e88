"""Pages that are translated in parts among others that are translated as a whole, by the times of windows.

A window is about one page. Its lines are in other parts of the page, and all windows are visited one after another. A
page as a whole needs one entry of a TLB. Each part of a page in parts needs an entry, which other windows have replaced
in the nearest level since the last pass. So each of its lines takes a hit in a farther level, or a page walk.

    time of a window     quartile over all passes, as disturbances only add time     [s]
    share                windows with more than SLOWER times the time of the fastest ones

The fastest ones are the fastest FEW of all. Pages are mixed if the share is at least FEW. If all are as a whole, or
all in parts, the share is 0, and the mean time shows which of both. A window that is half in a page of either kind
counts as in parts.
"""

import numpy as np
import numpy.typing as npt

SLOWER = (
    1.2  # a hit in a second level takes about half of the time of a hit in a second cache; half of a window: a quarter
)
FEW = 0.02  # of the pages: fewer hardly change a curve
LEAST_PASSES = 4
QUARTILE = 0.25

Times = npt.NDArray[np.float64]


def times_of(blocks: Times, windows: int) -> Times:
    """Return the time of each window; empty with fewer than LEAST_PASSES passes.

    blocks: shape (n,), seconds of consecutive windows in rising order, from any one; NaN: disturbed. windows: their
    number.
    """
    passes = blocks.size // windows if windows else 0
    if passes < LEAST_PASSES:
        return np.empty(0)
    every = blocks[: passes * windows].reshape(passes, windows)
    known = every[:, np.sum(~np.isnan(every), axis=0) >= LEAST_PASSES]
    return np.asarray(np.nanquantile(known, QUARTILE, axis=0)) if known.size else np.empty(0)


def share_in_parts(times: Times) -> float:
    """Return the share of windows that take much longer than the fastest; 0 if all take about the same."""
    if times.size == 0:
        return 0.0
    fastest = float(np.quantile(times, FEW))
    return float(np.mean(times > SLOWER * fastest))
