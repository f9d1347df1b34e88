"""The clock kept its rate.

    clock_hz of every experiment of a run is the same within DRIFT; cycles / busy seconds is a clock that exists

The first is the time-stamp counter of one machine. A change means that the guest was moved to another host, or that the
calibration went wrong; seconds before and after it are then not comparable. The second is what perf counts.
Blind to a change of the core's own frequency that no counter shows.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.statement import Statement

DRIFT = 1e-3  # calibrations over some milliseconds agree within a tenth of it
CLOCKS = (1e8, 6.5e9)  # of any core at work


class ClockRate:
    """Compare each clock with that of the first statement that has one."""

    name: ClassVar[str] = "clock_rate"
    title: ClassVar[str] = "the clock's rate does not change, and is one that exists"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        with_clock = [one for one in statements if one.get("clock_hz")]
        for one in with_clock[1:]:
            yield _changed(with_clock[0], one)
        for one in statements:
            if known := one.get("core_hz"):
                yield _no_core(one, known[0].value)


def _changed(first: Statement, one: Statement) -> Failure | None:
    before, after = first.quantities["clock_hz"].value, one.quantities["clock_hz"].value
    if abs(after / before - 1) <= DRIFT:
        return None
    said, found = f"clock of {after / 1e9:.4f} GHz", f"{first.label} had {before / 1e9:.4f} GHz"
    why = (
        "the guest was moved, or the clock was calibrated while the machine was busy: seconds of the two do not compare"
    )
    return Failure("clock_rate", one.label, one.table, "clock_hz", said, found, why)


def _no_core(one: Statement, hz: float) -> Failure | None:
    if CLOCKS[0] <= hz <= CLOCKS[1]:
        return None
    said, found = (
        f"cycles / busy time is {hz / 1e9:.3g} GHz",
        f"cores run at {CLOCKS[0] / 1e9:g} to {CLOCKS[1] / 1e9:g} GHz",
    )
    why = "the counter was shared with others and not scaled, or cycles and time are not of the same tasks"
    return Failure("clock_rate", one.label, one.table, "core_hz", said, found, why)


identities.add(ClockRate())
