"""Readings of another tool as statements; they keep the printed digits, so that checks allow for rounding."""

import re
from collections.abc import Iterable

from tierscope.audit.statement import Quantity, Statement
from tierscope.audit.under_way import ENDS, READS_S, Span, under_way
from tierscope.record.reading import Reading
from tierscope.suites.imported.table import setting

VARYING = ("delay_cycles", "threads", "footprint_bytes")  # numbers over which a series runs
ACCESS = {"latency": "dependent", "idle latency": "dependent", "loaded latency": "dependent",
          "cache to cache": "cache to cache"}  # fmt: skip
"""Tests of one dependent access, and the level that serves it."""

MARKS = {"idle latency": "idle", "loaded latency": "loaded", "bandwidth": "whole", "bandwidth between nodes": "part"}
"""Tests that limit each other: see `idle_is_least` and `whole_machine`."""

MATRIX = ("from", "to", "reader", "writer", "kind")  # labels that identify a cell of a matrix
MIX = re.compile(r"([0-9]):([0-9]) Reads-Writes", re.IGNORECASE)
READS = {"all reads": 1.0, "stream-triad like": 2 / 3, "all nt writes": 0.0}
AGAIN = {
    "again_seconds": "cycles / the rate of its clock",
    "again_total_bytes": "the same in another unit, or by the number of rounds,",
    "again_bandwidth_bytes_per_s": "the same in KiB/s",
    "again_array_bytes": "the same in MiB",
    "again_footprint_bytes": "the same in MiB",
    "again_estimate_s": "ticks x the step of the clock",
    "again_latency_s": "submission + completion",
    "again_count": "its own metric",
    "again_busy_s": "its own metric",
    "again_cycles_per_update": "cycles / updates",
    "again_load_store_ratio": "loads / stores",
}
"""Where a number that is printed twice appears the second time."""


def statements(readings: Iterable[Reading]) -> list[Statement]:
    """Return a statement of each reading, in their order."""
    return [_statement(reading) for reading in readings]


def _statement(reading: Reading) -> Statement:
    quantities = {name: Quantity(v.value, v.step, v.said) for name, v in reading.values.items()}
    for name, value in reading.labels.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            quantities.setdefault(name, Quantity(float(value)))
    share = _read_share(str(reading.labels.get("ratio", "")))
    if share is not None:
        quantities.setdefault("read_share", Quantity(share))
    quantities |= _under_way(quantities)
    numbers = ", ".join(f"{key} {reading.labels[key]}" for key in ("delay_cycles", "threads") if key in reading.labels)
    label = ", ".join(word for word in (reading.test, setting(reading), numbers) if word)
    others = [f"{key} {value}" for key, value in reading.labels.items() if key not in VARYING]
    return Statement(
        label, quantities, _words(reading), "imported", ", ".join([reading.test, *others]), conclusive=True
    )


def _words(reading: Reading) -> dict[str, str]:
    """Return what identities need to know of a test in addition to its numbers."""
    words = {"test": reading.test} | {key: str(reading.labels[key]) for key in MATRIX if key in reading.labels}
    words |= {name: AGAIN[name] for name in reading.values if name in AGAIN}
    if reading.test in ACCESS:
        words["access"] = ACCESS[reading.test]
    if reading.test in MARKS:
        words[MARKS[reading.test]] = "yes"
    if reading.test == "loaded latency":
        words["part"] = "yes"
    if "count" in reading.values:
        words["event"] = reading.test
    return words


def _read_share(ratio: str) -> float | None:
    """Return the share of reads of '2:1 Reads-Writes'; None where it is not known."""
    found = MIX.fullmatch(ratio)
    if found and int(found[1]) + int(found[2]):
        return int(found[1]) / (int(found[1]) + int(found[2]))
    return READS.get(ratio.strip().lower())


def _under_way(known: dict[str, Quantity]) -> dict[str, Quantity]:
    """Return the depths with their bounds, if the tool states how long it ran and how long an operation took at most.

    `full_share` of the operations found the queue full: all others filled it, depth - 1 each time. If it is not stated,
    several processes may have ended at several times, or places of the queue waited for others; the least depth is then
    unknown.
    """
    if any(name not in known for name in ("operations", "seconds", "latency_most_s")) or known["seconds"].value <= 0:
        return {}
    operations, seconds, most = (known[name].value for name in ("operations", "seconds", "latency_most_s"))
    found = {}
    if depth := known.get("most_in_flight"):
        rate, least = (known[name].value if name in known else 0.0 for name in ("rate_per_s", "latency_least_s"))
        found["most_in_flight"] = under_way(
            depth.value, [Span(operations, seconds, most)], reads=rate * min(least, READS_S)
        )
    if depth := known.get("in_flight"):
        full = known.get("full_share")
        drains = ENDS + (1 - full.value) * operations / max(depth.value - 1, 1) if full else None
        found["in_flight"] = under_way(depth.value, [Span(operations, seconds, most, drains)])
    return found
