"""The statement of a result: numbers by name in base units, as identities read them.

A statement is one row of a table, ours or another tool's, or what one experiment's samples show. Its quantities have
the names of row keys: `latency_s`, `bandwidth_bytes_per_s`, `rate_per_s` (operations), `operation_bytes`, `in_flight`
(operations in flight at any time), `seconds`, `threads`, `delay_cycles` ... An identity reads the statements that have
the quantities it checks, and ignores the others.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tierscope.units import LINE_BYTES

SAID = "said"  # the quantity of a statement that is one number of a sentence


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number. `low` and `high` bound it, and equal the number itself if there is no interval."""

    value: float  # base unit
    step: float = 0.0  # what the last printed digit is worth; 0: all digits are present
    said: str = ""  # as printed, with its unit; "": ours
    bounds: tuple[float, float] | None = None

    @property
    def low(self) -> float:
        return self.bounds[0] if self.bounds else self.value - self.step / 2

    @property
    def high(self) -> float:
        return self.bounds[1] if self.bounds else self.value + self.step / 2

    @property
    def slack(self) -> float:
        """Return how far rounding may have moved the number, as a share of the least that it may have been."""
        least = abs(self.value) - self.step / 2
        return self.step / 2 / least if least > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Statement:
    """Numbers by name.

    Statements of one `series` differ only in their numbers, so that their order has a meaning.
    """

    label: str  # "row 7, read, 4 KiB"
    quantities: Mapping[str, Quantity]
    words: Mapping[str, str] = field(default_factory=dict)
    conclusive: bool = field(kw_only=True)  # False: already marked doubtful, or judged by nobody
    table: str = ""  # of ours, or the test of another tool
    series: str = ""
    parts: tuple[tuple[str, tuple[str, ...]], ...] = ()  # (whole, its parts), by the names of quantities

    @property
    def line_bytes(self) -> float:
        """Return the bytes of a line of its machine; 64 where the statement names none."""
        stated = self.quantities.get("line_bytes")
        return stated.value if stated else LINE_BYTES

    def get(self, *names: str) -> tuple[Quantity, ...] | None:
        """Return the quantities of these names; None where one is missing."""
        if any(name not in self.quantities for name in names):
            return None
        return tuple(self.quantities[name] for name in names)

    @property
    def hardware(self) -> bool:
        """Return whether the limits of hardware apply: nothing is simulated or emulated, and there is memory."""
        return self.words.get("origin", "real") not in ("simulated", "emulated") and self.words.get("target") != "null"
