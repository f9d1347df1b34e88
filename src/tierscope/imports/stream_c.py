"""STREAM 5, the text that stream.c prints.

Rates are 10^6 bytes per second; copy and scale move two arrays, add and triad three, and the read for ownership is not
counted. The best rate is of the least time.
Source: J. D. McCalpin, "STREAM: Sustainable Memory Bandwidth in High Performance Computers", 1995; stream.c 5.10.
"""

import re
from typing import ClassVar

from tierscope.errors import UsageError
from tierscope.imports import Imported, importers
from tierscope.imports.values import newer, value, whole
from tierscope.record import warn
from tierscope.record.experiment import Label
from tierscope.record.reading import Reading, Value
from tierscope.record.result import Warn
from tierscope.reference import Match
from tierscope.units import MiB

warn.state(
    unchecked="of imports: the tool did not find its own data right",
)

ARRAYS = {"copy": 2, "scale": 2, "add": 3, "triad": 3}
NEWEST = 5  # major version whose table is known
HEAD = re.compile(r"^Function\s+(?:Best )?Rate \(?(\S+?)\)?\s+Avg time\s+Min time\s+Max time\s*$", re.MULTILINE)
ROW = re.compile(r"^(Copy|Scale|Add|Triad):\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*$", re.MULTILINE)


class StreamC:
    """One reading for each kernel."""

    name: ClassVar[str] = "stream_c"
    title: ClassVar[str] = "STREAM's text: MB/s are 10^6 bytes per second"

    alike: ClassVar[tuple[Match, ...]] = (
        Match(
            "bandwidth_bytes_per_s", "stream", "bandwidth_bytes_per_s", {}, {"kernel": "{test}", "threads": "{threads}"}
        ),
    )

    def knows(self, text: str) -> bool:
        return "STREAM version" in text

    def read(self, text: str) -> Imported:
        rows = ROW.findall(text)
        if {row[0].lower() for row in rows} != set(ARRAYS):
            raise UsageError("the four lines Copy, Scale, Add and Triad are not all there: it is cut off")
        if len(rows) != len(ARRAYS):
            raise UsageError("a kernel is in it more than once: import each run from a file of its own")
        unit = _unit(text)
        version = re.search(r"STREAM version \$?(?:Revision: )?([0-9][0-9.]*)", text)
        if version and newer(version[1], NEWEST):
            raise UsageError(
                f"it is of STREAM {version[1][:40]}; units are known up to {NEWEST}: use a newer tierscope"
            )
        labels, shared = _setting(text)
        readings = tuple(_reading(row, unit, labels, shared) for row in rows)
        tool = f"STREAM {version[1] if version else ''}".strip()
        return Imported(tool, readings, _warnings(text), _method(text))


def _unit(text: str) -> str:
    """Return the unit of the rates, as the head states it; UsageError for a head with other columns."""
    found = HEAD.search(text)
    if found is None:
        raise UsageError("it has no head 'Function, Rate MB/s, Avg time, Min time, Max time' over its numbers")
    if found[1] != "MB/s":
        raise UsageError(f"its rates are in {found[1][:20]!r}; STREAM prints MB/s: import what it printed, unchanged")
    return found[1]


def _setting(text: str) -> tuple[dict[str, Label], dict[str, Value]]:
    """Return the labels that all kernels share, and the step of the clock."""
    elements, width = _number(text, r"Array size = (\S+) \(elements\)"), _number(text, r"uses (\S+) bytes per array")
    threads = _number(text, r"Number of Threads counted = (\S+)")
    labels: dict[str, Label] = {"threads": threads or 1}
    if elements and width:
        labels |= {"array_bytes": elements * width, "footprint_bytes": 3 * elements * width}
    shared = _sizes(text, labels) | _timings(text)
    step = re.search(r"precision appears to be (\S+) (\S+?)\.?$", text, re.MULTILINE)
    if step is None:
        return labels, shared
    unit = {"microseconds": "us", "microsecond": "us"}.get(step[2], step[2])
    return labels, shared | {"clock_step_s": value(step[1], unit)} | _estimate(text, value(step[1], unit).value)


def _sizes(text: str, labels: dict[str, Label]) -> dict[str, Value]:
    """Return the arrays' bytes, also as printed in MiB; `again_` names a number that is printed twice."""
    found: dict[str, Value] = {}
    for name, head in (("array_bytes", "Memory per array"), ("footprint_bytes", "Total memory required")):
        told, known = re.search(head + r" = (\S+) MiB", text), labels.get(name)
        if told and isinstance(known, int):
            found |= {name: Value(value=float(known)), f"again_{name}": value(told[1], "MiB")}
            found[f"again_{name}"] = _cut(found[f"again_{name}"], MiB / 10)
    return found


def _cut(one: Value, least: float) -> Value:
    """Return the quantity with a last digit that is worth at least `least`."""
    return Value(value=one.value, step=max(one.step, least), said=one.said)


def _timings(text: str) -> dict[str, Value]:
    """Return the number of passes whose times are used: all but the first."""
    rounds = _number(text, r"Each kernel will be executed (\S+) times")
    return {"timings": Value(value=float(rounds - 1))} if rounds and rounds > 1 else {}


def _estimate(text: str, step_s: float) -> dict[str, Value]:
    """Return the estimate of one pass, in microseconds and in steps of the clock; both are cut to whole numbers."""
    told = re.search(r"on the order of ([0-9]{1,18}) microseconds\.\s+\(= ([0-9]{1,18}) clock ticks\)", text)
    if told is None:
        return {}
    microseconds, ticks = int(told[1]), int(told[2])
    return {
        "estimate_s": Value(value=(microseconds + 0.5) * 1e-6, step=1e-6, said=f"{microseconds} us"),
        "again_estimate_s": Value(value=(ticks + 0.5) * step_s, step=step_s, said=f"{ticks} ticks"),
    }


def _number(text: str, pattern: str) -> int | None:
    found = re.search(pattern, text)
    return whole(found[1], found[0]) if found else None


def _reading(row: tuple[str, ...], unit: str, labels: dict[str, Label], shared: dict[str, Value]) -> Reading:
    kernel, rate, average, least, most = row
    kernel = kernel.lower()
    values = {
        "bandwidth_bytes_per_s": value(rate, unit),
        "seconds": value(least, "s"),
        "seconds_least": value(least, "s"),
        "seconds_mean": value(average, "s"),
        "seconds_most": value(most, "s"),
        "single_s": value(least, "s"),
        "timed_s": value(least, "s"),
        **shared,
    }
    array = labels.get("array_bytes")
    if isinstance(array, int):
        values["total_bytes"] = Value(value=float(ARRAYS[kernel] * array))
    return Reading(test=kernel, labels=labels, values=values)


def _method(text: str) -> str:
    times = _number(text, r"Each kernel will be executed (\S+) times")
    often = f"{times} times" if times else "an unknown number of times"
    return (
        f"STREAM runs each kernel {often} over its arrays; a rate is the bytes that the kernel reads and writes over "
        "the least time of all passes but the first, and the read for ownership is not counted. Average, least and "
        "most time are of the same passes. No interval is stated. The location of the arrays is not known."
    )


def _warnings(text: str) -> tuple[Warn, ...]:
    if "Solution Validates" in text:
        return ()
    message = "STREAM did not report that its solution validates"
    return (
        Warn(code="unchecked", message=message, next_step="do not use these rates; compile with fewer optimisations"),
    )


importers.add(StreamC())
