"""Little's law: what is under way = rate x latency.

    in_flight = rate_per_s * latency_s            [operations]

`in_flight` is what the test held under way at any time, as fio's queue depth with direct I/O. Means of latency and rate
over one run agree within MEAN; a latency may also be short by what a program takes from the end of one operation to the
start of the next, RESUBMIT_S for each that is under way: at 300 000 operations/s that is several percent. Where
reads alone are counted of a mixture, the law shows by how much.
Blind to a latency and a rate that are wrong by inverse factors.
Source: J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9, 1961.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown, value_of
from tierscope.audit.slips import slip
from tierscope.audit.statement import Quantity, Statement

MEAN = 0.02  # two averages of one quantity over a run agree within this share
RESUBMIT_S = 1e-6  # of a CPU, to reap one operation and submit the next: a system call each, at worst
IMPOSSIBLE = 3.0  # times more than can be under way: no tail of waiting explains it


def queue_latency_s(in_flight: float, rate_per_s: float) -> float:
    """What an operation must take where so many are always under way."""
    return in_flight / rate_per_s


class LittlesLaw:
    """Latency against depth / rate."""

    name: ClassVar[str] = "littles_law"
    title: ClassVar[str] = "latency x rate = operations under way"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            if (known := one.get("latency_s", "rate_per_s", "in_flight")) and min(q.value for q in known) > 0:
                yield _failure(one, *known)


def _failure(one: Statement, latency: Quantity, rate: Quantity, depth: Quantity) -> Failure | None:
    needed = queue_latency_s(depth.value, rate.value)
    ratio = latency.value / needed
    room = MEAN + latency.slack + rate.slack
    between = RESUBMIT_S * depth.value / needed
    if -between - room <= ratio - 1 <= room:
        return None
    found = f"with {depth.value:g} under way {shown('rate_per_s', rate)} makes {value_of('latency_s', needed)}"
    said = f"{shown('latency_s', latency)}"
    return Failure("littles_law", one.label, one.table, "latency_s", said, found, _why(one, ratio, room))


def _why(one: Statement, ratio: float, room: float) -> str:
    share = one.get("read_share")
    if share and 0 < share[0].value < 1:
        left = 100 * (ratio / share[0].value - 1)
        return f"the rate counts the reads alone (with the writes {left:+.0f} % remain)"
    if ratio > IMPOSSIBLE:
        word = slip(ratio, room)
        return f"impossible: {ratio:.0f} times that{f', as if {word}' if word else ''}"
    if ratio < 1 / IMPOSSIBLE or slip(ratio, room):
        word = slip(ratio, room)
        return f"{word} in rate or latency" if word else f"{1 / ratio:.3g} times too short: another quantity, or depth"
    if ratio < 1:
        return f"{100 * (1 - ratio):.0f} % below: part of the wait is not in it, or fewer were under way than stated"
    return f"{100 * (ratio - 1):.0f} % above: more were under way than stated, or the rate is of other seconds"


identities.add(LittlesLaw())
