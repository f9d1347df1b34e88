"""One value of a row as shown to people; the unit is in the column's head, so that columns line up."""

import math

from tierscope.draw import vega
from tierscope.record.experiment import Label
from tierscope.tables import Column
from tierscope.tables.column import Shown
from tierscope.units import show_bytes, show_half, show_size

HEADS = {"B/s": "GB/s", "s": "ns", "1/s": "M/s"}
NOTHING = "–"
SLOW = 1e9  # bytes/s, below which two decimals of GB/s would be fewer than three digits: storage
UNKNOWN = "not known"  # a number whose interval is as wide as itself
PLAIN = {Shown.PERCENT: "%", Shown.LONG: "s", Shown.OPERATIONS: "1/s"}
"""The unit in the head of a column that states how it is shown."""


def head(column: Column) -> str:
    """Return 'bandwidth, GB/s'; sizes carry their unit in the cell."""
    unit = PLAIN.get(column.shown) or HEADS.get(column.unit, "")
    return f"{column.title}, {unit}" if unit else column.title


def cell(value: Label, column: Column) -> str:
    """Return a value as text: GB/s with two decimals, ns with four digits, binary sizes, percent, yes and no.

    An absent number or word is NOTHING everywhere.
    """
    if value is None or value == "":
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return _number(float(value), column)


def _number(value: float, column: Column) -> str:
    if column.shown is Shown.PERCENT:
        return f"{100 * value:.1f}"
    if column.shown is Shown.LONG:
        return f"{value:.4g}"
    if column.shown is Shown.OPERATIONS:
        return f"{value:.0f}"
    if column.unit == "B":
        show = show_size(int(value)) if column.shown is Shown.AS_ASKED else show_bytes(value)
        return show if value else "0"
    if column.unit == "B/s":
        return f"{value / 1e9:.2f}" if not 0 < abs(value) < SLOW else f"{value / 1e9:.3g}"
    if column.unit == "s":
        return _digits(vega.ns(value) or 0.0)
    if column.unit == "1/s":
        return _digits(value / 1e6)
    return f"{value:.0f}" if value == int(value) else f"{value:.4g}"


def _digits(value: float) -> str:
    """Return four significant digits, never with an exponent."""
    if value == 0:
        return "0"
    whole = len(str(int(abs(value))))
    return f"{value:.{max(0, 4 - whole)}f}"


def is_number(column: Column) -> bool:
    """Return whether the column is set flush right."""
    return bool(column.unit)


def within(text: str, low: Label, middle: Label, high: Label) -> str:
    """Return '53.39 ±0.4%', half of the interval; 'not known' if it is as wide as the value, `text` without one."""
    if not isinstance(low, int | float) or not isinstance(middle, int | float) or not isinstance(high, int | float):
        return text
    if not high > max(low, 0):  # one point has none
        return text
    half = 50 * (high - low) / middle if middle > 0 else math.inf
    return f"{text} {show_half(half / 100).replace(' %', '%')}" if round(half, 1) < 100 else UNKNOWN
