"""No bus carries more than its theoretical peak.

    bus_bytes_per_s <= peak_bytes_per_s          where the first is unknown, bandwidth_bytes_per_s stands for it
    line_s >= line_bytes / peak_bytes_per_s      of single lines, where no bandwidth is stated

A footprint that fits in the last-level cache never reaches the bus; the failure then states this. Blind if the peak is
unknown, and to a peak that the firmware or a user made too high.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown, value_of
from tierscope.audit.statement import Statement
from tierscope.units import show_bytes

ROOM = 0.02  # clocks of memory may be set this much above their name
LARGEST_CACHE = 2.5e9  # bytes of the last-level caches of two packages with stacked caches, the largest on sale
WRONG = "the peak is that of fewer channels or a lower clock than are there, or bytes were counted twice"


class PeakShare:
    """Check the bytes that crossed the bus, or the program's bytes if those are not known."""

    name: ClassVar[str] = "peak_share"
    title: ClassVar[str] = "bus bandwidth <= theoretical peak"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            name = next((n for n in ("bus_bytes_per_s", "bandwidth_bytes_per_s") if n in one.quantities), "")
            if name and one.hardware and (peak := one.get("peak_bytes_per_s")):
                yield _failure(one, name, peak[0].value)
            elif one.hardware and (known := one.get("line_s", "peak_bytes_per_s")):
                yield _line(one, one.line_bytes / known[1].value)


def _line(one: Statement, least: float) -> Failure | None:
    stated = one.quantities["line_s"]
    if stated.high * (1 + ROOM) >= least:
        return None
    found = f"at the theoretical peak a line takes {value_of('line_s', least)}"
    return Failure("peak_share", one.label, one.table, "line_s", shown("line_s", stated), found, WRONG)


def _failure(one: Statement, name: str, peak: float) -> Failure | None:
    stated = one.quantities[name]
    if stated.low <= peak * (1 + ROOM):
        return None
    found = f"the theoretical peak is {value_of(name, peak)}"
    return Failure("peak_share", one.label, one.table, name, shown(name, stated), found, _why(one))


def _why(one: Statement) -> str:
    sizes = one.get("footprint_bytes", "cache_bytes")
    if sizes and sizes[0].value < sizes[1].value:
        footprint, cache = (show_bytes(size.value) for size in sizes)
        return f"a footprint of {footprint} fits in the last-level cache of {cache}: this is the cache's bandwidth"
    if (size := one.get("footprint_bytes")) and not one.get("cache_bytes") and size[0].value <= LARGEST_CACHE:
        return (
            f"if a footprint of {show_bytes(size[0].value)} fits in the caches, this is their bandwidth; else {WRONG}"
        )
    return WRONG


identities.add(PeakShare())
