"""One value of a row as shown to people; the unit is in the column's head, so that columns line up."""

import math

from tierscope.draw import vega
from tierscope.record.experiment import Label
from tierscope.tables import Column
from tierscope.units import show_bytes, show_size

HEADS = {"B/s": "GB/s", "s": "ns", "1/s": "M/s"}
NOTHING = "–"
SLOW = 1e9  # bytes/s, below which two decimals of GB/s would be fewer than three digits: storage
UNKNOWN = "not known"  # a number whose interval is as wide as itself
SHARES = ("peak_share", "left_out_share", "on_target_share", "between_share", "slow_share")
DECIMAL = ("block_bytes", "total_bytes")  # sizes as they were asked for: 8 KB stays 8 KB


def head(column: Column) -> str:
    """Return 'bandwidth, GB/s'; sizes carry their unit in the cell."""
    unit = "%" if _is_share(column) else "s" if _is_long(column) else HEADS.get(column.unit, "")
    unit = "1/s" if _is_iops(column) else unit
    return f"{column.title}, {unit}" if unit else column.title


def cell(value: Label, column: Column) -> str:
    """Return a value as text: GB/s with two decimals, ns with four digits, binary sizes, percent, yes and no."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return _number(float(value), column)


def _number(value: float, column: Column) -> str:
    if column.unit == "B":
        show = show_size(int(value)) if column.name in DECIMAL else show_bytes(value)
        return show if value else "0"
    if column.unit == "B/s":
        return f"{value / 1e9:.2f}" if not 0 < abs(value) < SLOW else f"{value / 1e9:.3g}"
    if _is_long(column):
        return f"{value:.4g}"
    if column.unit == "s":
        return _digits(vega.ns(value) or 0.0)
    if _is_iops(column):
        return f"{value:.0f}"
    if column.unit == "1/s":
        return _digits(value / 1e6)
    if _is_share(column):
        return f"{100 * value:.1f}"
    return f"{value:.0f}" if value == int(value) else f"{value:.4g}"


def _digits(value: float) -> str:
    """Return four significant digits, never with an exponent."""
    if value == 0:
        return "0"
    whole = len(str(int(abs(value))))
    return f"{value:.{max(0, 4 - whole)}f}"


def _is_share(column: Column) -> bool:
    """Return whether the column is a share of a whole, shown in percent; a read share of 0.75 is a ratio and stays."""
    return column.unit == "1" and column.name in SHARES


def _is_iops(column: Column) -> bool:
    """Return whether these are operations of storage: thousands a second, not millions."""
    return column.name.startswith("iops")


def _is_long(column: Column) -> bool:
    """Return whether this is the time of a whole task, shown in seconds."""
    return column.unit == "s" and column.name.startswith("seconds")


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
    return f"{text} ±{half:.1f}%" if round(half, 1) < 100 else UNKNOWN
