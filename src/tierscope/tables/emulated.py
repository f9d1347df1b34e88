"""The effects that an emulated tier hides: one that is missing under its floor or ceiling may still exist.

In a tier `emu:latency=L` no dependent access is faster than L, including a hit in a cache or a prefetched line. In
`emu:bandwidth=B` no bytes are faster than B, whatever the memory below does with addresses. An effect that does not
show there may still exist. An effect that shows is real, for neither a floor nor a ceiling makes one.
The word of the target is the whole definition of the tier, so the word is read.
"""

from collections.abc import Callable

from tierscope import units
from tierscope.units import show_rate, show_seconds

NAME = "emu"
READERS: dict[str, Callable[[str], float]] = {"latency": units.parse_seconds, "bandwidth": units.parse_rate}


def floor_s(target: str) -> float:
    """Return the least seconds of a dependent access on the target with this word; 0.0 where none are set."""
    return _asked(target, "latency")


def ceiling(target: str) -> float:
    """Return the most bytes/s of the target with this word; 0.0 where none are set."""
    return _asked(target, "bandwidth")


def hidden_by_floor(target: str) -> str:
    """Return why dependent accesses on this target do not show an absence; "" where they do."""
    floor = floor_s(target)
    return f"the emulated floor of {show_seconds(floor)} hides faster accesses: give its target less" * (floor > 0)


def hidden_by_ceiling(target: str) -> str:
    """Return why bandwidth on this target does not show an absence; "" where it does."""
    most = ceiling(target)
    return f"the emulated ceiling of {show_rate(most)} hides higher bandwidths: give its target more" * (most > 0)


def _asked(target: str, key: str) -> float:
    name, _, where = target.partition(":")
    words = dict(part.split("=", 1) for part in where.split(",") if "=" in part) if name == NAME else {}
    return READERS[key](words[key]) if key in words else 0.0
