"""Two measurements of different things never agree in every digit.

For numbers with all digits, on hardware: it compares bandwidths, and latencies of dependent accesses, that have an
interval. A row fails if value and both bounds agree with those of another row of the table. Latencies of single
operations are left out: they are few ticks, and agree by chance. For printed rows: a row fails if all its measured
numbers agree digit for digit with those of another row, and have more digits than chance explains (see `chance`).
Blind to rows that were copied and then rounded, and to printed rows of few digits.
"""

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.chance import RARE, SCATTER, at_least, equal_share, near
from tierscope.audit.identity import Failure
from tierscope.audit.orders import broken
from tierscope.audit.statement import Statement

NAMES = ("latency_s", "bandwidth_bytes_per_s")
WHY = "a row was copied: measure one of the two again"
FAMILIES = (
    ("bandwidth_bytes_per_s", "rate_per_s", "seconds", "again_seconds"),  # one is computed from another
    ("seconds_mean",),
    ("seconds_most",),
    ("latency_s",),
    ("latency_most_s",),
    ("latency_deviation_s",),
)
"""Printed numbers that are measured separately; the one with the fewest digits represents each family. A rate that is
computed from a time has the steps of its clock, however many digits it has."""

STEADIER = 4.0  # times less than all timings, the least and the mean of ten scatter from run to run
SLOWEST = ("seconds_most", "latency_most_s")
EXTREMES = (("seconds_least", "seconds_most"), ("latency_least_s", "latency_most_s"))


class Copied:
    """Compare each number with those before it in its table, and each printed row with all others."""

    name: ClassVar[str] = "copied"
    title: ClassVar[str] = "two measurements never agree in every digit"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        seen: dict[tuple[str, str, float, float, float], Statement] = {}
        for one in statements:
            for name in NAMES:
                stated = one.quantities.get(name)
                if stated is None or stated.step or not stated.bounds or not one.hardware or stated.low == stated.high:
                    continue
                if name == "latency_s" and "access" not in one.words:
                    continue
                key = (one.table, name, stated.low, stated.value, stated.high)
                other = seen.setdefault(key, one)
                yield None if other is one else broken(self.name, one, other, name, WHY)
        tables: dict[tuple[str, str], list[Statement]] = {}
        for one in statements:
            if (name := _first(one)) and one.hardware:
                tables.setdefault((one.table, name), []).append(one)
        for (_, name), rows in tables.items():
            yield from _printed(rows, name)


def _first(one: Statement) -> str:
    """Return the first measured number that is printed without an interval."""
    known = (name for family in FAMILIES for name in family)
    return next((name for name in known if name in one.quantities and _plain(one, name)), "")


def _plain(one: Statement, name: str) -> bool:
    stated = one.quantities[name]
    return stated.step > 0 and not stated.bounds and stated.value > 0


def _printed(rows: list[Statement], name: str) -> Iterator[Failure | None]:
    """Check whether more near pairs of rows are equal than chance explains."""
    pairs = near([one.quantities[name] for one in rows])
    shares = [(i, j, _equal(rows[i], rows[j], name)) for i, j in pairs]
    equal = [(i, j, share) for i, j, share in shares if share is not None and share < RARE]
    usual = sum(share for _, _, share in equal) / len(equal) if equal else 0.0
    rare = bool(equal) and at_least(len(equal), usual * len(pairs)) < RARE
    for i, j, _ in equal:
        early, late = sorted((i, j))
        yield broken("copied", rows[late], rows[early], name, WHY) if rare else None
    yield from (None for _ in range(len(pairs) - len(equal)))


def _equal(one: Statement, other: Statement, near_by: str) -> float | None:
    """Return the probability that all measured numbers agree by chance; None if one of them differs.

    near_by: the number whose values in the two rows are within SCATTER of each other.
    """
    share = 1.0
    for family in FAMILIES:
        names = [name for name in family if name in one.quantities and name in other.quantities]
        if any(one.quantities[name].value != other.quantities[name].value for name in names):
            return None
        most = SCATTER if near_by in family else math.inf
        share *= max((_by_chance(one, name, most) for name in names if _plain(one, name)), default=1.0)
    return share


def _by_chance(one: Statement, name: str, most: float) -> float:
    """Return the probability that a value near this one is equal to it.

    Near means within the scatter of the row's own extremes, SCATTER where it has none, and at most `most`. The slowest
    timing scatters as much as the extremes, the least and the mean less.
    """
    stated = one.quantities[name]
    spread = [(high.value - low.value) / high.value / (1 if name in SLOWEST else STEADIER) for ends in EXTREMES
              if (known := one.get(*ends)) for low, high in [known] if high.value > 0]  # fmt: skip
    return equal_share(stated, min([most, *(spread or [SCATTER])]) * stated.value)


identities.add(Copied())
