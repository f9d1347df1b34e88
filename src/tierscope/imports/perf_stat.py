"""perf stat: its text, its CSV (-x,), and its JSON lines (-j).

One reading for each event, and one for the program (elapsed time, CPU time). The clock of the cores is cycles /
task-clock where both were counted and neither was scaled. Events that were not counted are told, not made zero.
Blind to multiplexing beyond what perf scales by.
Source: Linux, tools/perf/Documentation/perf-stat.txt, "CSV FORMAT" and "JSON FORMAT".
"""

import json
import re
from typing import ClassVar

from tierscope.errors import UsageError
from tierscope.imports import Imported, importers
from tierscope.imports.values import UNITS, value
from tierscope.result import Reading, Value, Warn

ABSENT = ("<not supported>", "<not counted>")
TEXT = re.compile(r"^\s+(<not \w+>|[0-9.,]+)\s+(?:(msec|MiB|Joules)\s+)?([\w./:-]+)(?:\s+#.*|\s+\(.*\))?\s*$")
TIMES = re.compile(r"^\s+([0-9.,]+) seconds (time elapsed|user|sys)\s*$")
GROUPED = re.compile(r"[0-9]{1,3}(,[0-9]{3})+")
ELAPSED = {"time elapsed": "elapsed_s", "user": "user_s", "sys": "sys_s"}

Rows = list[tuple[str, str, str]]  # (counter as printed, unit, event)


class PerfStat:
    """Readings of all events."""

    name: ClassVar[str] = "perf_stat"
    title: ClassVar[str] = "perf stat's text, CSV (-x,) and JSON lines (-j)"

    def knows(self, text: str) -> bool:
        return "Performance counter stats for" in text or '"counter-value"' in text or bool(_csv(text))

    def read(self, text: str) -> Imported:
        times: dict[str, Value] = {}
        if '"counter-value"' in text:
            rows = _json(text)
        elif "Performance counter stats for" in text:
            rows, times = _text(text)
        else:
            rows = _csv(text)
        absent = [event for word, _, event in rows if word in ABSENT]
        counted = {event: _count(word, unit) for word, unit, event in rows if word not in ABSENT}
        readings = [Reading(test=event, values={_name(event, one): one}) for event, one in counted.items()]
        return Imported("perf stat", (*_program(counted, times), *readings), _warnings(absent))


def _text(text: str) -> tuple[Rows, dict[str, Value]]:
    rows, times = [], {}
    for line in text.split("Performance counter stats for", 1)[1].splitlines()[1:]:
        if found := TIMES.match(line):
            times[ELAPSED[found[2]]] = value(found[1], "s")
        elif found := TEXT.match(line):
            rows.append((found[1], found[2] or "", found[3]))
        elif re.match(r"\s+[0-9]", line):
            raise UsageError(f"{line.strip()[:60]!r} is no line of perf stat; print with LC_ALL=C")
    if "elapsed_s" not in times:
        raise UsageError("it has no line 'seconds time elapsed': it is cut off")
    return rows, times


def _csv(text: str) -> Rows:
    """Fields: counter, unit, event, time it ran, share of that ..."""
    rows = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split(",")
        if len(fields) < 5 or not re.fullmatch(r"[0-9.]+|<not \w+>", fields[0]) or not fields[2]:
            return []
        rows.append((fields[0], fields[1], fields[2]))
    return rows


def _json(text: str) -> Rows:
    rows = []
    for line in text.splitlines():
        if not line.strip().startswith("{"):
            continue
        try:
            one = json.loads(line)
            rows.append((str(one["counter-value"]), str(one["unit"]), str(one["event"])))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UsageError(f"a line of its JSON is cut off or damaged: {str(error)[:80]}") from error
    return rows


def _count(word: str, unit: str) -> Value:
    """Commas are taken for groups of thousands only where all groups have three digits and nothing follows."""
    plain = word.replace(",", "") if GROUPED.fullmatch(word) else word
    if unit not in UNITS:
        raise UsageError(f"unknown unit {unit!r} of {word!r}; known: {', '.join(u for u in UNITS if u)}")
    return value(plain, unit)


def _name(event: str, one: Value) -> str:
    return "busy_s" if event in ("task-clock", "cpu-clock") and one.said.endswith("msec") else "count"


def _program(counted: dict[str, Value], times: dict[str, Value]) -> list[Reading]:
    values = {"elapsed_s": times["elapsed_s"]} if "elapsed_s" in times else {}
    clock = counted.get("task-clock")
    if clock is not None and clock.said.endswith("msec"):
        values["busy_s"] = clock
        cycles = next((counted[event] for event in ("cycles", "cpu-cycles", "cycles:u") if event in counted), None)
        if cycles is not None and clock.value > 0:
            values["core_hz"] = Value(value=cycles.value / clock.value)
    return [Reading(test="program", values=values)] if values else []


def _warnings(absent: list[str]) -> tuple[Warn, ...]:
    if not absent:
        return ()
    message = f"perf could not count {', '.join(absent)}"
    return (Warn(code="not_counted", message=message, next_step="count fewer at once, or on a machine with a PMU"),)


importers.add(PerfStat())
