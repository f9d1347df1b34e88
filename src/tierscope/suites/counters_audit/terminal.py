"""The verdicts in a terminal: a line for each event that was counted."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.draw.words import with_bounds
from tierscope.suites.counters_audit.row import EventCountsRow, EventVerdictRow


def verdicts(rows: list[EventVerdictRow]) -> list[Grid]:
    """Return a line for each event that is counted here; a sentence names the others."""
    heads = [("event", False), ("verdict", False), ("follows", False), ("factor", True)]
    lines = [[row.event, row.verdict, row.follows or cells.NOTHING, _factor(row)] for row in rows if row.kernels]
    return [("What the events count (95 % interval)", heads, lines)] if lines else []


def _factor(row: EventVerdictRow) -> str:
    return with_bounds(row.factor, "{:.3g}".format) if row.factor else cells.NOTHING


def counts(rows: list[EventCountsRow]) -> list[Grid]:
    """Return a line for each event, a column for each kernel."""
    kernels = list(dict.fromkeys(row.kernel for row in rows))
    by = {(row.event, row.kernel): row for row in rows if row.per_operation}
    heads = [("event", False), *((kernel, True) for kernel in kernels)]
    lines = [
        [name, *(_count(by.get((name, kernel))) for kernel in kernels)]
        for name in dict.fromkeys(row.event for row in rows)
        if any((name, kernel) in by for kernel in kernels)
    ]
    return [("Counts of one operation", heads, lines)] if lines else []


def _count(row: EventCountsRow | None) -> str:
    return f"{row.per_operation:.3g}" if row and row.per_operation else "0"


forms.add(of_rows("event_verdict", verdicts))
forms.add(of_rows("event_counts", counts))
