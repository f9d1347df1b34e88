"""Results on disk: a run directory with `manifest.json`, `result.json` and `samples/NNNN.parquet`.

A point that is visited again has one more record for each further visit, in `visits`, with the same number; its
samples are `samples/NNNN-V.parquet`, and `samples/NNNN-V-again.parquet` for a repeated visit. Samples are written
before the record that names them, and every file through a temporary name and a rename, so that a kill at any moment
leaves a directory which loads and resumes. Summaries are computed by `tables`, never stored instead of samples.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np
from msgspec import Meta

from tierscope.errors import ResultError
from tierscope.files import write_atomically
from tierscope.record.earlier import Earlier
from tierscope.record.experiment import Label
from tierscope.record.facts import Clock, GroupFacts, Trial
from tierscope.record.machine import Machine
from tierscope.record.origin import ORIGINS
from tierscope.record.predicted import Predicted
from tierscope.record.program import BIN, Bins, bins_of
from tierscope.record.reading import Reading
from tierscope.record.record import Record
from tierscope.record.samples import (
    BLOCK,  # fmt: skip
    DRIFTED,  # fmt: skip
    MIGRATED,  # fmt: skip
    PREEMPTED,  # fmt: skip
    SIZING,  # fmt: skip
    STOLEN,  # fmt: skip
    Blocks,  # fmt: skip
    digest,  # fmt: skip
    exchanged,  # fmt: skip
    inside,  # fmt: skip
    next_step,  # fmt: skip
    read_blocks,  # fmt: skip
    refuse_others,  # fmt: skip
    write_blocks,  # fmt: skip
)
from tierscope.record.stored import content_of, directory_of, pretty, remember
from tierscope.record.uncollected import uncollected
from tierscope.record.upgrade import STEPS, upgraded
from tierscope.record.warn import Warn

__all__ = [
    "BLOCK", "DRIFTED", "MIGRATED", "PREEMPTED", "SCHEMA", "SIZING", "STOLEN", "Blocks", "Clock", "Finding",
    "GroupFacts", "Manifest", "Record", "Result", "Run", "Software", "Trial", "Warn", "bins_of_record", "blocks_of",
    "digest", "inside", "load", "load_manifest", "read_blocks", "save_manifest", "save_result", "write_blocks",
]  # fmt: skip

SCHEMA = 2

Stored = TypeVar("Stored")


class _Head(msgspec.Struct, frozen=True):
    """All that is read before the version is known."""

    schema: Any = None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One check of the machine by `doctor`."""

    name: Annotated[str, Meta(description="of the [check](doctor.md)")]
    state: Annotated[str, Meta(description="the state, as text")]
    verdict: Annotated[str, Meta(description="`good`, `note`, `bad`, `unknown`")]
    touches: Annotated[
        tuple[str, ...],
        Meta(
            description="topics that it affects, `bandwidth` and `latency`; runs of older versions name "
            "tables; empty: none"
        ),
    ]
    effect: Annotated[str, Meta(description="how much, with its source")]
    remedy: Annotated[str, Meta(description='a command, or ""')]
    needs_root: Annotated[bool, Meta(description="whether that command needs root")] = False


