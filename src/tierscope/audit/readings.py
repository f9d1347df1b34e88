"""Readings of another tool as statements: printed digits are kept, so that rounding is allowed for."""

from collections.abc import Iterable

from tierscope.audit.statement import Quantity, Statement
from tierscope.audit.under_way import ENDS, Span, under_way
from tierscope.reading import Reading
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
    quantities |= _under_way(quantities)
    numbers = ", ".join(f"{key} {reading.labels[key]}" for key in ("delay_cycles", "threads") if key in reading.labels)
    label = ", ".join(word for word in (reading.test, setting(reading), numbers) if word)
    words = {"access": "dependent"} if reading.test in ACCESS else {}
    others = [f"{key} {value}" for key, value in reading.labels.items() if key not in VARYING]
    return Statement(label, quantities, words, "imported", ", ".join([reading.test, *others]))


def _under_way(known: dict[str, Quantity]) -> dict[str, Quantity]:
    """The depths with their bounds, where the tool says how long it ran and how long an operation took at most.

    `full_share` of the operations found the queue full: all others filled it, depth - 1 each time. Where it is not
    stated, several processes may have ended at several times, or places of the queue waited for others: no least depth
    is known.
    """
    if any(name not in known for name in ("operations", "seconds", "latency_most_s")) or known["seconds"].value <= 0:
        return {}
    operations, seconds, most = (known[name].value for name in ("operations", "seconds", "latency_most_s"))
    found = {}
    if depth := known.get("most_in_flight"):
        found["most_in_flight"] = under_way(depth.value, [Span(operations, seconds, most)])
    if depth := known.get("in_flight"):
        full = known.get("full_share")
        drains = ENDS + (1 - full.value) * operations / max(depth.value - 1, 1) if full else None
        found["in_flight"] = under_way(depth.value, [Span(operations, seconds, most, drains)])
    return found
