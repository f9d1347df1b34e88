"""Time of an operation over whole regions, without disturbance.

Within a region the time of a line changes: its first lines have no neighbour in a buffer, later ones do. So the parts
of a region do not repeat each other, the median of all is not their mean, and only whole regions count:

    time = mean over the parts of a region of the median over regions                         [s]
    time = mean of all blocks * exp(-v / 2), where there are fewer than REGIONS regions      [s]

v is the variance of ln(time) between blocks at the same place of a region (of neighbours, where there are fewer than
two regions), from the median of their differences. Times that are disturbed are skewed, and exp(v / 2) is the mean of a
lognormal over its median. In the second formula a block counts as at most FAR times the median of the five around it,
and the error is that of the differences d: sqrt(sum of d^2 / 2) / n (J. von Neumann).
Blind to slow drifts. Source: J. von Neumann, "Distribution of the Ratio of the Mean Square Successive Difference to the
Variance", Annals of Mathematical Statistics 12, 1941.
"""

import numpy as np

from tierscope.arrays import Floats, Places
from tierscope.record.result import SIZING, Blocks
from tierscope.stats.median import MAD_SIGMA, MEDIAN_ERROR, Interval, student
from tierscope.stats.product import product
from tierscope.stats.together import UNCLEAN

FAR = 3.0
MAD = MAD_SIGMA / np.sqrt(2)  # of a difference, relative to the standard deviation of one
REGIONS = 5
AROUND = 5  # blocks
MOST_APART = 8  # regions, after which parts that are not a whole share are where they began
FEWEST = 8  # blocks
SHARE = 0.975


def mean_of_regions(blocks: Blocks, hz: float, operations: int) -> Interval | None:
    """Return the seconds of one operation, or None if no whole region was visited in clean blocks. operations: of a
    region.
    """
    timed = blocks[(blocks["flags"] & SIZING) == 0]
    walked = np.cumsum(timed["operations"].astype(np.int64))
    whole = int(walked[-1]) // operations * operations if timed.size else 0
    inside = walked <= whole
    clean = inside & ((timed["flags"] & UNCLEAN) == 0)
    if np.count_nonzero(clean) < FEWEST:
        return None
    each = (timed["stop_ticks"] - timed["start_ticks"]).astype(np.float64) / timed["operations"] / hz
    length = int(timed["operations"][0])
    parts = max(operations // length, 1)
    even = bool(np.all(timed["operations"] == length)) and (operations % length == 0 or length % operations == 0)
    part = np.arange(timed.size) % parts
    if even and min(np.bincount(part[clean], minlength=parts)) >= REGIONS:
        mean, error = _by_part(each[clean], part[clean], parts)
    else:
        mean, error = _together(each[clean], timed["operations"][clean].astype(np.float64), operations / length)
    half = student(SHARE, float(np.count_nonzero(clean)) - 1) * error
    return Interval(mean - half, mean, mean + half, int(np.count_nonzero(clean)))


def _by_part(each: Floats, part: Places, parts: int) -> tuple[float, float]:
    """Return the mean of the medians and its standard error."""
    medians = np.array([np.median(each[part == number]) for number in range(parts)])
    spread = MAD_SIGMA * float(np.median(np.abs(each - medians[part])))
    return float(medians.mean()), MEDIAN_ERROR * spread / float(np.sqrt(each.size))


def _together(each: Floats, operations: Floats, parts: float) -> tuple[float, float]:
    """Return the time and its error from all blocks. parts: of a region, which need not be whole."""
    from scipy.ndimage import median_filter  # slow to load, and not every run needs it

    apart = _apart(parts, each.size)
    spread = MAD * float(np.median(np.abs(np.log(each[apart:] / each[:-apart]))))
    each = np.minimum(each, FAR * median_filter(each, AROUND, mode="mirror"))
    mean = product(each, operations) / float(operations.sum()) * float(np.exp(-(spread**2) / 2))
    return mean, float(np.sqrt((np.diff(each) ** 2).sum() / 2)) / each.size


def _apart(parts: float, blocks: int) -> int:
    """Return the blocks from one to the next at the same place of a region, or nearly; 1 where there are too few."""
    regions = min(range(1, MOST_APART + 1), key=lambda count: abs(count * parts - round(count * parts)))
    apart = max(round(regions * parts), 1)
    return apart if blocks >= 2 * apart else 1
