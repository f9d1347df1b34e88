"""OpenMetrics: gauges that Prometheus and the text-file collector of its node exporter read.

A gauge for each main value of each table, tierscope_TABLE_VALUE_UNIT in base units, one for each bound of its interval,
and one that is 0 where the point is inconclusive. Labels are what stays from run to run: the machine, the suite and the
keys of the point. Only the newest run of a machine and suite that has a number is included, so the number of series
does not grow with runs. Its start is a gauge of its own and not a time stamp: a collector would take an old one for
late.
Source: Cloud Native Computing Foundation, "OpenMetrics", 1.0, 2020; Prometheus, "Text-based format", 0.0.4.
"""

import math
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from tierscope.compare.measures import Measure, measures
from tierscope.errors import UsageError
from tierscope.printable import printable
from tierscope.record.experiment import Label, real
from tierscope.record.result import Result, Run
from tierscope.report.formats import Export, Format, formats
from tierscope.sound import reads
from tierscope.tables import Flat

UNITS = {"B/s": "bytes_per_second", "B": "bytes", "s": "seconds", "1/s": "per_second"}
"""As the standard asks of the end of a name; others have none."""
BOUNDS = {"": "", "low": "lower bound of ", "high": "upper bound of "}


class Family(NamedTuple):
    """One metric: its name, the unit that ends the name, what it means."""

    name: str
    unit: str
    help: str


STARTED = Family("tierscope_run_started_timestamp_seconds", "seconds", "Start of the run of the other series, UTC.")
Sample = tuple[Family, dict[str, str], float]


@reads("the export")
def gauges(runs: Sequence[Run]) -> bytes:
    """Return the gauges of the newest run of each machine and suite."""
    found: dict[Family, dict[str, float]] = {}
    for same in _alike(runs).values():
        newest = next((samples for run in same if (samples := list(_samples(run)))), [])
        for family, labels, value in newest:
            found.setdefault(family, {}).setdefault(_text(labels), value)  # of a point measured twice the first counts
    if not found:
        raise UsageError("no table of these runs has a main number: there is nothing to export; csv has all values")
    lines = []
    for family in sorted(found):
        lines += [f"# TYPE {family.name} gauge", f"# HELP {family.name} {family.help}"]
        lines += [f"# UNIT {family.name} {family.unit}"] if family.unit else []
        lines += [f"{family.name}{labels} {value!r}" for labels, value in found[family].items()]
    return ("\n".join([*lines, "# EOF"]) + "\n").encode()


def _alike(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Return the runs of each machine and suite, the newest first."""
    found: dict[str, list[Run]] = {}
    for run in sorted(runs, key=lambda one: (_seconds(one.result) or -math.inf, str(one.path)), reverse=True):
        found.setdefault(_text(_constant(run.result)), []).append(run)
    return found


def _constant(result: Result) -> dict[str, str]:
    """Return the labels that all series of a run have. An update of the kernel does not change them."""
    machine = {"host": result.machine.hostname, "processor": result.machine.identity.model}
    tool = {"tool": result.origin_by} if result.origin == "imported" else {}
    return {**machine, "suite": result.suite, "origin": result.origin, **tool}


def _samples(run: Run) -> Iterator[Sample]:
    """Yield all of a run; nothing where it has no main number."""
    found = [sample for measure in measures().values() for sample in _of_measure(measure, run)]
    if found and (seconds := _seconds(run.result)) is not None:
        found.append((STARTED, _constant(run.result), seconds))
    yield from found


def _of_measure(measure: Measure, run: Run) -> Iterator[Sample]:
    families = {end: family(measure, end) for end in BOUNDS}
    title = measure.table.title
    conclusive = Family(f"tierscope_{_word(measure.table.name)}_conclusive", "", f"{title}: 1 if the point is sure.")
    for row in measure.rows(run):
        value = real(row.get(measure.main.name))
        if value is None or not math.isfinite(value):
            continue
        labels = _constant(run.result) | _labels(measure.table.keys, row)
        yield families[""], labels, value
        for end in ("low", "high"):
            bound = real(row.get(f"{measure.main.stem}_{end}"))
            if bound is not None and math.isfinite(bound):
                yield families[end], labels, bound
        if isinstance(sure := row.get("conclusive"), bool):
            yield conclusive, labels, float(sure)


def family(measure: Measure, end: str) -> Family:
    """Return tierscope_stream_bandwidth_bytes_per_second of a main value; with `end`, that of a bound.

    A single letter, as in `b_bandwidth`, is left out: Prometheus takes it for a unit, and the help states it.
    """
    unit = UNITS.get(measure.unit, "")
    stem = (part for part in measure.main.stem.removesuffix(unit).split("_") if len(part) > 1)
    parts = ("tierscope", measure.table.name, *stem, end, unit)
    column = measure.column
    meaning = re.sub(r"\[([^\]]+)\]\([^)]*\)|[`*\"\\]", r"\1", column.help)
    told = f"{measure.table.title}: {BOUNDS[end]}{column.title}{f', {meaning}' if meaning else ''}."
    return Family(_word("_".join(part for part in parts if part)), unit, printable(told))


def _word(text: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_]", "_", text)


def _seconds(result: Result) -> float | None:
    """Return when a run started, since 1970; None of text that is not a time."""
    try:
        started = datetime.fromisoformat(result.started)
        return (started if started.tzinfo else started.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _labels(keys: tuple[str, ...], row: Flat) -> dict[str, str]:
    """Return the keys of a point; a label that is empty means the same as none."""
    return {_word(key): _shown(row[key]) for key in keys if row.get(key) not in (None, "")}


def _shown(value: Label) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _text(labels: dict[str, str]) -> str:
    """Return '{host="a",kernel="triad"}', with backslash and quote escaped, and unprintable letters shown."""
    escaped = {name: printable(word).replace("\\", r"\\").replace('"', r"\"") for name, word in labels.items()}
    return "{" + ",".join(f'{name}="{word}"' for name, word in escaped.items()) + "}"


formats.add(
    Format(
        "openmetrics",
        export=Export(
            "OpenMetrics: the main numbers as gauges that Prometheus and the text-file collector of its node exporter "
            "read; of several runs of one machine and suite, the newest.",
            gauges,
        ),
    )
)
