"""Intel Memory Latency Checker, the text of all its modes.

Sections begin with a line `Measuring ...`: idle latencies between nodes (ns), peak injection bandwidths and bandwidths
between nodes (10^6 bytes per second, as it prints), loaded latencies over injected delays, and latencies from cache to
cache (ns). Older versions head a matrix with "Memory node" and "Socket", newer ones with "Numa node". `--idle_latency`
ends in one line of clocks and nanoseconds. How it measures is not public. A line that resembles a row and is not one is
refused: it was cut off. Blind to a number that lost its last digits.
Source: Intel, "Memory Latency Checker v3", product page, 2013 to 2024; outputs that its users published.
"""

import re
from collections.abc import Iterator
from typing import ClassVar, TypeVar

from tierscope.errors import UsageError
from tierscope.imports import Imported, importers
from tierscope.imports.values import newer, value
from tierscope.record.experiment import Label
from tierscope.record.reading import Reading
from tierscope.reference import Match

KINDS = (
    (re.compile(r"^Measuring idle latenc", re.IGNORECASE), "idle latency"),
    (re.compile(r"^Measuring (Peak Injection|Maximum) Memory Bandwidths", re.IGNORECASE), "bandwidth"),
    (re.compile(r"^Measuring Memory Bandwidths between nodes", re.IGNORECASE), "bandwidth between nodes"),
    (re.compile(r"^Measuring Loaded Latenc", re.IGNORECASE), "loaded latency"),
    (re.compile(r"^Measuring cache-to-cache", re.IGNORECASE), "cache to cache"),
)
RATIO = re.compile(r"[\w:+ -]*")  # "ALL Reads", "3:1 Reads-Writes", "Stream-triad like", "All NT writes"
DELAY = re.compile(r"^([0-9]{5})\s+(\S+)\s+(\S+)$")
NODE = re.compile(r"^([0-9]+)((?:\s+\S+)+)$")
LINE = re.compile(r"^Local Socket (L2->L2 \w+)\s+latency\s+(\S+)$", re.IGNORECASE)
ONE = re.compile(r"^Each iteration took (\S+) .*?clocks \(\s*(\S+)\s+ns\)")
TRAFFIC = re.compile(r"^Using (.+) traffic type$", re.IGNORECASE)
COLUMNS = re.compile(r"^(?:Numa node|Socket)((?:\s+[0-9]+)+)$", re.IGNORECASE)  # v3.1 and before print Socket
READERS = re.compile(r"^Writer (?:Numa Node|Socket)((?:\s+[0-9]+)+)$", re.IGNORECASE)
Parts = TypeVar("Parts", re.Match[str], tuple[str, str])
BETWEEN = {"initiator": "{from}", "target": "{to}"}
MB = "= 1,000,000 Bytes/sec)"
METHOD = (
    "Not public: Intel's documents state that idle latency is of dependent loads, and that bandwidths are of threads "
    "on all cores of a node. Loaded latency is the latency of one core while the others inject the traffic that "
    "the section names, with a delay between accesses. MB are 10^6 bytes. No interval is stated."
)
NEWEST = 3  # major version whose sections and units are known
ROWS = {  # how rows begin, so that none vanishes where it is cut off
    "idle latency": re.compile(r"[0-9]"),
    "bandwidth between nodes": re.compile(r"[0-9]"),
    "bandwidth": re.compile(r"[0-9]|ALL |Stream|.*:$", re.IGNORECASE),
    "loaded latency": re.compile(r"[0-9]"),
    "cache to cache": re.compile(r"[0-9]|Local Socket L"),
}


class Mlc:
    """Readings of all sections."""

    name: ClassVar[str] = "mlc"
    title: ClassVar[str] = "Intel Memory Latency Checker's text: ns, and MB/s of 10^6 bytes"

    alike: ClassVar[tuple[Match, ...]] = (
        *(
            Match("latency_s", "latency", "latency_s", {"test": "idle latency", "from": place, "to": place},
                  {"footprint_bytes": "{most}", "probe": "cycle", "order": "global", "target": "node:0"})
            for place in ("", "node 0")
        ),
        Match("latency_s", "numa", "latency_s", {"test": "idle latency", "from": "node *"}, BETWEEN),
        Match("bandwidth_bytes_per_s", "numa", "bandwidth_bytes_per_s", {"test": "bandwidth between nodes"},
              {**BETWEEN, "kernel": "read"}),
        Match("bandwidth_bytes_per_s", "stream", "bandwidth_bytes_per_s", {"test": "bandwidth", "ratio": "ALL Reads"},
              {"kernel": "read", "threads": "{most}", "nodes": "1"}),  # of all packages at the same time
    )  # fmt: skip

    def knows(self, text: str) -> bool:
        return "Memory Latency Checker" in text

    def read(self, text: str) -> Imported:
        version = re.search(r"Memory Latency Checker\s*(?:-\s*)?v([0-9][0-9.]*[a-z]*)", text)
        if version and newer(version[1], NEWEST):
            raise UsageError(f"it is of v{version[1][:40]}; sections are known up to v{NEWEST}: use a newer tierscope")
        tool = f"Intel MLC v{version[1]}" if version else "Intel MLC"
        readings: list[Reading] = []
        for kind, lines in _sections(text):
            found = list(_read(kind, lines))
            if not found:
                raise UsageError(f"no number follows {lines[0][:60]!r}: it is cut off")
            readings += found
        return Imported(tool, (*readings, *_single(text)), method=METHOD)


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    kind, lines = "", list[str]()
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("Measuring"):
            if kind:
                yield kind, lines
            kind, lines = next((name for pattern, name in KINDS if pattern.match(line)), ""), [line]
            if not kind:
                raise UsageError(f"unknown section {line[:60]!r}")
        elif line:
            lines.append(line)
    if kind:
        yield kind, lines


