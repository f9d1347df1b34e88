"""Values from printed words: number and unit become a base unit, and the worth of the last digit stays."""

from tierscope.errors import UsageError
from tierscope.printed import printed
from tierscope.record.reading import Value
from tierscope.units import KiB, MiB

UNITS: dict[str, float] = {
    "s": 1.0, "sec": 1.0, "seconds": 1.0, "ms": 1e-3, "msec": 1e-3, "us": 1e-6, "usec": 1e-6, "ns": 1e-9, "nsec": 1e-9,
    "B/s": 1.0, "MB/s": 1e6, "MByte/s": 1e6, "GB/s": 1e9, "KiB/s": float(KiB), "MiB/s": float(MiB),
    "B": 1.0, "Byte": 1.0, "MiB": float(MiB), "1/sec": 1.0, "1/s": 1.0, "MFlops/s": 1e6, "": 1.0,
}  # fmt: skip
"""MB is 10^6 for all tools here, as their documents state; binary prefixes are written out."""

DIGITS = 18  # of a whole number: 64 bits contain no more; no tool prints more


def value(word: str, unit: str) -> Value:
    """Return the value in base units: '14.60', 'MB/s' -> 1.46e7; raise UsageError for no number or an unknown unit."""
    if unit not in UNITS:
        raise UsageError(f"unknown unit {unit!r} of {word.strip()[:40]!r}; known: {', '.join(u for u in UNITS if u)}")
    number, step = printed(word)
    return Value(value=number * UNITS[unit], step=step * UNITS[unit], said=f"{word.strip()} {unit}".strip())


def number(word: str) -> float:
    """Return a plain number."""
    return printed(word)[0]


def whole(word: str, what: str) -> int:
    """Return the whole number '4000000'; raise UsageError for anything else."""
    if not word.strip().isdecimal() or len(word.strip()) > DIGITS:
        raise UsageError(f"{what} is {word.strip()[:40]!r}, which is not a whole number")
    return int(word)


def newer(version: str, newest: int) -> bool:
    """Return whether the major number of '5.10' is above `newest`."""
    major = version.partition(".")[0]
    return not major.isdecimal() or len(major) > DIGITS or int(major) > newest
