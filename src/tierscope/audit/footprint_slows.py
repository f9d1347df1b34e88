"""A larger footprint is not faster: it is in the same level or in a slower one.

    latency(footprint) >= ROOM * latency(footprint / 4 or smaller)

It compares random dependent accesses on pages of one size, by the ends of the intervals. The margin is wide, because a
neighbour may occupy a cache while one footprint is measured.
Blind to a staircase that is too flat.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.orders import broken, series
from tierscope.audit.statement import Statement

ROOM = 0.5
APART = 4.0
NAME = "latency_s"


class FootprintSlows:
    """Compare each footprint with the slowest one that is at most a quarter of it."""

    name: ClassVar[str] = "footprint_slows"
    title: ClassVar[str] = "a larger footprint is no faster"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        accesses = [one for one in statements if "access" in one.words]
        for rows in series(accesses, "footprint_bytes", NAME):
            for one in rows:
                most = one.quantities["footprint_bytes"].value / APART
                smaller = [other for other in rows if other.quantities["footprint_bytes"].value <= most]
                if smaller:
                    slowest = max(smaller, key=lambda other: other.quantities[NAME].low)
                    good = one.quantities[NAME].high >= ROOM * slowest.quantities[NAME].low
                    why = "rows were swapped, or a neighbour occupied the caches while the smaller one was measured"
                    yield None if good else broken(self.name, one, slowest, NAME, why)


identities.add(FootprintSlows())
