"""No bus carries more than its theoretical peak.

    bus_bytes_per_s <= peak_bytes_per_s          where the first is unknown, bandwidth_bytes_per_s stands for it

A footprint that fits in the last-level cache never meets the bus: the failure then says so. Blind where the peak is
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


class PeakShare:
    """What went over the bus, or the program's bytes where no one reckoned it."""

    name: ClassVar[str] = "peak_share"
    title: ClassVar[str] = "bus bandwidth <= theoretical peak"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            name = next((n for n in ("bus_bytes_per_s", "bandwidth_bytes_per_s") if n in one.quantities), "")
            if name and one.hardware and (peak := one.get("peak_bytes_per_s")):
                yield _failure(one, name, peak[0].value)


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
    return "the peak is that of fewer channels or a lower clock than are there, or bytes were counted twice"


identities.add(PeakShare())
