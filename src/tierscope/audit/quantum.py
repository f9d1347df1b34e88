"""Times that repeat digit for digit show the steps of a clock, and have too many digits.

    P(this number of values agrees in all digits by chance) >= RARE, or they are not multiples of one step

It checks the times of a table that are printed without an interval. Values that agree may have too many digits to do so
by chance (see `chance`). If LEAST or more different ones are then whole multiples of one step, that step is the
clock's, and the digits beyond it are not measured. Blind to steps that no value meets twice.
Source: J. D. McCalpin, "STREAM: Sustainable Memory Bandwidth in High Performance Computers", 1995 (ticks of a clock).
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.chance import RARE, at_least, equal_share, near, steps_of, window
from tierscope.audit.identity import Failure
from tierscope.audit.statement import Quantity, Statement

NAMES = ("latency_s", "latency", "seconds", "seconds_mean")
LEAST = 3  # different values: two are always multiples of something


class Quantum:
    """Check each column of times."""

    name: ClassVar[str] = "quantum"
    title: ClassVar[str] = "times do not repeat by steps of a clock"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        columns: dict[tuple[str, str], list[Statement]] = {}
        for one in statements:
            for name in NAMES:
                stated = one.quantities.get(name)
                if one.hardware and stated is not None and not stated.bounds and stated.step > 0 and stated.value > 0:
                    columns.setdefault((one.table, name), []).append(one)
        for (_, name), rows in columns.items():
            if len(rows) > LEAST:
                yield _failure(rows, name)


def _failure(rows: list[Statement], name: str) -> Failure | None:
    values = [one.quantities[name] for one in rows]
    repeats = len(values) - len({one.value for one in values})
    pairs = near(values)
    width = window(values, pairs)
    expected = sum(equal_share(values[i], width) for i, _ in pairs)
    step, fitting = steps_of(values) if repeats and at_least(repeats, expected) < RARE else (0.0, [])
    if len(fitting) < LEAST:
        return None
    fit = [one for one in values if one.value in fitting]
    said = f"{name.removesuffix('_s')} of {max(map(_digits, values))} digits"
    found = f"{len(fit)} of {len(values)} are whole multiples of {step:.4g}, and {repeats} repeat digit for digit"
    why = "that is the step of the clock: shorter times were not measured; time longer blocks"
    return Failure("quantum", f"{len(values)} rows such as {rows[0].label}", rows[0].table, name, said, found, why)


def _digits(one: Quantity) -> int:
    return len((one.said.split() or [""])[0].replace(".", "").strip("0")) or 1


identities.add(Quantum())
