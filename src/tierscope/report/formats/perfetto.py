"""Trace of every block, as JSON that Perfetto (ui.perfetto.dev), its trace processor and chrome://tracing read.

Each run is a process. Its first track has one slice for each visit of a point; each thread of each group has a track,
with one slice for each block. A block that was disturbed has another name, so it has another colour. Counter tracks
show bandwidth or time per operation of each batch, and the number of the tour. Each run begins at 0.
Source: Google, "Trace Event Format", 2016: complete (X), counter (C), instant (i) and metadata (M) events; times in us.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from tierscope.errors import UsageError
from tierscope.printable import printable
from tierscope.record.result import Run
from tierscope.record.samples import FLAGS, SIZING
from tierscope.report.formats import Export, Format, formats
from tierscope.report.timeline import Span, spans
from tierscope.sound import reads

Event = dict[str, Any]
POINTS = 1  # the track of the points; those of threads follow
BY_RATE = ("line", "block")  # operations whose bandwidth is the question; of others it is the time of one


@reads("the trace")
def trace(runs: Sequence[Run]) -> bytes:
    """Return the document. UsageError if no run has blocks, as those of other tools."""
    events = [event for number, run in enumerate(runs, 1) for event in _of_run(number, run)]
    if not any(event["ph"] == "X" for event in events):
        raise UsageError("these runs contain no blocks to show over time; name a run that Tierscope measured")
    document = {"traceEvents": events, "displayTimeUnit": "ns", "otherData": {"made by": "Tierscope"}}
    return msgspec.json.encode(document) + b"\n"


def _of_run(pid: int, run: Run) -> Iterator[Event]:
    result = run.result
    name = f"{result.suite} on {result.machine.hostname}, {result.started} ({result.origin})"
    yield _named("process_name", pid, 0, name)
    yield _named("thread_name", pid, POINTS, "points")
    tracks: dict[tuple[int, int], int] = {}
    for span in spans(run):
        for key in _threads(span):
            if key not in tracks:
                tracks[key] = POINTS + 1 + len(tracks)
                yield _named("thread_name", pid, tracks[key], f"group {key[0]}, thread {key[1]}")
        yield from _point(pid, span)
        yield from _blocks(pid, span, tracks)
        yield from _counters(pid, span)


def _threads(span: Span) -> list[tuple[int, int]]:
    pairs = np.unique(np.stack([span.blocks["group"], span.blocks["thread"]]), axis=1) if span.blocks.size else None
    return [(int(group), int(thread)) for group, thread in pairs.T] if pairs is not None else []


def _named(what: str, pid: int, tid: int, name: str) -> Event:
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": printable(name)}}


def _point(pid: int, span: Span) -> Iterator[Event]:
    """Yield the visit as a slice, its warnings as marks on it."""
    record = span.record
    labels = {key: value for key, value in record.experiment.labels.items() if value is not None}
    placed = "by its clock" if span.exact else f"by its wall time; its clock is {record.clock.source}"
    targets = " and ".join(dict.fromkeys(group.target.word for group in record.experiment.groups))
    args = {"point": record.number, "visit": record.visit, "target": targets, **labels, "placed": placed}
    kernels = " and ".join(dict.fromkeys(facts.kernel for facts in record.groups))
    name = f"{record.experiment.table}: {kernels}"
    yield _slice(name, "point", pid, POINTS, span.zero_ns, span.end_ns, args)
    for warning in record.warnings:
        yield {"ph": "i", "s": "t", "name": warning.code, "cat": "warning", "pid": pid, "tid": POINTS,
               "ts": span.zero_ns / 1e3, "args": {"doubt": printable(warning.message)}}  # fmt: skip


def _slice(name: str, kind: str, pid: int, tid: int, start_ns: int, stop_ns: int, args: dict[str, Any]) -> Event:
    return {"ph": "X", "name": printable(name), "cat": kind, "pid": pid, "tid": tid, "ts": start_ns / 1e3,
            "dur": (stop_ns - start_ns) / 1e3, "args": args}  # fmt: skip


def _blocks(pid: int, span: Span, tracks: dict[tuple[int, int], int]) -> Iterator[Event]:
    starts, stops = span.at_ns(span.blocks["start_ticks"]), span.at_ns(span.blocks["stop_ticks"])
    for block, start, stop in zip(span.blocks, starts.tolist(), stops.tolist(), strict=True):
        group, operations = int(block["group"]), int(block["operations"])
        facts = span.record.groups[group]
        marks = [word.lower() for word, (bit, _) in FLAGS.items() if int(block["flags"]) & bit]
        name = f"{facts.kernel} ({', '.join(marks)})" if marks else facts.kernel
        disturbed = bool(marks) and marks != ["sizing"]
        args = {
            "batch": int(block["batch"]),
            "cpu": int(block["cpu"]),
            "operations": operations,
            "unit": facts.operation,
            "ns_per_operation": (stop - start) / operations if operations else None,
            "context_switches": int(block["switches"]),
        }
        kind = "disturbed" if disturbed else "sizing" if marks else "block"
        yield _slice(name, kind, pid, tracks[group, int(block["thread"])], start, stop, args)


def _counters(pid: int, span: Span) -> Iterator[Event]:
    """Yield one value for each batch, of all blocks but sizing, disturbed ones included; 0 at the end of the visit."""
    yield _counter(pid, "tour", span.zero_ns, span.record.visit + 1)
    kept = span.blocks[(span.blocks["flags"] & SIZING) == 0]
    for number, facts in enumerate(span.record.groups):
        own = kept[kept["group"] == number]
        by_rate = facts.operation in BY_RATE
        name = f"group {number}: " + ("bandwidth (GB/s)" if by_rate else f"time per {facts.operation} (ns)")
        for batch in np.unique(own["batch"]):
            some = own[own["batch"] == batch]
            starts, stops = span.at_ns(some["start_ticks"]), span.at_ns(some["stop_ticks"])
            operations = int(some["operations"].sum())
            seen_ns, busy_ns = int(stops.max() - starts.min()), int((stops - starts).sum())
            over, under = (
                (operations * facts.program_bytes_per_operation, seen_ns) if by_rate else (busy_ns, operations)
            )
            if under:
                yield _counter(pid, name, int(starts.min()), over / under)
        if own.size:
            yield _counter(pid, name, span.end_ns, 0)


def _counter(pid: int, name: str, at_ns: int, value: float) -> Event:
    return {"ph": "C", "name": name, "pid": pid, "tid": 0, "ts": at_ns / 1e3, "args": {"value": value}}


formats.add(
    Format(
        "perfetto",
        export=Export(
            "Trace of every block for Perfetto (ui.perfetto.dev) or chrome://tracing: threads as tracks, disturbed "
            "blocks marked, bandwidth as counters.",
            trace,
            blocks=True,
        ),
    )
)
