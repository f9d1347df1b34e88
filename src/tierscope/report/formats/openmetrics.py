"""OpenMetrics: gauges that Prometheus and the text-file collector of its node exporter read.

One gauge for each table and key with a unit: tierscope_TABLE_KEY, base units in the name as the standard asks (bytes,
seconds, ratios without one). Words of a row are labels, and the numbers that say which point it is, by which `compare`
matches too. The time of a run is its label `started`, not a time stamp: a collector would take an old one for late.
Source: Cloud Native Computing Foundation, "OpenMetrics", 1.0, 2020.
"""

import math
import re
from collections.abc import Sequence

from tierscope.compare.points import named
from tierscope.errors import UsageError
from tierscope.printable import printable
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.formats import Export, Format, formats
from tierscope.tables import Column, Flat, tables

UNITS = {"_bytes_per_s": "_bytes_per_second", "_per_s": "_per_second", "_s": "_seconds"}
DROPPED = ("reasons", "series")
POINT = (
    "threads",
    "footprint_bytes",
    "page_bytes",
    "delay_cycles",
    "load_threads",
    "block_bytes",
    "experiment",
    "group",
)
"""Numbers that say which point a row is, of tables that `compare` does not know: labels, not metrics."""


def gauges(runs: Sequence[Run]) -> bytes:
    """Return the gauges of all runs."""
    samples: dict[str, dict[str, float]] = {}
    for name, run in zip(named(runs), runs, strict=True):
        for section in gather(run).sections.values():
            known = {*POINT, *(tables[section.name].keys if section.name in tables else ())}
            for number, row in enumerate(section.rows if section.name not in DROPPED else ()):
                shared = {"run": name, "host": run.result.machine.hostname, "started": run.result.started}
                labels = shared | {"row": str(number)} | _labels(section.columns, row, known)
                for column in section.columns:
                    if (value := _value(column, row)) is not None and column.name not in known:
                        samples.setdefault(metric(section.name, column.name), {})[_text(labels)] = value
    if not samples:
        raise UsageError("no experiment of these runs is finished: there is nothing to export")
    lines = []
    for name in sorted(samples):
        lines.append(f"# TYPE {name} gauge")
        lines += [f"{name}{labels} {value!r}" for labels, value in samples[name].items()]
    return ("\n".join([*lines, "# EOF"]) + "\n").encode()


def metric(table: str, key: str) -> str:
    """'tierscope_stream_bandwidth_bytes_per_second'."""
    ending = next((end for end in UNITS if key.endswith(end)), "")
    plain = key.removesuffix(ending) + UNITS.get(ending, "") if ending else key
    return re.sub(r"[^a-zA-Z0-9_]", "_", f"tierscope_{table}_{plain}")


def _value(column: Column, row: Flat) -> float | None:
    """Of numbers with a unit; OpenMetrics has NaN, but what is unknown is left out."""
    value = row.get(column.name)
    known = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value or 0) if known and column.unit else None


def _labels(columns: tuple[Column, ...], row: Flat, known: set[str]) -> dict[str, str]:
    names = [c.name for c in columns if (not c.unit or c.name in known) and c.name not in DROPPED]
    return {name: _word(row[name]) for name in names if row.get(name) not in (None, "")}


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _text(labels: dict[str, str]) -> str:
    """'{run="a",kernel="triad"}', with backslash and quote escaped, and letters that are not printable shown."""
    escaped = {name: printable(word).replace("\\", r"\\").replace('"', r"\"") for name, word in labels.items()}
    return "{" + ",".join(f'{name}="{word}"' for name, word in escaped.items()) + "}"


formats.add(
    Format(
        "openmetrics",
        export=Export(
            "OpenMetrics: gauges that Prometheus and the text-file collector of its node exporter read.", gauges
        ),
    )
)
