"""Key numbers as text, and the band of similar machines as places on a line."""

from typing import NamedTuple

from tierscope.normal.text import band_words
from tierscope.report.top.parts import Key
from tierscope.units import show_end, show_half, three_digits

WIDE = 0.2  # half of an interval over its number, from which its bounds are clearer than a percentage
WHOLE = 10  # of things, from which a part of one is not shown
LENGTH = 180.0  # of the line, in the units of its drawing
AROUND = 0.1  # of what is shown, free on each side


class Line(NamedTuple):
    """Places from 0 to LENGTH: the band from `low` to `high`, the interval from `left` to `right`, and the number.

    If the machines are too few for a band, `others` has each one, and `low` and `high` are None.
    """

    low: float | None
    high: float | None
    others: tuple[float, ...]
    left: float
    right: float
    value: float
    text: str


def value_of(key: Key) -> str:
    """Return '33.4 GB/s', '1.08x', '49 %': measured numbers have three digits, whatever their unit; else a range."""
    if key.rough and key.low is not None and key.high is not None:
        return f"{_shown(key, key.low)} to {_shown(key, key.high)}"
    return _shown(key, key.value)


def span_of(key: Key) -> str:
    """Return '±1.3 %', or '22.6 MiB to 32.0 MiB' of a capacity or a wide interval; "" where there is none."""
    if key.low is None or key.high is None:
        return ""
    half = (key.high - key.low) / 2 / abs(key.value) if key.value else WIDE
    if not key.rough and (key.unit == "B" or half >= WIDE):
        return f"{_shown(key, key.low)} to {_shown(key, key.high)}"
    return show_half(half)


def _shown(key: Key, value: float) -> str:
    if key.unit != "1":
        return show_end(value, key.value, key.unit)
    if key.kind in ("share", "percent", "difference"):
        number = three_digits(100 * value)
        return f"{number.rstrip('0').rstrip('.') if '.' in number else number} %"
    if key.kind == "count":
        return f"{value:.0f}" if value >= WHOLE else f"{value:.2g}"
    return f"{value:.2f}x"


def band_of(key: Key) -> str:
    """Return the band in words; "" where no similar machine is known."""
    return band_words(key.band, key.unit) if key.band else ""


def line_of(key: Key) -> Line | None:
    """Return where the band and this machine are; None without a band."""
    band = key.band
    if band is None:
        return None
    theirs = band.values if band.few else (band.low, band.high)
    low, high = key.low if key.low is not None else key.value, key.high if key.high is not None else key.value
    first, last = min(*theirs, low, key.value), max(*theirs, high, key.value)
    room = AROUND * (last - first or abs(last) or 1.0)
    scale = LENGTH / (last - first + 2 * room)

    def place(end: float) -> float:
        return round((end - first + room) * scale, 1)

    here = (place(low), place(high), place(key.value), band_of(key))
    if band.few:
        return Line(None, None, tuple(map(place, band.values)), *here)
    return Line(place(band.low), place(band.high), (), *here)
