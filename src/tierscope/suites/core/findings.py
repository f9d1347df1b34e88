"""The findings on the parameters of a core."""

import math

from tierscope.suites.core.documented import beside
from tierscope.suites.core.parameter import AT_LEAST, KNOWN, UNKNOWN
from tierscope.suites.core.row import CoreRow
from tierscope.tables import Insight
from tierscope.units import show_seconds

SAID = {
    "reorder buffer": ("core_reorder", "Reorder buffer", "instructions"),
    "width": ("core_width", "Width", "instructions per cycle"),
    "store buffer": ("core_stores", "Store buffer", "stores"),
    "lines in flight": ("core_lines", "Lines in flight from", "lines"),
    "page walks": ("core_walks", "Page walks at the same time", "walks"),
    "branch miss": ("core_miss", "Branch miss", "cycles"),
    "lines ahead": ("core_ahead", "Prefetcher runs ahead,", "lines"),
    "lines of code in flight": ("core_code_lines", "Lines of code in flight from", "lines"),
    "jump targets": ("core_targets", "Targets of jumps", "jumps"),
}


def sentences(rows: list[CoreRow]) -> list[Insight]:
    """Return one finding for each parameter in `SAID` that has a number, and one for those without."""
    said = [_one(row) for row in rows if row.parameter in SAID and row.answer in (KNOWN, AT_LEAST)]
    missing = list(dict.fromkeys(row.parameter for row in rows if row.answer == UNKNOWN))
    if missing:
        first = next(row for row in rows if row.answer == UNKNOWN)
        text = f"Not known: {', '.join(missing)}; {first.parameter}, because {first.why}"
        said.append(Insight(name="core_unknown", text=text, conclusive=False))
    return said


def _one(row: CoreRow) -> Insight:
    name, title, unit = SAID[row.parameter]
    assert row.value
    value = row.value
    named = f"{name} {row.level.replace(', ', '_').replace(' ', '_')}" if row.level else name
    head = f"{title} {row.level}" if row.level else title
    if row.answer == AT_LEAST:
        least = float(math.floor(value.low))
        text = f"{head}: at least {least:.0f} {unit}, because {row.why}"
        if row.documented and row.why != beside(value.low, row.documented, row.parameter):
            text += f"; {row.documented} are documented for a core"
        return Insight(name=named, text=text, value=least, low=least, high=value.high, unit="1", conclusive=False)
    number = f"{row.whole}" if row.whole is not None else f"{value.middle:.3g}"
    span = f" ({value.low:.3g} to {value.high:.3g})" if value.low < value.high else ""
    text = f"{head}: {number} {unit}{span}"
    if row.seconds:
        text += f", {show_seconds(row.seconds.middle)}"
    middle = float(row.whole) if row.whole is not None else value.middle
    text += _documented(row, middle)
    return Insight(name=named, text=text, value=middle, low=value.low, high=value.high, unit="1", kind="count")


def _documented(row: CoreRow, measured: float) -> str:
    """Return '; a core has 512, as documented'; "" where nothing is."""
    return f"; {beside(measured, row.documented, row.parameter)}" if row.documented else ""