def _read(kind: str, lines: list[str]) -> Iterator[Reading]:
    traffic = next((found[1] for line in lines if (found := TRAFFIC.match(line))), "")
    labels: dict[str, Label] = {"traffic": traffic} if traffic else {}
    if kind == "loaded latency":
        yield from (_loaded(found, labels) for line in lines if (found := _row(kind, DELAY.match(line), line)))
    elif kind == "bandwidth":
        for ratio, rate in (pair for line in lines if MB not in line and (pair := _row(kind, _ratio(line), line))):
            yield Reading(test=kind, labels={"ratio": ratio}, values={"bandwidth_bytes_per_s": value(rate, "MB/s")})
    elif kind == "cache to cache":
        yield from _cache_to_cache(lines)
    else:
        unit = ("latency_s", "ns") if kind == "idle latency" else ("bandwidth_bytes_per_s", "MB/s")
        yield from _matrix(kind, lines, labels, unit)


def _ratio(line: str) -> tuple[str, str] | None:
    """Return both parts of '3:1 Reads-Writes :  208310.5', split from the end so that no blank is looked at twice."""
    head, *rate = line.rsplit(maxsplit=1)
    name = head.rstrip().removesuffix(":")
    whole = bool(rate) and name != head.rstrip() and RATIO.fullmatch(name.rstrip()) is not None
    return (name.rstrip(), rate[0]) if whole else None


def _row(kind: str, found: Parts | None, line: str) -> Parts | None:
    """Return the parts of a row, None for other lines; raise UsageError for half a row."""
    if found is None and ROWS[kind].match(line):
        raise UsageError(f"{line[:60]!r} is not a whole row of {kind}: it is cut off")
    return found


def _cells(kind: str, found: re.Match[str], columns: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (node of the column, cell) of one row of a matrix; a dash is a pair that does not exist."""
    words = found[2].split()
    if len(words) != len(columns):
        raise UsageError(f"a row of {kind} has {len(words)} numbers under {len(columns)} nodes: it is cut off")
    yield from ((column, word) for column, word in zip(columns, words, strict=True) if word != "-")


def _loaded(found: re.Match[str], labels: dict[str, Label]) -> Reading:
    values = {"latency_s": value(found[2], "ns"), "bandwidth_bytes_per_s": value(found[3], "MB/s")}
    return Reading(test="loaded latency", labels={**labels, "delay_cycles": int(found[1])}, values=values)


def _matrix(kind: str, lines: list[str], labels: dict[str, Label], unit: tuple[str, str]) -> Iterator[Reading]:
    """Yield the readings of a matrix: rows are the CPUs' nodes, columns the memory's."""
    columns: list[str] = []
    for line in lines:
        if head := COLUMNS.match(line):
            columns = head[1].split()
        elif found := _row(kind, NODE.match(line), line):
            for memory, word in _cells(kind, found, columns):
                where: dict[str, Label] = {**labels, "from": f"node {found[1]}", "to": f"node {memory}"}
                yield Reading(test=kind, labels=where, values={unit[0]: value(word, unit[1])})


def _cache_to_cache(lines: list[str]) -> Iterator[Reading]:
    """Yield one reading per kind within a package, and a matrix of writer and reader for each home between packages."""
    kind, home, columns, rows = "cache to cache", "", list[str](), 1
    for line in [*lines, "homed in"]:
        if found := LINE.match(line):
            yield Reading(test=kind, labels={"kind": found[1]}, values={"latency_s": value(found[2], "ns")})
        elif "homed in" in line:
            if not rows:
                raise UsageError(f"no row follows the matrix of {kind} homed in {home}: it is cut off")
            home, columns, rows = line.partition("homed in")[2].strip(" )"), [], 0
        elif head := READERS.match(line):
            columns = head[1].split()
        elif row := _row(kind, NODE.match(line), line):
            rows += 1
            for reader, word in _cells(kind, row, columns):
                labels: dict[str, Label] = {"home": home, "writer": f"node {row[1]}", "reader": f"node {reader}"}
                yield Reading(test=kind, labels=labels, values={"latency_s": value(word, "ns")})


def _single(text: str) -> Iterator[Reading]:
    for line in text.splitlines():
        if found := ONE.match(line.strip()):
            yield Reading(test="idle latency", values={"latency_s": value(found[2], "ns")})


importers.add(Mlc())