class Software(msgspec.Struct, frozen=True, kw_only=True):
    """Versions of the programs that measured."""

    tierscope: Annotated[str, Meta(description="version of the package")]
    core: Annotated[str, Meta(description="version of the core")]
    compiler: Annotated[str, Meta(description="that built the core")]
    python: Annotated[str, Meta(description="interpreter")]


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The file `manifest.json`.

    Written once, before the first block: enough to repeat or to resume the run.
    """

    schema: Annotated[int, msgspec.Meta(ge=1), Meta(description="version of the format")]
    argv: Annotated[tuple[str, ...], Meta(description="the command as typed")]
    suite: Annotated[str, Meta(description="its name; `groups` for a file of groups")]
    options: Annotated[dict[str, Label], Meta(description="every option with its value, defaults too; null is auto")]
    plan: Annotated[str, Meta(description='the file of groups as text; "" for a suite')]
    software: Annotated[Software, Meta(description="[`Software`](#software)")]
    machine: Annotated[Machine, Meta(description="[`Machine`](#machine) at the start")]
    findings: Annotated[tuple[Finding, ...], Meta(description="list of [`Finding`](#finding) at the start")]
    started: Annotated[str, Meta(description="UTC, ISO 8601")]


class Result(msgspec.Struct, frozen=True, kw_only=True, weakref=True):
    """The file `result.json`: all records of a run so far."""

    schema: Annotated[int, msgspec.Meta(ge=1), Meta(description="version of the format")]
    suite: Annotated[str, Meta(description="its name")]
    options: Annotated[dict[str, Label], Meta(description="as in the manifest")]
    origin: Annotated[
        str,
        Meta(
            description="`real`, or the strongest other of all groups: `emulated`, `simulated`; `imported`: "
            "another tool measured"
        ),
    ]
    software: Annotated[Software, Meta(description="[`Software`](#software)")]
    machine: Annotated[Machine, Meta(description="[`Machine`](#machine)")]
    findings: Annotated[tuple[Finding, ...], Meta(description="list of [`Finding`](#finding)")]
    started: Annotated[str, Meta(description="UTC, ISO 8601")]
    complete: Annotated[bool, Meta(description="false until the last experiment is done")]
    records: Annotated[tuple[Record, ...], Meta(description="list of [`Record`](#record)")] = ()
    warnings: Annotated[tuple[Warn, ...], Meta(description="list of [`Warn`](#warn) about the run as a whole")] = ()
    origin_by: Annotated[
        str, Meta(description='what emulates or simulates, of all groups; of an import the tool; "": they are real')
    ] = ""
    readings: Annotated[
        tuple[Reading, ...],
        Meta(description="list of [`Reading`](#reading): what another tool printed; empty unless the run was imported"),
    ] = ()
    visits: Annotated[
        tuple[Record, ...],
        Meta(
            description="list of [`Record`](#record): further visits of points of `records`, in the order of time; "
            "each has the number and the experiment of its point"
        ),
    ] = ()
    repeated: Annotated[
        tuple[Record, ...],
        Meta(
            description="list of [`Record`](#record): visits that were repeated immediately, in memory that was mapped "
            "again, each with the number and the visit of the one that it repeats. They show what changes with the "
            "mapping, and are part of no other number"
        ),
    ] = ()
    method: Annotated[
        str,
        Meta(description="method of that tool, as far as its output and its documents describe it; empty if not known"),
    ] = ""
    predicted: Annotated[
        Predicted | None,
        Meta(description="the [`Predicted`](#predicted) of a program on other memories; null of every other run"),
    ] = None
    earlier: Annotated[
        Earlier | None,
        Meta(
            description="[`Earlier`](#earlier): what earlier runs of this machine showed, which the intervals contain; "
            "null: they contain changes within the run only, as in runs of versions that did not look"
        ),
    ] = None


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A Result and the directory of its samples."""

    path: Path
    result: Result

    def blocks(self, record: Record) -> Blocks:
        """Return an array (blocks,) of dtype BLOCK in the core's order.

        Raises ResultError for a file that is damaged or another.
        """
        return blocks_of(self.path, record)

    def bins(self, record: Record) -> Bins:
        """Return bins, shape (bins,), dtype BIN; none where the core measured. ResultError as from `blocks`."""
        return bins_of_record(self.path, record)


def blocks_of(directory: Path, record: Record) -> Blocks:
    """Return the samples of a record, checked against what it states; ResultError where they are others."""
    path = inside(directory, record.samples)
    blocks = read_blocks(path)
    refuse_others(path, blocks, record.blocks, record.samples_sha256)
    teams = np.array([len(facts.cpus) for facts in record.groups])
    if np.any(blocks["group"] >= teams.size) or np.any(blocks["thread"] >= teams[blocks["group"]]):
        raise exchanged(path, "name threads that the record has not")
    if blocks.size and (last := max(int(blocks[name].max()) for name in ("start_ticks", "stop_ticks"))) >= 1 << 63:
        raise exchanged(path, f"have a clock at {last}, which runs to 2^63 at most")
    return blocks


def bins_of_record(directory: Path, record: Record) -> Bins:
    """Return the histogram of a record, also checked; none where the core measured."""
    if record.program is None:
        return np.empty(0, dtype=BIN)
    path = inside(directory, bins_of(record.samples))
    bins = read_blocks(path, BIN)
    refuse_others(path, bins, record.bins, record.bins_sha256)
    return bins


