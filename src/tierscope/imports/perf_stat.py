"""perf stat: its text, its CSV (-x,), and its JSON lines (-j).

One reading for each event, and one for the program (elapsed time, CPU time). The clock of the cores is cycles /
task-clock if both were counted and neither was scaled. Events that were not counted are reported, not made zero; so are
those that perf counted for a share of the time and scaled. An event that appears twice is refused: those are intervals
(-I), or the parts of -A and --per-socket, whose sum the file does not contain. Metrics that perf computes are left out.
Blind to changes of the program within the time that was not counted.
Source: Linux, tools/perf/Documentation/perf-stat.txt, "CSV FORMAT" and "JSON FORMAT".
"""

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from tierscope.errors import UsageError
from tierscope.imports import Imported, importers
from tierscope.imports.values import UNITS, number, value
from tierscope.printed import PLAIN
from tierscope.record import warn
from tierscope.record.reading import Reading, Value
from tierscope.record.result import Warn
from tierscope.reference import Match

warn.state(
    not_counted="of imports: events that were not counted",
    scaled="of imports: events that were counted for a share of the time",
)

TITLE = "Performance counter stats for"
ABSENT = ("<not supported>", "<not counted>")
TEXT = re.compile(r"^\s*(<not \w+>|[0-9.,]+)\s+(?:(msec|MiB|Joules)\s+)?([A-Za-z_]\S*)(\s+#.*|\s+\(.*\))?\s*$")
SHARE = re.compile(r"\(\s*([0-9.]+)%\)$")  # of the time that the event was counted; (+- 1.20%) is another
ADVICE = re.compile(r"\s*(echo [01] >|perf stat )")  # perf's advice about the watchdog: its numbers are not counts
TIMES = re.compile(r"^\s+([0-9.,]+) seconds (time elapsed|user|sys)\s*$")
COUNTED = re.compile(r"[A-Za-z_][^,]*,[0-9]+,[0-9.]+(,|$)")  # event, time it ran, share
GROUPED = re.compile(r"[0-9]{1,3}(,[0-9]{3})+")
METRIC = re.compile(r"#\s+([0-9]{1,20}(?:\.[0-9]{1,20})?)\s*([^(\s][^(]*)")
LONGEST = 61  # letters of the unit of a metric
RATE = re.compile(r"([KMG]?)(?:/sec|Hz)")
SCALES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9}
OF = {
    "insn per cycle": ("cycles", 1.0),
    "% of all branches": ("branches", 0.01),
    "of all branches": ("branches", 0.01),
}
"""Units of metrics: the event that they are counted in, and what one is worth; others are left out."""

METHOD = (
    "perf counts events while a program runs, from its start to its end, in all its threads. If more events were "
    "requested than the processor counts at the same time, they shared the counters, and perf scaled the counts to the "
    "whole time. One count for each event: no interval is stated."
)
ELAPSED = {"time elapsed": "elapsed_s", "user": "user_s", "sys": "sys_s"}


@dataclass(frozen=True, slots=True)
class Row:
    """One event as printed. `share`: per cent of the time that it was counted."""

    word: str
    unit: str
    event: str
    share: str = "100"
    ran_ns: str = ""  # for how long the event was counted
    metric: tuple[str, str] = ("", "")  # what perf makes of it, and its unit


class PerfStat:
    """Readings of all events."""

    name: ClassVar[str] = "perf_stat"
    title: ClassVar[str] = "perf stat's text, CSV (-x,) and JSON lines (-j)"

    alike: ClassVar[tuple[Match, ...]] = ()

    def knows(self, text: str) -> bool:
        return TITLE in text or '"counter-value"' in text or bool(_csv(text))

    def read(self, text: str) -> Imported:
        times: dict[str, Value] = {}
        if '"counter-value"' in text:
            rows = _json(text)
        elif TITLE in text:
            rows, times = _text(text)
        else:
            rows = _csv(text)
        _refuse_twice(rows)
        counted = {row.event: _count(row.word, row.unit) for row in rows if row.word not in ABSENT}
        scaled = {row.event: row.share for row in rows if row.event in counted and number(row.share) < 100}
        known = {row.event: row for row in rows}
        readings = [
            Reading(test=event, values={_name(event, one): one, **_again(known[event], known, counted, times)})
            for event, one in counted.items()
        ]
        absent = [row.event for row in rows if row.word in ABSENT]
        found = (*_program(counted, scaled, times), *readings)
        return Imported("perf stat", found, _warnings(absent, scaled), METHOD)


def _refuse_twice(rows: list[Row]) -> None:
    """Raise UsageError where one event has several counts."""
    times = Counter(row.event for row in rows)
    for event, count in times.items():
        if count > 1:
            raise UsageError(
                f"{event!r} is there {count} times: counts of intervals, CPUs, sockets or several runs; "
                "write each whole run to a file of its own, without -I, -A and --per-..."
            )


def _refuse_unread(line: str) -> None:
    """Raise UsageError for a line that contains numbers and was not understood."""
    before = line.partition("#")[0]  # dates and metrics follow it
    if re.search(r"(^|[\s\"])-?[0-9]", before) and not ADVICE.match(line):
        raise UsageError(
            f"{line.strip()[:60]!r} is not a line of a whole run of perf stat; print with LC_ALL=C, without -A"
        )


