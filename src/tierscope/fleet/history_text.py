"""A host's history as lines of a terminal: one for each metric, or one for each session of a metric."""

import math
import statistics
from collections.abc import Iterator, Sequence
from itertools import groupby

from tierscope.errors import UsageError
from tierscope.fleet.history import Point
from tierscope.printable import printable
from tierscope.units import show_digits


def lines(found: Sequence[Point], metric: str | None) -> Iterator[str]:
    """Yield the lines; UsageError for a metric that the host has not."""
    by_metric = {name: [*points] for name, points in groupby(found, lambda one: one.metric)}
    if metric is None:
        yield from (_line(name, points) for name, points in by_metric.items())
        return
    if metric not in by_metric:
        known = ", ".join(map(printable, list(by_metric)[:10]))
        raise UsageError(f"this host has no metric {metric!r}; some that it has: {known}")
    yield from (_session(one) for one in by_metric[metric])


def _line(name: str, points: Sequence[Point]) -> str:
    last, middle = points[-1], statistics.median(one.value for one in points)
    days = len({one.day for one in points})
    return (f"{printable(name)}: median {_shown(middle, last)} on {days} day{'s' if days != 1 else ''} from "
            f"{points[0].day} to {last.day}; last {_shown(last.value, last)}{_against(last)}")  # fmt: skip


def _session(one: Point) -> str:
    again = f", session {one.session}" if one.session else ""
    return (f"{one.day}{again}: {_shown(one.value, one)} ({_shown(one.low, one)} to {_shown(one.high, one)})"
            f"{_against(one)}")  # fmt: skip


def _shown(value: float, one: Point) -> str:
    return show_digits(value, one.unit)


def _against(one: Point) -> str:
    """Return ', 1.2 % slower than its peers', or that it had none."""
    if one.deviation is None:
        return ", without peers"
    share = -math.expm1(one.deviation)
    return f", {abs(share):.1%} {'slower' if share >= 0 else 'faster'} than its peers".replace("%", " %")
