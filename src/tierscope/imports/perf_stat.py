"""perf stat: its text, its CSV (-x,), and its JSON lines (-j).

One reading for each event, and one for the program (elapsed time, CPU time). The clock of the cores is cycles /
task-clock where both were counted and neither was scaled. Events that were not counted are told, not made zero; so are
those that perf counted for a share of the time and scaled. An event that stands twice is refused: those are intervals
(-I), or the parts of -A and --per-socket, whose sum the file does not hold. Metrics that perf computes are left out.
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
from tierscope.reading import Reading, Value
from tierscope.reference import Match
from tierscope.result import Warn

TITLE = "Performance counter stats for"
ABSENT = ("<not supported>", "<not counted>")
TEXT = re.compile(r"^\s+(<not \w+>|[0-9.,]+)\s+(?:(msec|MiB|Joules)\s+)?([A-Za-z_]\S*)(\s+#.*|\s+\(.*\))?\s*$")
SHARE = re.compile(r"\(\s*([0-9.]+)%\)$")  # of the time that the event was counted; (+- 1.20%) is another
ADVICE = re.compile(r"\s*(echo [01] >|perf stat )")  # what perf says of the watchdog: numbers that are no counts
TIMES = re.compile(r"^\s+([0-9.,]+) seconds (time elapsed|user|sys)\s*$")
COUNTED = re.compile(r"[A-Za-z_][^,]*,[0-9]+,[0-9.]+(,|$)")  # event, time it ran, share
GROUPED = re.compile(r"[0-9]{1,3}(,[0-9]{3})+")
METHOD = (
    "perf counts events while a program runs, from its start to its end, in all its threads. Where more events were "
    "asked for than the processor counts at once they took turns, and perf scaled what it counted to the whole time. "
    "One count for each event: no interval is stated."
)
ELAPSED = {"time elapsed": "elapsed_s", "user": "user_s", "sys": "sys_s"}


@dataclass(frozen=True, slots=True)
class Row:
    """One event as printed. `share`: per cent of the time that it was counted."""

    word: str
    unit: str
    event: str
    share: str = "100"


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
        readings = [Reading(test=event, values={_name(event, one): one}) for event, one in counted.items()]
        absent = [row.event for row in rows if row.word in ABSENT]
        found = (*_program(counted, scaled, times), *readings)
        return Imported("perf stat", found, _warnings(absent, scaled), METHOD)


def _refuse_twice(rows: list[Row]) -> None:
    """UsageError where one event has several counts."""
    times = Counter(row.event for row in rows)
    for event, count in times.items():
        if count > 1:
            raise UsageError(
                f"{event!r} stands {count} times: counts of intervals, CPUs, sockets or several runs; "
                "write each whole run to a file of its own, without -I, -A and --per-..."
            )


def _refuse_unread(line: str) -> None:
    """UsageError for a line that holds numbers and was not understood."""
    before = line.partition("#")[0]  # dates and metrics stand behind it
    if re.search(r"(^|[\s\"])[0-9]", before) and not ADVICE.match(line):
        raise UsageError(
            f"{line.strip()[:60]!r} is no line of a whole run of perf stat; print with LC_ALL=C, without -A"
        )


def _text(text: str) -> tuple[list[Row], dict[str, Value]]:
    rows, times = [], {}
    for line in text.split(TITLE, 1)[1].splitlines()[1:]:
        if found := TIMES.match(line):
            times[ELAPSED[found[2]]] = value(found[1], "s")
        elif found := TEXT.match(line):
            share = SHARE.search((found[4] or "").rstrip())
            rows.append(Row(found[1], found[2] or "", found[3], share[1] if share else "100"))
        else:
            _refuse_unread(line)
    if "elapsed_s" not in times:
        raise UsageError("it has no line 'seconds time elapsed': it is cut off")
    return rows, times


def _csv(text: str) -> list[Row]:
    """Fields: counter, unit, event, with -r the deviation in %, time it ran, share of that ...; [] for other tables."""
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
        rows.append(Row(fields[0], fields[1], fields[2], fields[4]))
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
                rows.append(Row(str(one["counter-value"]), str(one["unit"]), str(one["event"]), share))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
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


def _program(counted: dict[str, Value], scaled: dict[str, str], times: dict[str, Value]) -> list[Reading]:
    values = {"elapsed_s": times["elapsed_s"]} if "elapsed_s" in times else {}
    clock = counted.get("task-clock")
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
        step = "count fewer at once, or on a machine with a PMU"
        found.append(Warn(code="not_counted", message=message, next_step=step))
    if scaled:
        message = "perf scaled " + ", ".join(
            f"{event} (counted {share} % of the time)" for event, share in scaled.items()
        )
        found.append(Warn(code="scaled", message=message, next_step="count fewer events at once"))
    return tuple(found)


importers.add(PerfStat())
