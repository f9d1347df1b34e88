"""Reads the files of metrics, and finds the one for a processor."""

import functools
import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tierscope.errors import UsageError
from tierscope.metrics.formula import Formula

FOLDER = Path(__file__).parent
GENERIC = "generic"
WORD = re.compile(r"[^,{}/]+(?:/[^/]*/(?:@[0-9]+)?)?")  # an event of a list, an encoding with its commas
UNITS = {"1", "B", "s", "1/s", "B/s"}


@dataclass(frozen=True)
class Metric:
    """One number that follows from counts."""

    name: str
    summary: str
    formula: Formula
    unit: str


@dataclass(frozen=True)
class Absent:
    """A metric that others have and this processor cannot give."""

    name: str
    reason: str


@dataclass(frozen=True)
class Metrics:
    """One file. events: groups as perf writes them, encodings by their names."""

    name: str
    summary: str
    source: str
    processors: tuple[str, ...]
    events: tuple[str, ...]
    names: dict[str, str]  # name -> encoding
    metrics: tuple[Metric, ...]
    absent: tuple[Absent, ...] = ()

    def words(self, asked: str = "") -> str:
        """Return what the core is asked to count: `asked`, else all groups; names replaced by what they stand for."""
        return WORD.sub(lambda word: self.names.get(word[0], word[0]), asked or ",".join(self.events))

    def called(self, event: str) -> str:
        """Return the name of an encoding; another event keeps its own name."""
        return next((name for name, encoding in self.names.items() if encoding == event), event)


def read_metrics(name: str, text: str) -> Metrics:
    """Return the metrics of a file; UsageError names what is wrong with it."""
    try:
        found = tomllib.loads(text)
        metrics = tuple(_metric(one) for one in found.pop("metric", []))
        absent = tuple(Absent(str(one["name"]), str(one["reason"])) for one in found.pop("absent", []))
        read = Metrics(
            name=name,
            summary=str(found.pop("summary")),
            source=str(found.pop("source")),
            processors=tuple(found.pop("processors")),
            events=tuple(found.pop("events")),
            names=dict(found.pop("names", {})),
            metrics=metrics,
            absent=absent,
        )
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"metrics {name}.toml: {type(error).__name__} {error}") from error
    if found:
        raise UsageError(f"metrics {name}.toml: unknown key {next(iter(found))!r}")
    return read


def _metric(told: dict[str, Any]) -> Metric:
    if told["unit"] not in UNITS:
        raise ValueError(f"unit {told['unit']!r} of {told['name']} is none of {', '.join(sorted(UNITS))}")
    return Metric(told["name"], told["summary"], Formula.parse(told["formula"]), told["unit"])


def processor_of(family: str) -> str:
    """Return "vendor:family:model" of "vendor:family:model:stepping"."""
    return ":".join(family.split(":")[:3])


@functools.cache
def metrics_for(family: str) -> Metrics:
    """Return the metrics of a processor: its file, and those that it leaves to the generic one.

    family: "vendor:family:model:stepping".
    """
    found = {path.stem: read_metrics(path.stem, path.read_text()) for path in sorted(FOLDER.glob("*.toml"))}
    generic, processor = found[GENERIC], processor_of(family)
    own = next((one for one in found.values() if processor in one.processors), generic)
    known = {metric.name for metric in own.metrics} | {one.name for one in own.absent}
    return replace(own, metrics=(*own.metrics, *(one for one in generic.metrics if one.name not in known)))
