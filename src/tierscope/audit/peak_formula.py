"""A theoretical peak is channels x transfers per second x 8 bytes.

    stated_peak_bytes_per_s = channels * transfers_per_s * 8        within ROOM

DDR's data rate counts both edges of the clock already. Blind to channels or a rate that are themselves wrong.
Source: JEDEC JESD79-4, JESD79-5 (a channel has 64 data bits; DDR5 has two of 32); Intel, ARK (memory types of a CPU).
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown, value_of
from tierscope.audit.statement import Statement
from tierscope.host.peak import CHANNEL_BYTES

ROOM = 0.01  # DDR4-2133 is 2133.33 MT/s, and peaks are stated in whole GB/s
NAME = "stated_peak_bytes_per_s"


class PeakFormula:
    """Check statements with a peak and its factors."""

    name: ClassVar[str] = "peak_formula"
    title: ClassVar[str] = "peak = channels x transfers/s x 8 bytes"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            if known := one.get(NAME, "channels", "transfers_per_s"):
                stated, channels, transfers = known
                made = channels.value * transfers.value * CHANNEL_BYTES
                good = abs(stated.value - made) <= ROOM * made + stated.step / 2
                yield None if good else _failure(one, made)


def _failure(one: Statement, made: float) -> Failure:
    stated, channels, transfers = (one.quantities[name] for name in (NAME, "channels", "transfers_per_s"))
    found = f"{channels.value:g} channels x {transfers.value / 1e6:g} MT/s x 8 bytes make {value_of(NAME, made)}"
    why = "both edges were counted twice, channels were left out, or the rate is of other DIMMs"
    return Failure("peak_formula", one.label, one.table, NAME, shown(NAME, stated), found, why)


identities.add(PeakFormula())
