"""The findings on the traffic of others: how much, less than the probe can detect, or why it is not known."""

import math
from collections.abc import Sequence

from tierscope.draw.words import with_bounds
from tierscope.suites.background.row import BackgroundRow
from tierscope.tables import Insight
from tierscope.units import show_rate

SOME, MORE, BELOW, UNKNOWN = "some", "more", "below", "not known"


def said_of(rows: Sequence[BackgroundRow]) -> list[Insight]:
    """Return the findings of each watch."""
    found = []
    for place, row in enumerate(rows):
        if row.window is None:
            windows = [one for one in rows[place + 1 :] if one.window is not None and one.target == row.target]
            found += [_whole(row), *_most(row, windows)]
    return found


def _whole(row: BackgroundRow) -> Insight:
    traffic, seconds = row.traffic, f"over {row.end_s - row.begin_s:.3g} s"
    if traffic is None or row.state == UNKNOWN:
        why = "; ".join(row.reasons)
        return Insight(name="background", text=f"Memory traffic of others: not known: {why}", conclusive=False)
    if row.state == BELOW:
        text = (
            f"Memory traffic of others: less than this probe can see, at most {show_rate(traffic.high)} more than "
            f"while the curve was measured, {seconds}"
        )
        brief = f"Memory traffic of others: less than this probe can see ({show_rate(traffic.high)})"
        return Insight(name="background", text=text, brief=brief)
    high = None if math.isinf(traffic.high) else traffic.high
    text = f"Memory traffic of others: {amount(row)}, {seconds}"
    return Insight(
        name="background",
        text=text,
        value=traffic.middle if high is not None else traffic.low,
        low=traffic.low,
        high=high,
        unit="B/s",
    )


def amount(row: BackgroundRow) -> str:
    """Return 'about 4.1 GB/s (2 to 6.3 GB/s)' or 'at least 12 GB/s'."""
    traffic = row.traffic
    if traffic is None or row.state == UNKNOWN:
        return UNKNOWN
    if row.state == BELOW:
        return f"under {show_rate(traffic.high)}"
    if row.state == MORE:
        return f"at least {show_rate(traffic.low)}"
    return f"about {with_bounds(traffic, show_rate)}"


def _most(whole: BackgroundRow, windows: Sequence[BackgroundRow]) -> list[Insight]:
    """Return the window with the most traffic, if its interval is above the middle of the whole."""
    known = [row for row in windows if row.traffic and row.state in (SOME, MORE)]
    if len(windows) < 2 or not known or whole.traffic is None:
        return []
    most = max(known, key=lambda row: row.traffic.low if row.traffic else 0.0)
    if most.traffic is None or most.traffic.low <= whole.traffic.middle:
        return []
    high = None if math.isinf(most.traffic.high) else most.traffic.high
    return [
        Insight(
            name="background_most",
            text=f"The most is {amount(most)} at {most.at[11:19]} UTC",
            value=most.traffic.middle if high is not None else most.traffic.low,
            low=most.traffic.low,
            high=high,
            unit="B/s",
        )
    ]
