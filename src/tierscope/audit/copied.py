"""Two measurements of different things never agree in every digit.

Speaks of bandwidths and of latencies of dependent accesses that have all digits and an interval of which all three
agree with those of another row of the table, on hardware. Latencies of single operations are left alone: they are few
ticks, and agree by chance. Blind to rows that were copied and then rounded.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.orders import broken
from tierscope.audit.statement import Statement

NAMES = ("latency_s", "bandwidth_bytes_per_s")


class Copied:
    """Each number against those before it in its table."""

    name: ClassVar[str] = "copied"
    title: ClassVar[str] = "two measurements never agree in every digit"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        seen: dict[tuple[str, str, float, float, float], Statement] = {}
        for one in statements:
            for name in NAMES:
                stated = one.quantities.get(name)
                if stated is None or not stated.bounds or not one.hardware or stated.low == stated.high:
                    continue
                if name == "latency_s" and "access" not in one.words:
                    continue
                key = (one.table, name, stated.low, stated.value, stated.high)
                other = seen.setdefault(key, one)
                why = "a row was copied: measure one of the two again"
                yield None if other is one else broken(self.name, one, other, name, why)


identities.add(Copied())
