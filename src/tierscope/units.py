"""The only file that converts units. Inside are seconds, bytes, bytes/s and hertz; words are for people.

Sizes are written in KiB, MiB, GiB (2^10); KB, MB, GB are decimal (10^3), as in document 001's tables.
Rates are shown in GB/s (10^9), times in ns, us, ms or s.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable

from tierscope.errors import UsageError

KiB, MiB, GiB, TiB = (1 << shift for shift in (10, 20, 30, 40))
ADDRESSES = 1 << 63  # bytes; half of 64 bits is the kernel's on every system served
ROUNDING = 1e-12  # of a number: less is the rounding of doubles
NO_SCATTER = "no scatter"
LEAST_HALF = 0.05  # percent, which is not rounded to 0.0
APART = 10  # times a number; an end of its interval beyond that is written on its own
LINE_BYTES = 64
"""The bytes that one operation on lines touches. A line of the caches, `Machine.line_bytes()`, may be longer."""

SIZES = {"": 1, "B": 1, "KiB": KiB, "MiB": MiB, "GiB": GiB, "TiB": TiB,
         "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}  # fmt: skip
TIMES = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0}
RATES = {"": 1.0, "B/s": 1.0, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12, "MiB/s": float(MiB), "GiB/s": float(GiB)}
PER_S = {"": 1.0, "/s": 1.0, "k/s": 1e3, "M/s": 1e6, "G/s": 1e9}
RATIOS = {"": 1.0, "%": 0.01}
OF_BASE: dict[str, tuple[str, dict[str, int] | dict[str, float]]] = {
    "B/s": ("rate", RATES), "s": ("time", TIMES), "B": ("size", SIZES), "1/s": ("rate", PER_S),
}  # fmt: skip
"""Base unit of a column -> what it measures, and the units that it is written in; a ratio has none."""
WRITTEN = {
    "B/s": ("GB/s", "MB/s"), "s": ("s", "ms", "us", "ns"), "B": ("GiB", "MiB", "KiB", "B"), "1/s": ("M/s", "k/s", "/s"),
}  # fmt: skip
"""The units in which four digits are written, the largest first."""


def _parse(text: str, units: "dict[str, int] | dict[str, float]", what: str) -> float:
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\s*([A-Za-z/%]*)", text.strip())
    if match is None:
        hint = "" if units is RATIOS else f" with a unit; try one of {', '.join(u for u in units if u)}"
        raise UsageError(f"{what} {text!r} is not a number{hint}")
    number, unit = match.groups()
    if unit not in units:
        raise UsageError(f"unknown unit {unit!r} in {what} {text!r}; known: {', '.join(u for u in units if u)}")
    value = float(number) * units[unit]
    if not math.isfinite(value):
        raise UsageError(f"{what} {text!r} is too large for a number")
    return value


def parse_bytes(text: str) -> int:
    """Return the bytes of '1.5GiB'; raise UsageError for other units and for fractions of a byte."""
    value = _parse(text, SIZES, "size")
    if value >= ADDRESSES:
        raise UsageError(f"size {text!r} is more than a process can address")
    if value != int(value):
        raise UsageError(f"size {text!r} is not a whole number of bytes")
    return int(value)


def parse_seconds(text: str) -> float:
    """Return the seconds of '250ms': 0.25."""
    return _parse(text, TIMES, "time")


def parse_rate(text: str) -> float:
    """Return the bytes per second of '307.2GB/s'."""
    return _parse(text, RATES, "rate")


def parse_value(text: str, unit: str) -> float:
    """Return a number of any base unit of a column, the inverse of `show_value`; with its unit, where it has one."""
    what, units = OF_BASE.get(unit, ("ratio", RATIOS))
    if unit in OF_BASE and not re.search("[A-Za-z]$", text.strip()):
        raise UsageError(f"{what} {text!r} has no unit; try one of {', '.join(u for u in units if u)}")
    return _parse(text, units, what)


def word_value(value: float, unit: str, *, up: bool) -> str:
    """Return a positive number of any base unit with four digits, rounded up or down: '20.15 GB/s', '104.7 ns'.

    `parse_value` reads it.
    """
    word, scale = _written(value, unit)
    digits = 3 - math.floor(math.log10(value / scale))
    rounded = (math.ceil if up else math.floor)(value / scale * 10.0**digits) / 10.0**digits
    return f"{rounded:.{max(0, digits)}f} {word}".rstrip()


def show_digits(value: float, unit: str) -> str:
    """Return a number of any base unit with up to four digits: '20.15 GB/s', '8.3 MB/s', '104.7 ns'."""
    word, scale = _written(value, unit)
    return f"{value / scale:.4g} {word}".rstrip()


def _written(value: float, unit: str) -> tuple[str, float]:
    """Return the unit that a number of a base unit is written in, and its size."""
    words = WRITTEN.get(unit, ("",))
    _, units = OF_BASE.get(unit, ("ratio", RATIOS))
    word = next((one for one in words if value >= units[one]), words[-1])
    return word, units[word]


def three_digits(value: float) -> str:
    """Return three digits, also where the last are zeros: '30.0', '8.40'; more only before the point; no exponent."""
    rounded = f"{value:.2e}"
    if abs(float(rounded)) < 1000:
        return f"{float(rounded):.{max(0, 2 - int(rounded.rpartition('e')[2]))}f}"
    return f"{value:.0f}"


def show_bytes(size: float) -> str:
    """Return '64 KiB', '1.30 GiB': exact where a binary unit divides it, else three digits."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        if size >= SIZES[unit]:
            value = size / SIZES[unit]
            return f"{value:.0f} {unit}" if value == int(value) else f"{value:.3g} {unit}"
    return f"{size:.0f} B"


