"""Percentiles of single accesses in a terminal; those that are not supported are empty, with the reason below."""

from tierscope.draw import vega
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.stats.median import Interval
from tierscope.suites.loaded_latency.figure_tails import NAMES, name_of
from tierscope.suites.loaded_latency.table_tails import LatencyTailRow


def latency_tail(rows: list[LatencyTailRow]) -> list[Grid]:
    """Return a line for each load, with the interval of the last percentile."""
    heads = [("load", False), *((f"p{name}", True) for name in NAMES.values()), ("clock p50", True)]
    lines = [[name_of(row), *(_shown(row.percentile(name)) for name in NAMES), _shown(row.clock_p50)] for row in rows]
    hops = sorted({row.hops for row in rows})
    batch = " and ".join(map(str, hops))
    grids: list[Grid] = [(f"Tail of latency, ns; accesses in a batch: {batch}", heads, lines)]
    absent = [[name_of(row), row.absent] for row in rows if row.absent]
    return [*grids, *([("Percentiles without support", [("load", False), ("why", False)], absent)] if absent else [])]


def _shown(found: Interval | None) -> str:
    if found is None:
        return ""
    low, middle, high = (vega.ns(value) or 0 for value in (found.low, found.middle, found.high))
    return f"{middle:.0f} ({low:.0f} to {high:.0f})"


forms.add(of_rows("latency_tail", latency_tail))
