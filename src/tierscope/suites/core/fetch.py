"""Whether a line was fetched before the program asked for it, and what follows from many such answers.

    share = (n + 1) * (time of a hop, the last line on another page - time of a hop, the last line as asked)
            / latency of a line at random                                                             [1]

n: lines visited before. These visits are the same in both, so the difference is that of the last line: about 1 if it
was fetched in time, 0 if not.
Source: how streams are trained and how far they run ahead: Intel, "64 and IA-32 Architectures Optimization Reference
Manual", 2023; T.-F. Chen, J.-L. Baer, "Effective Hardware-Based Data Prefetching for High-Performance Processors",
IEEE Transactions on Computers 44(5), 1995.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

LIMIT = 0.5
STREAMED, ALONE = 0.25, 0.7  # of the time of a line alone: below, a stream is fetched; above, it is not
BY_ONE = 0.42  # ditto, above which a stream is not fetched, if the next line across pairs is: that alone takes half


@dataclass(frozen=True, slots=True)
class Share:
    """The share of the latency that was saved, and half of its 95 % interval."""

    value: float
    half: float

    @property
    def fetched(self) -> bool | None:
        """Return whether the line was fetched; None if the interval contains the limit."""
        return None if abs(self.value - LIMIT) <= self.half else self.value > LIMIT


@dataclass(frozen=True, slots=True)
class Bound:
    """The largest, or least, number that was fetched. low, high: bounds from the answers; why: why it is not known."""

    low: int
    high: int
    why: str = ""


def farthest(shares: Mapping[int, Share]) -> Bound:
    """Return how far lines are fetched: all up to `low`, none beyond `high`. shares: by distance."""
    sizes = sorted(shares)
    yes = [n for n in sizes if shares[n].fetched]
    if not sizes or all(shares[n].fetched is None for n in sizes):
        return Bound(0, 0, "no point is sure enough")
    if not yes:
        unsure = [n for n in sizes if shares[n].fetched is None]
        return Bound(0, 0, "some points are not sure enough") if unsure else Bound(0, 0)
    beyond = [n for n in sizes if n > yes[-1] and shares[n].fetched is False]
    inside = [n for n in sizes if n < yes[-1] and shares[n].fetched is False]
    if inside:
        return Bound(yes[0], yes[-1], f"{inside[0]} is not fetched, but {yes[-1]} is")
    if not beyond:
        return Bound(yes[-1], yes[-1], f"{yes[-1]} is fetched, and more was not asked for")
    return Bound(yes[-1], beyond[0] - 1)


def fewest(shares: Mapping[int, Share]) -> Bound:
    """Return the least number from which on all are fetched; (0, 0) if none is."""
    sizes = sorted(shares)
    no = [n for n in sizes if shares[n].fetched is False]
    yes = [n for n in sizes if shares[n].fetched]
    if not yes:
        return Bound(0, 0, "" if len(no) == len(sizes) and sizes else "no point is sure enough")
    if no and no[-1] > yes[0]:
        return Bound(yes[0], no[-1] + 1, f"{yes[0]} are enough, but {no[-1]} are not")
    return Bound(no[-1] + 1 if no else yes[0], yes[0])


def streamed(hop: tuple[float, float], alone: tuple[float, float], *, next_line: bool = False) -> bool | None:
    """Return whether a stream along a page is fetched; None where it is not sure.

    hop, alone: seconds of a line of the stream, and of a line on its own page, with half of their intervals. Without
    strides, a prefetcher of pairs takes half of the time, and one of the next two lines a third of it. Open pages of
    DRAM or fewer page walks save a part of what is left: these are not sure. next_line: whether the next line is
    fetched across pairs. If so, a stream that takes about half of the time shows no more than that.
    """
    ratio = hop[0] / alone[0]
    half = ratio * math.hypot(hop[1] / hop[0], alone[1] / alone[0])
    if ratio + half < STREAMED:
        return True
    return False if ratio - half > (BY_ONE if next_line else ALONE) else None


def next_size(shares: Mapping[int, Share]) -> int | None:
    """Return a number between the farthest that is fetched and the nearest that is not; None if there is none."""
    found = farthest(shares)
    if found.why or found.low == 0 or found.high <= found.low:
        return None
    return (found.low + found.high + 1) // 2
