"""Extremes contain the values between them, and percentiles rise.

    worst <= average <= best        least <= p50 <= p90 <= p95 <= p99 <= ... <= most       low <= value <= high

Blind to a wrong number that stays between its neighbours.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown
from tierscope.audit.statement import SAID, Statement

ROOM = 1e-9  # of the value: binary floating point must not decide a tie
CHAINS = (
    ("worst_bytes_per_s", "average_bytes_per_s", "best_bytes_per_s"),
    ("latency_least_s", "latency_p50_s", "latency_p90_s", "latency_p95_s", "latency_p99_s", "latency_p999_s",
     "latency_p9999_s", "latency_p99999_s", "latency_most_s"),
    ("latency_least_s", "latency_mean_s", "latency_most_s"),
    ("latency_least_s", "latency_s", "latency_most_s"),
    ("seconds_least", "seconds_mean", "seconds_most"),
    ("seconds_least", "seconds_median", "seconds_most"),
)  # fmt: skip


class Spread:
    """Check neighbours in each chain, and every interval (those of sentences: `sentences`)."""

    name: ClassVar[str] = "spread"
    title: ClassVar[str] = "extremes contain what is between them"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            for chain in CHAINS:
                known = [name for name in chain if name in one.quantities]
                yield from (_pair(one, lower, upper) for lower, upper in pairwise(known))
            yield from (_within(one, name) for name, q in one.quantities.items() if q.bounds and name != SAID)


def _pair(one: Statement, lower: str, upper: str) -> Failure | None:
    small, large = one.quantities[lower], one.quantities[upper]
    if small.value - small.step / 2 <= (large.value + large.step / 2) * (1 + ROOM):
        return None
    why = "columns were swapped, or the two are of different runs"
    found = f"that is above {shown(upper, large)}"
    return Failure("spread", one.label, one.table, lower, shown(lower, small), found, why)


def _within(one: Statement, name: str) -> Failure | None:
    stated = one.quantities[name]
    room = ROOM * abs(stated.value)
    if stated.low - room <= stated.value <= stated.high + room:
        return None
    low, high = (shown(name, type(stated)(end)) for end in (stated.low, stated.high))
    why = "the interval is of another number"
    return Failure("spread", one.label, one.table, name, shown(name, stated), f"its interval is {low} to {high}", why)


identities.add(Spread())
