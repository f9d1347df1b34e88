"""A time or a rate has a unit.

It checks numbers that a table maps to a name without a unit (`latency`, `bandwidth`). All numbers of a table are one
failure, since no other identity can check them. Blind to a unit that is present and wrong.
Source: BIPM, "The International System of Units", 9th edition, 2019, 5.4 (a quantity is a number and a unit).
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.statement import Statement

NAMES = ("latency", "bandwidth", "time", "rate")
UNITS = {"latency_s", "bandwidth_bytes_per_s", "seconds", "rate_per_s"}


class UnitGiven:
    """Check tables with times or rates."""

    name: ClassVar[str] = "unit_given"
    title: ClassVar[str] = "times and rates have a unit"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        bare: dict[tuple[str, str], list[Statement]] = {}
        for one in statements:
            for name in NAMES:
                if name in one.quantities:
                    bare.setdefault((one.table, name), []).append(one)
        for (table, name), rows in bare.items():
            first = rows[0].quantities[name]
            why = "no identity can compare it with another number: state ns, us, MB/s ..."
            said = f"{name} {first.said or first.value}"
            label = rows[0].label if len(rows) == 1 else f"all {len(rows)} rows"
            yield Failure(self.name, label, table, name, said, "no unit is given", why)
        good = {one.table for one in statements if UNITS & set(one.quantities)} - {table for table, _ in bare}
        yield from (None for _ in good)


identities.add(UnitGiven())
