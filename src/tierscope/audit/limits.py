"""The limits of a machine that a user knows and a result lacks: `peak=`, or `channels=` and `speed=`, and `cache=`.

The theoretical peak is that of all channels together, 10^6 x MT/s x 8 bytes each. It is added to every statement of
memory bandwidth. If both ways are given the statements contain both, and `peak_formula` compares them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tierscope.audit.statement import Quantity, Statement
from tierscope.errors import UsageError
from tierscope.host.peak import CHANNEL_BYTES
from tierscope.record.experiment import Label, real
from tierscope.tables import tables
from tierscope.units import parse_bytes, parse_rate

KEYS = ("peak", "channels", "speed", "cache")
MOST_CHANNELS, MOST_MT_S = 1024, 100_000.0  # more than any machine has
LEAST_PEAK = 1e8  # bytes/s: below that of one channel of the slowest SDRAM; a unit was forgotten
BANDWIDTH = "bandwidth_bytes_per_s"


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits that a user stated; None means not known."""

    peak_bytes_per_s: float | None = None  # given as such
    channels: int | None = None
    speed_mt_s: float | None = None
    cache_bytes: float | None = None  # all last-level caches together

    @property
    def made_bytes_per_s(self) -> float | None:
        """Return the peak computed from channels and speed."""
        if self.channels is None or self.speed_mt_s is None:
            return None
        return self.channels * self.speed_mt_s * 1e6 * CHANNEL_BYTES

    @property
    def peak(self) -> float | None:
        """Return the peak in bytes/s: as given, or computed from channels and speed."""
        return self.made_bytes_per_s if self.peak_bytes_per_s is None else self.peak_bytes_per_s

    @property
    def options(self) -> dict[str, Label]:
        """Return the known limits as options of a run: numbers in base units."""
        known = {"peak": self.peak_bytes_per_s, "channels": self.channels, "speed": self.speed_mt_s,
                 "cache": self.cache_bytes}  # fmt: skip
        return {key: value for key, value in known.items() if value is not None}

    @property
    def source(self) -> str:
        """Return where the peak is from, in the user's words."""
        if self.peak_bytes_per_s is not None:
            return f"given: peak={self.peak_bytes_per_s / 1e9:.12g}GB/s"
        return f"given: channels={self.channels} speed={self.speed_mt_s:.12g}"


def parsed(words: Mapping[str, str]) -> Limits:
    """Return the limits of key=value pairs; UsageError for other keys, or for only one of channels= and speed=."""
    unknown = [key for key in words if key not in KEYS]
    if unknown:
        raise UsageError(f"unknown option {unknown[0]}=; known: {', '.join(KEYS)}, such as peak=307.2GB/s")
    if ("channels" in words) != ("speed" in words):
        missing = "speed=, in MT/s" if "channels" in words else "channels="
        raise UsageError(f"a peak needs channels= and speed=;  {missing} is missing")
    peak = parse_rate(words["peak"]) if "peak" in words else None
    if peak is not None and peak < LEAST_PEAK:
        said = f"peak={words['peak']} means {peak:g} bytes/s, which is less than one channel of any memory moves"
        raise UsageError(f"{said}; give channels x MT/s x 8 bytes with its unit, such as peak=307.2GB/s")
    return Limits(
        peak_bytes_per_s=peak,
        channels=int(_number("channels", words["channels"], MOST_CHANNELS)) if "channels" in words else None,
        speed_mt_s=_number("speed", words["speed"], MOST_MT_S) if "speed" in words else None,
        cache_bytes=float(parse_bytes(words["cache"])) if "cache" in words else None,
    )


def of_options(options: Mapping[str, Label]) -> Limits:
    """Return the limits of the options of a run; a value that is not a number counts as unknown."""
    known = {key: real(options.get(key)) for key in KEYS}
    channels = known["channels"]
    return Limits(known["peak"], None if channels is None else int(channels), known["speed"], known["cache"])


def _number(key: str, word: str, most: float) -> float:
    if not word.isdecimal() or len(word) > 9 or not 0 < int(word) <= most:
        what = "the channels of the whole machine" if key == "channels" else "the data rate in MT/s, such as 4800"
        raise UsageError(f"{key}={word[:40]}: expected {what}, a whole number of 1 to {most:g}")
    return float(word)


def limited(statements: Iterable[Statement], limits: Limits) -> list[Statement]:
    """Return statements with the limits added to those of memory bandwidth, and one of each limit given twice."""
    more: dict[str, Quantity] = {}
    if limits.peak is not None:
        more["peak_bytes_per_s"] = Quantity(limits.peak)
    if limits.cache_bytes is not None:
        more["cache_bytes"] = Quantity(limits.cache_bytes)
    found = [replace(one, quantities={**one.quantities, **more}) if _memory(one) else one for one in statements]
    return [*found, _given(limits)] if limits.peak_bytes_per_s and limits.made_bytes_per_s else found


def _memory(one: Statement) -> bool:
    """Return whether the bytes of a statement cross the memory bus: those of storage and of structures need not."""
    ours = one.table in tables and one.table != "imported"
    if ours and not (one.table in tables and tables[one.table].audited.memory):
        return False
    moved = BANDWIDTH in one.quantities or "line_s" in one.quantities
    return moved and "rate_per_s" not in one.quantities


def _given(limits: Limits) -> Statement:
    transfers = None if limits.speed_mt_s is None else limits.speed_mt_s * 1e6
    known = {"stated_peak_bytes_per_s": limits.peak_bytes_per_s, "channels": limits.channels,
             "transfers_per_s": transfers}  # fmt: skip
    quantities = {name: Quantity(float(value)) for name, value in known.items() if value is not None}
    return Statement("what was given", quantities, conclusive=True)
