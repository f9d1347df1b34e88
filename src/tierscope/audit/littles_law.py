"""Little's law: operations in flight = rate x latency.

    in_flight = rate_per_s * latency_s            [operations]

`in_flight` is the number that the test kept in flight at any time, as fio's queue depth with direct I/O. If it has
bounds, from `under_way`, the product is between them. `most_in_flight` is a depth that the test may not have reached:
it bounds the product only from above.

A depth without bounds comes from a table that lacks the length of a run and the longest latency. Means of latency and
rate over one run then agree within MEAN. In addition, a latency may be too short by the program's time from the end of
one operation to the start of the next: RESUBMIT_S for each operation in flight. At 300 000 operations/s that is several
percent. If only the reads of a mixture are counted, the law shows by how much.
Blind to a latency and a rate that are wrong by inverse factors.
Source: J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9, 1961.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown, value_of
from tierscope.audit.slips import OF_TIMES_AND_COUNTS, slip
from tierscope.audit.statement import Quantity, Statement

MEAN = 0.02  # two averages of one quantity over a run agree within this share
RESUBMIT_S = 1e-6  # of a CPU, to reap one operation and submit the next: a system call each, at worst
MOST_ROOM = 0.2  # within this a slip is named: no two factors of decimal prefixes and digits are as near
IMPOSSIBLE = 3.0  # times more than can be in flight: no tail of waiting explains it


def queue_latency_s(in_flight: float, rate_per_s: float) -> float:
    """Return how long an operation must take if this number of them is always in flight."""
    return in_flight / rate_per_s


class LittlesLaw:
    """Compare the latency with depth / rate."""

    name: ClassVar[str] = "littles_law"
    title: ClassVar[str] = "latency x rate = operations in flight"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            for depth in ("in_flight", "most_in_flight"):
                known = one.get("latency_s", "rate_per_s", depth)
                if known and min(quantity.value for quantity in known) > 0:
                    yield _failure(one, *known)


def _failure(one: Statement, latency: Quantity, rate: Quantity, depth: Quantity) -> Failure | None:
    needed = queue_latency_s(depth.value, rate.value)
    ratio, rounding = latency.value / needed, latency.slack + rate.slack
    low, high = (end / depth.value for end in depth.bounds or _roughly(depth.value, needed))
    if low * (1 - rounding) <= ratio <= high * (1 + rounding):
        return None
    held = f"{depth.value:g}" if depth.bounds is None else f"{depth.bounds[ratio > high]:.4g}"
    most = "" if depth.bounds is None else " at most" if ratio > high else " at least"
    limit = needed if depth.bounds is None else needed * (high if ratio > high else low)
    found = f"with {held} in flight{most} {shown('rate_per_s', rate)} makes {value_of('latency_s', limit)}{most}"
    said = f"{shown('latency_s', latency)}"
    return Failure(
        "littles_law", one.label, one.table, "latency_s", said, found, _why(one, ratio, _room(low, high, rounding))
    )


def _room(low: float, high: float, rounding: float) -> float:
    """Return by how much a ratio may miss a slip that explains it: as much as the product itself may vary."""
    return min(max(high - 1, 1 - low, MEAN) + rounding, MOST_ROOM)


def _roughly(depth: float, needed_s: float) -> tuple[float, float]:
    """Return the bounds of a depth that has none of its own."""
    return depth * (1 - MEAN - RESUBMIT_S * depth / needed_s), depth * (1 + MEAN)


def _why(one: Statement, ratio: float, room: float) -> str:
    share = one.get("read_share")
    if share and 0 < share[0].value < 1:
        left = 100 * (ratio / share[0].value - 1)
        return f"the rate counts the reads alone (with the writes {left:+.0f} % remain)"
    word = slip(ratio, OF_TIMES_AND_COUNTS, room)
    if ratio > IMPOSSIBLE:
        return f"impossible: {ratio:.0f}x that{f', as if {word}' if word else ''}"
    if ratio < 1 / IMPOSSIBLE:
        return f"{word} in rate or latency" if word else f"{1 / ratio:.3g} times too short: another quantity, or depth"
    if ratio < 1:
        return f"{100 * (1 - ratio):.0f} % below: part of the wait is not in it, or fewer were in flight than stated"
    return f"{100 * (ratio - 1):.0f} % above: more were in flight than stated, or the rate is of other seconds"


identities.add(LittlesLaw())