def save_manifest(directory: Path, manifest: Manifest) -> None:
    write_atomically(directory / "manifest.json", pretty(manifest))


def save_result(directory: Path, result: Result) -> None:
    write_atomically(directory / "result.json", pretty(result))


def load(path: Path) -> Run:
    """Load a run directory, or its `result.json`; every damage raises a ResultError with a next step."""
    directory = directory_of(path)
    content = content_of(directory / "result.json")
    result = _read(directory / "result.json", content, Result)
    if why := next(_faults(result), ""):
        raise ResultError(f"{directory}/result.json is damaged: {why}; {next_step(directory)}")
    remember(result, content)
    return Run(path=directory, result=result)


def _faults(result: Result) -> Iterator[str]:
    """Check what the types do not express. A word that becomes part of a file name is one of a closed list."""
    known = f"not one of {', '.join(ORIGINS)}"
    if result.origin not in ORIGINS:
        yield f"origin {result.origin!r} is {known}"
    for number, record in enumerate(result.records):
        groups = len(record.experiment.groups)
        if record.number != number or not len(record.groups) == groups > 0:
            yield f"record {number} has another number, or facts of other groups than were asked for"
        for facts in record.groups:
            if facts.origin not in ORIGINS:
                yield f"origin {facts.origin!r} of record {number} is {known}"
    yield from _faults_of_visits(result)
    yield from _faults_of_repeated(result)


def _faults_of_visits(result: Result) -> Iterator[str]:
    """Yield faults: visits of a point are numbered from 1 in the order of time, and are of the same experiment."""
    seen: dict[int, int] = {}
    for visit in result.visits:
        point = result.records[visit.number] if 0 <= visit.number < len(result.records) else None
        seen[visit.number] = seen.get(visit.number, 0) + 1
        if point is None or visit.experiment != point.experiment or len(visit.groups) != len(point.groups):
            yield f"visit {visit.visit} is of point {visit.number}, which is another one or does not exist"
        if visit.visit != seen[visit.number]:
            yield f"point {visit.number} has a visit {visit.visit} where its visit {seen[visit.number]} is expected"
        if any(facts.origin not in ORIGINS for facts in visit.groups):
            yield f"visit {visit.visit} of point {visit.number} has an origin that is not one of {', '.join(ORIGINS)}"


def _faults_of_repeated(result: Result) -> Iterator[str]:
    """Yield faults: a visit is repeated once, with its own experiment."""
    visits = {(visit.number, visit.visit): visit for visit in result.visits}
    for again in result.repeated:
        first = visits.pop((again.number, again.visit), None)
        if first is None or again.experiment != first.experiment or len(again.groups) != len(first.groups):
            yield f"visit {again.visit} of point {again.number} is repeated, and does not exist or is another one"
        if any(facts.origin not in ORIGINS for facts in again.groups):
            yield f"repeated visit {again.visit} of point {again.number} has an origin that is not one of those known"


def load_manifest(directory: Path) -> Manifest:
    """Return the manifest; raise ResultError as `load` does."""
    path = directory / "manifest.json"
    return _read(path, content_of(path), Manifest)


def _read(path: Path, content: bytes, kind: type[Stored]) -> Stored:
    try:
        version = msgspec.json.decode(content, type=_Head).schema
        if not isinstance(version, int) or version <= SCHEMA:
            with uncollected():
                return _decoded(content, kind, version)
    except (ValueError, RecursionError) as error:  # of msgspec, or of bytes that are not UTF-8
        raise ResultError(f"{path} is damaged: {error}; {next_step(path.parent)}") from error
    raise ResultError(f"{path} has schema {version}, newer than {SCHEMA}: use a newer tierscope")


def _decoded(content: bytes, kind: type[Stored], version: Any) -> Stored:
    """Decode once what is of the newest schema; older schemas are upgraded as plain data first."""
    if type(version) is int and version in STEPS:
        return msgspec.convert(upgraded(msgspec.json.decode(content, type=dict[str, Any])), kind)
    return msgspec.json.decode(content, type=kind)