def show_apart(sizes: Iterable[int]) -> dict[int, str]:
    """Return size -> text that no other of these sizes has: as `show_bytes`, else all digits, '8388609 B'."""
    apart = set(sizes)
    counts = Counter(map(show_bytes, apart))
    return {size: show_bytes(size) if counts[show_bytes(size)] == 1 else f"{size} B" for size in apart}


def word_bytes(size: int) -> str:
    """Return the shortest text that parses back to the same bytes: '64KiB', '1000B'."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        if size and size % SIZES[unit] == 0:
            return f"{size // SIZES[unit]}{unit}"
    return f"{size}B"


def word_size(size: int) -> str:
    """Return the shortest text of both kinds of unit that parses back to the same bytes: '80MB', '1.3GB', '64KiB'."""
    words = [f"{size}B"]
    for unit, factor in SIZES.items():
        number = f"{size / factor:.3g}"
        if unit and size >= factor and "e" not in number and float(number) * factor == size:
            words.append(f"{number}{unit}")
    return min(words, key=len)


def show_size(size: int) -> str:
    """Return the size as `word_size`, for people: '80 MB', '64 KiB'; three digits where no short text is exact."""
    match = re.fullmatch(r"([0-9.]{1,6})([A-Za-z]+)", word_size(size))
    return f"{match[1]} {match[2]}" if match else show_bytes(size)


def word_seconds(seconds: float) -> str:
    """Return the shortest text that parses back to the same time: '1.5s', '250ms', '0s'."""
    words = [f"{seconds:.15g}s", *(f"{seconds / scale:.6g}{unit}" for unit, scale in TIMES.items() if unit)]
    return min((word for word in words if parse_seconds(word) == seconds), key=len, default=repr(seconds) + "s")


def spaced(word: str) -> str:
    """Return a word with a space between number and unit, for people: '1.5 s' for '1.5s'; any other unchanged."""
    return re.sub(r"^([0-9.]+)([A-Za-z/]+)$", r"\1 \2", word)


def show_rate(rate: float) -> str:
    """Return GB/s (10^9) with two decimals."""
    return f"{rate / 1e9:.2f} GB/s"


def show_value(value: float, unit: str) -> str:
    """Return a number of any base unit of a column: "B/s", "s", "B", "1/s", "1"."""
    shown = {"B/s": show_rate, "s": show_seconds, "B": show_bytes}
    if unit in shown:
        return shown[unit](value)
    if unit != "1/s":
        return f"{value:.4g}"
    word, scale = next(((w, s) for w, s in (("M", 1e6), ("k", 1e3)) if abs(value) >= s), ("", 1.0))
    return f"{value / scale:.3g} {word}/s"


def show_three(value: float, unit: str) -> str:
    """Return a measured number of any base unit with three digits: '33.4 GB/s', '140 ns', '26.0 MiB'.

    A number that is too large for three has all before the point: '1024 GB/s'.
    """
    number, word = _three(value, unit)
    return f"{number} {word}".rstrip()


def show_end(end: float, value: float, unit: str) -> str:
    """Return one end of the interval of `value`, in the unit and to the decimal of that number: '0.90 us' of '1.20 us'.

    An end below a tenth or beyond 10x of the number would lose its digits, or have too many; it gets three of its own.
    """
    if not value or not 1 / APART <= end / value <= APART:
        return show_three(end, unit)
    number, word = _three(value, unit)
    _, units = OF_BASE.get(unit, ("ratio", RATIOS))
    return f"{end / units[word]:.{len(number.partition('.')[2])}f} {word}".rstrip()


def _three(value: float, unit: str) -> tuple[str, str]:
    """Return three digits, and the largest unit in which they are not below 1: '1.00', 'us' of 999.6 ns."""
    words = ("TiB", "GiB", "MiB", "KiB", "B") if unit == "B" else WRITTEN.get(unit, ("",))
    _, units = OF_BASE.get(unit, ("ratio", RATIOS))
    word = next((one for one in words if abs(float(three_digits(value / units[one]))) >= 1), words[-1])
    number = value / units[word]
    return (f"{number:.0f}" if word == "B" else three_digits(number)), word


def drawn_unit(unit: str) -> tuple[str, float]:
    """Return the unit on an axis and its factor for a number of the base unit; both unchanged if none is usual."""
    return {"B/s": ("GB/s", 1e-9), "s": ("ns", 1e9), "1/s": ("M/s", 1e-6), "1": ("", 1.0)}.get(unit, (unit, 1.0))


def show_half(half: float) -> str:
    """Return '±1.3 %' of half of an interval over its number, '±<0.1 %' of a small one, and 'no scatter' of none.

    Simulated memory gives the same number each time, up to the rounding of a double.
    """
    if half <= ROUNDING:
        return NO_SCATTER
    return f"±{100 * half:.1f} %" if 100 * half >= LEAST_HALF else "±<0.1 %"


def show_seconds(seconds: float) -> str:
    """Return the time in the unit that leaves one to three digits before the point: '96.4 ns'."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(seconds) >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
