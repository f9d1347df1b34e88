"""The memory of a prediction, as words: the origin of its figures, then the changes.

    runs/latency-here,runs/stream-here              measured: caches, latency, bandwidth, lines in flight
    document 004                                    published
    runs/latency-here,read=305ns,bandwidth=7GB/s    the same processor with another memory
    read=305ns,cache=32KiB:1.5ns,cache=1MiB:5ns     all of it given
    read=305ns,cache=128KiB:1ns,line=128B           with lines of 128 bytes; 64 where nothing states them

Caches and latencies of runs are those of `simulated.measured`; the latency of writes is that of reads. Streams
provide the bandwidth and the lines that one thread has in flight. Without a stream, a thread has one line in flight,
and the bandwidth is that of this one line: a note states this.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tierscope import units
from tierscope.errors import UsageError
from tierscope.files import is_there
from tierscope.models.device import LINES, Cache, Device, device
from tierscope.record.origin import strongest
from tierscope.record.result import load
from tierscope.simulated.measured import measured

KEYS = "read=, write=, bandwidth=, parallelism=, line=, cache=SIZE:LATENCY"


@dataclass(frozen=True)
class Memory:
    """A device with the words that asked for it; origin: of the runs behind it, "real" where there are none.

    writes_as_reads: the latency of writes is that of reads, because no other is known.
    """

    word: str
    device: Device
    origin: str = "real"
    notes: tuple[str, ...] = ()
    writes_as_reads: bool = False
    given: frozenset[str] = frozenset()  # keys that the word sets, but caches


def memory(word: str) -> Memory:
    """Return the memory. UsageError for words that name neither, or leave the latency of a read open."""
    names, given = _parts(word)
    found = _named(word, names)
    changes: dict[str, Any] = {FIELDS[key]: _number(key, text) for key, text in given if key != "cache"}
    if caches := [_cache(number, text) for number, text in enumerate(text for key, text in given if key == "cache")]:
        changes["caches"] = tuple(caches)
    said = frozenset(key for key, _ in given if key != "cache")
    return _completed(replace(found, device=replace(found.device, **changes), given=said), set(changes))


def otherwise(one: Memory, key: str) -> Memory:
    """Return the memory with another value of a key: a millionth of the bandwidth, another line, a million times the
    others.
    """
    device = one.device
    times = 1 / MUCH if key == "bandwidth" else MUCH
    value = times * getattr(device, FIELDS[key]) if key != "line" else LINES[device.line_bytes == LINES[0]]
    changed: dict[str, Any] = {FIELDS[key]: value}
    return replace(one, device=replace(device, **changed))


FIELDS = {
    "read": "read_latency_s",
    "write": "write_latency_s",
    "bandwidth": "bandwidth_bytes_per_s",
    "parallelism": "parallelism",
    "line": "line_bytes",
}
MUCH = 1e6  # times: a figure that counts shows, however far it is from the limit
OPEN = 1e-30  # stands for what is not known yet: a device takes no 0


def _parts(word: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return names, and keys with their values, which come after them."""
    names, given = [], []
    for part in (part.strip() for part in word.split(",")):
        key, equals, text = part.partition("=")
        if equals and (key in FIELDS or key == "cache"):
            given.append((key, text))
        elif not part or (equals and not is_there(part)):
            raise UsageError(f"memory '{word}': '{part}' is neither a run, a published device nor one of {KEYS}")
        else:
            names.append(part)
    return names, given


def _named(word: str, names: list[str]) -> Memory:
    if not names:
        return Memory(word, Device(word, OPEN, OPEN, OPEN))
    if not any(is_there(name) for name in names):
        if len(names) > 1:
            raise UsageError(f"memory '{word}' names {len(names)} things, and none of them is a run; name one device")
        return Memory(word, device(names[0]))
    runs = [load(Path(name)) for name in names]
    found = measured(runs)
    caches, least = [], 0.0
    for number, shape in enumerate(found.shapes):
        if shape.size_bytes > least:
            caches.append(Cache(f"L{number + 1}", shape.size_bytes, shape.latency_s))
        least = max(least, shape.size_bytes)
    made = Device(
        name=found.name,
        read_latency_s=found.memory_s,
        write_latency_s=found.memory_s,
        bandwidth_bytes_per_s=found.bandwidth_bytes_per_s or OPEN,
        parallelism=max(found.in_flight, 1.0),
        caches=tuple(caches),
        source=found.where,
        line_bytes=found.machine.line_bytes(),
    )
    notes = () if found.in_flight else (f"{word}: no run shows how many lines a thread has in flight; one is assumed",)
    return Memory(word, made, strongest(run.result.origin for run in runs), notes)


def _number(key: str, text: str) -> float:
    if key in ("read", "write"):
        return _seconds(f"{key}={text}", text)
    if key == "bandwidth":
        return units.parse_rate(text)
    if key == "line":
        return units.parse_bytes(text)
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f"parallelism={text}: lines in flight are needed, such as parallelism=10") from error


def _seconds(word: str, text: str) -> float:
    """Return the seconds of a text with a unit: a number alone would be seconds, which nobody means here."""
    if text[-1:].isdigit():
        raise UsageError(f"{word}: a time with its unit is needed, such as 305ns")
    return units.parse_seconds(text)


def _cache(number: int, text: str) -> Cache:
    size, colon, latency = text.partition(":")
    if not colon:
        raise UsageError(f"cache={text}: a size and a latency are needed, such as cache=1MiB:5ns")
    return Cache(f"L{number + 1}", units.parse_bytes(size), _seconds(f"cache={text}", latency))


def _completed(found: Memory, given: set[str]) -> Memory:
    """Return the memory with open values derived from the latency of a read."""
    one, as_reads = found.device, "write_latency_s" not in given
    if one.read_latency_s == OPEN:
        raise UsageError(f"memory '{found.word}' has no latency; give a run of `tierscope run latency`, or read=305ns")
    if one.write_latency_s == OPEN:
        one = replace(one, write_latency_s=one.read_latency_s)
    if one.bandwidth_bytes_per_s == OPEN:
        one = replace(one, bandwidth_bytes_per_s=one.parallelism * one.line_bytes / one.read_latency_s)
    notes = () if "parallelism" in given else found.notes
    return replace(
        found, device=one, notes=notes, writes_as_reads=as_reads and one.write_latency_s == one.read_latency_s
    )