def _text(text: str) -> tuple[list[Row], dict[str, Value]]:
    rows, times = [], {}
    for line in text.split(TITLE, 1)[1].splitlines()[1:]:
        if found := TIMES.match(line):
            times[ELAPSED[found[2]]] = value(found[1], "s")
        elif found := TEXT.match(line):
            share = SHARE.search((found[4] or "").rstrip())
            rows.append(
                Row(found[1], found[2] or "", found[3], share[1] if share else "100", "", _metric(found[4] or ""))
            )
        else:
            _refuse_unread(line)
    if "elapsed_s" not in times:
        raise UsageError("it has no line 'seconds time elapsed': it is cut off")
    return rows, times


def _metric(text: str) -> tuple[str, str]:
    """Return what follows `#` and precedes a parenthesis: the number and its unit, or two empty words."""
    found = METRIC.search(text)
    unit = found[2].rstrip() if found else ""
    return (found[1], unit) if found and len(unit) <= LONGEST else ("", "")


def _csv(text: str) -> list[Row]:
    """Return the rows of a table in CSV; [] for other tables.

    Fields: counter, unit, event, with -r the deviation in %, time it ran, share of that ...
    """
    rows = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split(",")
        if len(fields) > 5 and fields[3].endswith("%"):
            del fields[3]
        if (
            len(fields) < 5
            or not re.fullmatch(r"[0-9.]+|<not \w+>", fields[0])
            or not COUNTED.match(",".join(fields[2:]))
        ):
            return []
        metric = (fields[5], fields[6]) if len(fields) > 6 and PLAIN.fullmatch(fields[5]) else ("", "")
        rows.append(Row(fields[0], fields[1], fields[2], fields[4], fields[3], metric))
    return rows


def _json(text: str) -> list[Row]:
    rows = []
    for line in text.splitlines():
        if not line.strip().startswith("{"):
            _refuse_unread(line)
            continue
        try:
            one = json.loads(line)
            if "counter-value" in one or "metric-value" not in one:
                share = str(one.get("pcnt-running", 100))
                metric = (str(one.get("metric-value", "")), str(one.get("metric-unit", "")))
                told = metric if PLAIN.fullmatch(metric[0]) else ("", "")
                ran = str(one.get("event-runtime", ""))
                rows.append(Row(str(one["counter-value"]), str(one["unit"]), str(one["event"]), share, ran, told))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise UsageError(f"a line of its JSON is cut off or damaged: {str(error)[:80]}") from error
    return rows


def _count(word: str, unit: str) -> Value:
    """Return a count; commas group thousands only if all groups have three digits and nothing follows."""
    plain = word.replace(",", "") if GROUPED.fullmatch(word) else word
    if unit not in UNITS:
        raise UsageError(f"unknown unit {unit!r} of {word!r}; known: {', '.join(u for u in UNITS if u)}")
    return value(plain, unit)


def _name(event: str, one: Value) -> str:
    return "busy_s" if event in ("task-clock", "cpu-clock") and one.said.endswith("msec") else "count"


def _again(row: Row, rows: dict[str, Row], counted: dict[str, Value], times: dict[str, Value]) -> dict[str, Value]:
    """Return what perf also prints of an event: the metric of its line, and how long it was counted."""
    found = {"counted_share": Value(value=number(row.share) / 100)} if number(row.share) < 100 else {}
    clock, (word, unit) = counted.get("task-clock"), row.metric
    if clock is None or clock.value <= 0 or not clock.said.endswith("msec"):
        return found
    ran = rows["task-clock"].ran_ns
    exact = value(ran, "ns") if re.fullmatch(r"[0-9]{1,18}", ran) else None
    rate, of = RATE.fullmatch(unit), OF.get(unit, ("", 0.0))
    if row.event == "task-clock" and exact is not None:
        found["again_busy_s"] = exact
    elif row.event == "task-clock" and unit == "CPUs utilized" and "elapsed_s" in times:
        found["again_busy_s"] = _times(value(word, ""), 1.0, times["elapsed_s"])
    elif row.event != "task-clock" and rate:
        found["again_count"] = _times(value(word, ""), SCALES[rate[1]], exact or clock)
    elif of[0] in counted:
        found["again_count"] = _times(value(word, ""), of[1], counted[of[0]])
    return found


def _times(one: Value, factor: float, other: Value) -> Value:
    """Return a product, with the error that the rounding of both factors causes."""
    step = one.step * other.value + other.step * one.value + one.step * other.step / 2
    return Value(value=one.value * factor * other.value, step=step * factor)


def _program(counted: dict[str, Value], scaled: dict[str, str], times: dict[str, Value]) -> list[Reading]:
    values = {"elapsed_s": times["elapsed_s"]} if "elapsed_s" in times else {}
    clock = counted.get("task-clock")
    values |= {name: times[key] for name, key in (("user_s", "user_s"), ("system_s", "sys_s")) if key in times}
    if clock is not None and clock.said.endswith("msec"):
        values["busy_s"] = clock
        cycles = next((event for event in ("cycles", "cpu-cycles", "cycles:u") if event in counted), None)
        if cycles is not None and clock.value > 0 and not scaled.keys() & {cycles, "task-clock"}:
            values["core_hz"] = Value(value=counted[cycles].value / clock.value)
    return [Reading(test="program", values=values)] if values else []


def _warnings(absent: list[str], scaled: dict[str, str]) -> tuple[Warn, ...]:
    found = []
    if absent:
        message = f"perf could not count {', '.join(absent)}"
        step = "count fewer at the same time, or on a machine with a PMU"
        found.append(Warn(code="not_counted", message=message, next_step=step))
    if scaled:
        message = "perf scaled " + ", ".join(
            f"{event} (counted {share} % of the time)" for event, share in scaled.items()
        )
        found.append(Warn(code="scaled", message=message, next_step="count fewer events at the same time"))
    return tuple(found)


importers.add(PerfStat())
