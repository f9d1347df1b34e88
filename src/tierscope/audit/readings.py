"""Readings of another tool as statements: printed digits are kept, so that rounding is allowed for."""

from collections.abc import Iterable

from tierscope.audit.statement import Quantity, Statement
from tierscope.result import Reading
from tierscope.tables.imported import setting

VARYING = ("delay_cycles", "threads", "footprint_bytes")  # numbers over which a series runs
ACCESS = ("latency", "idle latency")  # tests of one dependent access


def statements(readings: Iterable[Reading]) -> list[Statement]:
    """In their order."""
    return [_statement(reading) for reading in readings]


def _statement(reading: Reading) -> Statement:
    quantities = {name: Quantity(v.value, v.step, v.said) for name, v in reading.values.items()}
    for name, value in reading.labels.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            quantities.setdefault(name, Quantity(float(value)))
    numbers = ", ".join(f"{key} {reading.labels[key]}" for key in ("delay_cycles", "threads") if key in reading.labels)
    label = ", ".join(word for word in (reading.test, setting(reading), numbers) if word)
    words = {"access": "dependent"} if reading.test in ACCESS else {}
    others = [f"{key} {value}" for key, value in reading.labels.items() if key not in VARYING]
    return Statement(label, quantities, words, "imported", ", ".join([reading.test, *others]))
