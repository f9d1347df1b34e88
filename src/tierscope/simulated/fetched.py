"""How instructions come to a simulated core, from a run of `core`: keys of core.fetch, as early and as late as found.

    ahead    = lines of code in flight, from the farthest cache that shows them                    [1]
    between  = time of a line of code in the second cache, where that was found                    [cycles]
    targets  = jumps whose targets are known                                                       [1]
    redirect = cost of an unknown target                                                           [cycles]

The second cache may deliver a line only every few cycles. Then fewer lines are in flight from there than from behind
it, and `between` states that. If no cache behind it was measured, or if lines from there take the same time, either may
be the reason: then nothing bounds `ahead` from above.
A bound that is only `at least` is open on the other side. There the usual values of `simulated.fetch` apply.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tierscope.simulated.fetch import AHEAD
from tierscope.suites.core.coded import IN_FLIGHT, SECOND, TARGETS, UNKNOWN
from tierscope.suites.core.parameter import AT_LEAST, KNOWN
from tierscope.suites.core.row import CoreRow

USUAL_TARGETS, MANY_TARGETS = 4096, 1 << 16  # of the simulator; more than any core that we know
ALIKE = 1.1  # factor between the times of a line from two caches, below which something else limits both
LEAST_REDIRECT, MOST_REDIRECT = 0, 8  # cycles until a branch is decoded, on most cores
WAYS = 4  # of the targets of the simulator
MOST = 1000  # lines and cycles that it takes


@dataclass(frozen=True, slots=True)
class Fetched:
    """Words behind a machine: `early` fetches as soon as the points allow, `late` as late. sure: whether both are
    near each other: each part was found, and lines in flight from a cache behind the second one.
    """

    early: str
    late: str
    sure: bool = False


NOT_PROBED = Fetched(
    f",core.fetch.ahead={AHEAD},core.fetch.redirect={LEAST_REDIRECT}",
    f",core.fetch.ahead=0,core.fetch.redirect={MOST_REDIRECT}",
)
"""Ahead, with all targets known, or on demand."""


def fetched(rows: Sequence[CoreRow]) -> Fetched:
    """Return what the rows of one target show; NOT_PROBED where they show no lines of code in flight."""
    cycle = next((row.seconds.middle for row in rows if row.parameter == "cycle" and row.seconds), None)
    flights = [row for row in rows if row.parameter == IN_FLIGHT and row.answer in (KNOWN, AT_LEAST)]
    if not flights or not cycle:
        return NOT_PROBED
    known = [row for row in flights if row.answer == KNOWN]
    last = known[-1] if known else flights[-1]
    ahead, between, open_ = _ahead(last), (0, 0), not known
    second = next((row for row in known if row.level == SECOND), None)
    if second and second.seconds and last.seconds:
        apart = second.seconds.middle / cycle
        between = (min(math.floor(apart), MOST), min(math.ceil(apart), MOST))
        open_ = second is last or last.seconds.middle < ALIKE * second.seconds.middle
        ahead = (ahead[0], max(AHEAD, ahead[1])) if open_ else ahead
    targets, redirect, sure = _targets(rows)
    early, late = (
        f",core.fetch.ahead={a},core.fetch.between={b},core.fetch.targets={t},core.fetch.redirect={r}"
        for a, b, t, r in zip(reversed(ahead), between, targets, redirect, strict=True)
    )
    return Fetched(early, late, sure and not open_)


def _ahead(row: CoreRow) -> tuple[int, int]:
    """Return the fewest lines and the most; at least as many as usual where the points leave that open."""
    assert row.value
    low, high = min(math.floor(row.value.low), MOST), min(max(math.ceil(row.value.high), 1), MOST)
    return (low, high) if row.answer == KNOWN else (low, max(high, AHEAD))


def _targets(rows: Sequence[CoreRow]) -> tuple[tuple[int, int], tuple[int, int], bool]:
    """Return the targets that are known, early and late, the cycles of another one, and whether both were found.

    Both ends have the middle of what was found, so that machines share the warming of their caches.
    """
    row = next((row for row in rows if row.parameter == TARGETS and row.answer in (KNOWN, AT_LEAST)), None)
    usual = (LEAST_REDIRECT, MOST_REDIRECT)
    if row is None or row.value is None:
        return (USUAL_TARGETS, USUAL_TARGETS), usual, False
    count = max(round(row.value.middle), WAYS) // WAYS * WAYS
    if row.answer == AT_LEAST:
        return (max(count, MANY_TARGETS), count), usual, False
    cost = next((row for row in rows if row.parameter == UNKNOWN and row.answer == KNOWN), None)
    if cost is None or cost.value is None:
        return (count, count), usual, False
    cycles = (min(math.floor(cost.value.low), MOST), min(math.ceil(cost.value.high), MOST))
    return (count, count), cycles, True
