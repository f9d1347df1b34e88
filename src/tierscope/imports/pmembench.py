"""pmembench: the table of each scenario, with fields between semicolons and units in the heads.

Times of the whole are seconds, latencies nanoseconds, bandwidth MiB/s. `ops-per-second` is over all threads. The echoed
arguments become labels; the seed that is printed is not the one that was given, and is left out.
Source: Intel, "PMDK", src/benchmarks/README, 2015 to 2023.
"""

import csv
import re
from typing import ClassVar

from tierscope.errors import UsageError
from tierscope.imports import Imported, importers
from tierscope.imports.values import value, whole
from tierscope.record.experiment import Label
from tierscope.record.reading import Reading, Value
from tierscope.reference import Match

HEADS = {
    "total-avg": "seconds",
    "ops-per-second": "rate_per_s",
    "total-max": "seconds_most",
    "total-min": "seconds_least",
    "total-median": "seconds_median",
    "total-std-dev": "seconds_deviation",
    "latency-std-dev": "latency_deviation_s",
    "latency-avg": "latency_s",
    "latency-min": "latency_least_s",
    "latency-max": "latency_most_s",
    "latency-pctl-50.0%": "latency_p50_s",
    "latency-pctl-99.0%": "latency_p99_s",
    "latency-pctl-99.9%": "latency_p999_s",
    "bandwidth": "bandwidth_bytes_per_s",
}
TOLD = ("seed",)  # known, and left out
LABELS = {"threads": "threads", "data-size": "operation_bytes"}
METHOD = (
    "pmembench runs each scenario as often as its repeats state, and prints total times (average, most, least), "
    "operations per second over all threads, and latencies of single operations with percentiles. No interval is "
    "stated."
)
HEAD = re.compile(r"([\w.%-]+)\[([^\]]+)\]")
TITLE = re.compile(r"[\w-]+")  # at the start of a line without a semicolon


class Pmembench:
    """One reading for each line of each table."""

    name: ClassVar[str] = "pmembench"
    title: ClassVar[str] = "pmembench's tables: units in their heads"

    alike: ClassVar[tuple[Match, ...]] = ()

    def knows(self, text: str) -> bool:
        return "total-avg[" in text and "ops-per-second[" in text

    def read(self, text: str) -> Imported:
        scenario, heads, readings = "pmembench", list[str](), list[Reading]()
        for line in text.splitlines():
            if line.startswith("total-avg["):
                heads = _fields(line)
            elif ";" in line and heads:
                readings.append(_reading(scenario, heads, _fields(line)))
            elif ";" not in line and (found := TITLE.match(line.strip())):
                scenario, heads = found[0], []
        return Imported("pmembench", tuple(readings), method=METHOD)


def _fields(line: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=";"))
    except csv.Error as error:
        raise UsageError(f"the line {line[:40]!r} is not a row of fields: {error}") from error


def _reading(scenario: str, heads: list[str], fields: list[str]) -> Reading:
    if len(fields) != len(heads):
        raise UsageError(
            f"a line has {len(fields)} fields under {len(heads)} heads: it is cut off, or has decimal commas"
        )
    values: dict[str, Value] = {}
    labels: dict[str, Label] = {}
    for head, word in zip(heads, fields, strict=True):
        if found := HEAD.fullmatch(head):
            if found[1] in HEADS:
                values[HEADS[found[1]]] = value(word, found[2])
            elif found[1] not in TOLD:
                raise UsageError(f"unknown column {head!r}; known: {', '.join(HEADS)}")
        elif head and head not in TOLD:
            name = LABELS.get(head, head)
            labels.setdefault(name, whole(word, name) if word.isdecimal() else word)
    return Reading(test=scenario, labels=labels, values=values | _counts(values, labels))


def _counts(values: dict[str, Value], labels: dict[str, Label]) -> dict[str, Value]:
    """Return the operations of one run and of all, repeats, and the number that its threads keep in flight."""
    threads, each, repeats = (labels.get(name) for name in ("threads", "ops-per-thread", "repeats"))
    found = {"seconds_mean": values["seconds"]} if "seconds" in values else {}
    if isinstance(threads, int) and threads:
        found["most_in_flight"] = Value(value=float(threads))
    if isinstance(repeats, int) and repeats:
        found["timings"] = Value(value=float(repeats))
    if isinstance(threads, int) and isinstance(each, int) and threads * each:
        found["operations"] = Value(value=float(threads * each))
        if isinstance(repeats, int) and repeats:
            found["timed_operations"] = Value(value=float(threads * each * repeats))
    return found


importers.add(Pmembench())
