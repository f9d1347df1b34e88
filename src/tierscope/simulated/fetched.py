"""How instructions come to a simulated core, from a run of `core`: keys of core.fetch, as early and as late as found.

    ahead    = lines of code in flight, from the farthest cache that shows them                    [1]
    between  = time of a line of code in the second cache, where fewer lines than that are in flight there  [cycles]
    targets  = jumps whose targets are known                                                       [1]
    redirect = cost of an unknown target                                                           [cycles]

The second cache may deliver a line only every few cycles. Then fewer lines are in flight from there than from behind
it, and `between` states that. If no cache behind it was measured, either may be the reason.
A bound that is only `at least` is open on the other side. There the usual values of `simulated.fetch` apply.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tierscope.simulated.fetch import AHEAD
from tierscope.suites.core.coded import IN_FLIGHT, SECOND, TARGETS, UNKNOWN
from tierscope.suites.core.parameter import AT_LEAST, KNOWN
from tierscope.suites.core.row import CoreRow

USUAL_TARGETS = 4096  # of the simulator
LEAST_REDIRECT, MOST_REDIRECT = 0, 8  # cycles until a branch is decoded, on most cores
WAYS = 4  # of the targets of the simulator


@dataclass(frozen=True, slots=True)
class Fetched:
    """Words behind a machine: `early` fetches as soon as the points allow, `late` as late. sure: whether both are
    near each other, since each part was found.
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
    ahead, between = _ahead(known[-1] if known else flights[-1]), (0, 0)
    second = next((row for row in known if row.level == SECOND), None)
    if second and second.value and second.seconds:
        apart = round(second.seconds.middle / cycle)
        if second is known[-1]:
            ahead, between = (ahead[0], max(AHEAD, ahead[1])), (apart, 0)
        elif second.value.high < ahead[0]:
            between = (apart, apart)
    targets, redirect, sure = _targets(rows)
    early, late = (
        f",core.fetch.ahead={a},core.fetch.between={b},core.fetch.targets={targets},core.fetch.redirect={r}"
        for a, b, r in zip(reversed(ahead), between, redirect, strict=True)
    )
    return Fetched(early, late, sure and bool(known))


def _ahead(row: CoreRow) -> tuple[int, int]:
    """Return the fewest lines and the most; at least as many as usual where the points leave that open."""
    assert row.value
    low, high = max(round(row.value.low), 0), max(round(row.value.high), 1)
    return (low, high) if row.answer == KNOWN else (low, max(high, AHEAD))


def _targets(rows: Sequence[CoreRow]) -> tuple[int, tuple[int, int], bool]:
    """Return the targets that are known, the cycles of another one, and whether the former were found."""
    row = next((row for row in rows if row.parameter == TARGETS and row.answer in (KNOWN, AT_LEAST)), None)
    if row is None or row.value is None:
        return USUAL_TARGETS, (LEAST_REDIRECT, MOST_REDIRECT), False
    count = max(round(row.value.middle), USUAL_TARGETS if row.answer == AT_LEAST else 0) // WAYS * WAYS
    cost = next((row for row in rows if row.parameter == UNKNOWN and row.answer == KNOWN), None)
    if cost is None or cost.value is None:
        return count, (LEAST_REDIRECT, MOST_REDIRECT), row.answer == AT_LEAST
    return count, (round(cost.value.low), round(cost.value.high)), True
