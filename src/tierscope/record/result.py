"""Results on disk: a run directory with `manifest.json`, `result.json` and `samples/NNNN.parquet`.

Samples are written before the record that names them, and every file through a temporary name and a
rename, so that a kill at any moment leaves a directory which loads and resumes. Summaries are
computed by `tables`, never stored instead of samples.
"""

from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np

from tierscope.errors import ResultError, reason
from tierscope.files import write_atomically
from tierscope.record.counting import Counted
from tierscope.record.experiment import Bytes, Experiment, Label, Workload
from tierscope.record.machine import Machine
from tierscope.record.origin import ORIGINS
from tierscope.record.program import BIN, Bins, Program, bins_of
from tierscope.record.reading import Reading
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
from tierscope.record.timing import Timing

__all__ = [
    "BLOCK", "DRIFTED", "MIGRATED", "PREEMPTED", "SCHEMA", "SIZING", "STOLEN", "Blocks", "Clock", "Finding",
    "GroupFacts", "Manifest", "Record", "Result", "Run", "Software", "Trial", "Warn", "bins_of_record", "blocks_of",
    "digest", "inside", "load", "load_manifest", "read_blocks", "save_manifest", "save_result", "write_blocks",
]  # fmt: skip

SCHEMA = 1

Stored = TypeVar("Stored")


class Warn(msgspec.Struct, frozen=True, kw_only=True):
    """A doubt about a record, and what to do about it."""

    code: str
    message: str
    next_step: str


class Clock(msgspec.Struct, frozen=True, kw_only=True):
    """What the ticks are."""

    source: str  # "tsc", "monotonic_raw", or "simulated"
    hz: Annotated[float, msgspec.Meta(gt=0)]
    resolution_s: float  # smallest step seen
    read_cost_s: float  # one pair of reads around an empty block


WAITED = {"flush_msync": "file", "command": "processes"}
"""What threads waited for, by kernel, in results of cores that did not say."""


class GroupFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What really ran, as the core saw it."""

    kernel: str
    isa: str
    store: str  # "none", "plain", "nt", "string", "libc", "direct"
    streams: int
    unroll: int
    prefetch_bytes: int
    prefetchw_bytes: int
    interleave_bytes: int
    target: str
    origin: str  # "real", "emulated", "simulated"
    cpus: tuple[int, ...]
    footprint_bytes: Bytes
    pages: dict[str, int]  # page size in bytes -> bytes mapped with it
    nodes: dict[str, int]  # NUMA node -> bytes found there; empty where the question has no sense
    placement: str  # how it was verified: "move_pages: 4096 of 65536 pages"
    program_bytes_per_operation: float
    bus_bytes_per_operation: float | None  # with write-allocate; None where only a counter could tell
    operation: str  # "line", "hop", "call", "block", "handover", "task", "key"
    source: str = ""  # target of the operands that are only read; "" is `target`
    element_bytes: int = 0  # of one operation of kernels on blocks, between two nodes of a chase
    access_bytes: int = 0  # of each element so many are used; 0 of kernels that know no such word
    origin_by: str = ""  # what emulates or simulates it; "" where it is real
    latency_floor_s: float = 0.0  # that an emulated target puts under each dependent access; 0 is none
    ceiling_bytes_per_s: float = 0.0  # that it puts over the program bytes of all threads; 0 is none
    persistence: str = ""  # until its bytes survive: "none", "adr", "eadr", "msync"; "" is not told
    persistence_how: str = ""  # how that is known
    detail: str = ""  # what a victim says of its instance: "3000 nodes, 120000 arcs, cost 71823"
    waits: str = ""  # for what its thread waits by nature: "none", "file", "processes"; "" is not told

    @property
    def waits_for(self) -> str:
        """What its thread waits for by nature: "none", "file", "processes"."""
        return self.waits or WAITED.get(self.kernel, "none")


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One candidate of a calibration, and the median, over its batches, of their median rates.

    The rate is None where no batch of the trial had a clean moment. Runs of before wrote 0.0 there.
    """

    workload: Workload
    operations_per_s: float | None

    @property
    def rate(self) -> float | None:
        """Operations/s; None where they are not known, in runs of before as well."""
        return self.operations_per_s or None


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One finished experiment. `counters`: events that a simulated machine counted, "L1d.load_misses"."""

    number: int
    experiment: Experiment
    groups: tuple[GroupFacts, ...]
    clock: Clock
    samples: Annotated[str, msgspec.Meta(pattern=r"^samples/[0-9]+\.parquet(?!\n)$")]  # below the run directory
    blocks: int  # rows of `samples`
    started: str  # UTC, ISO 8601
    seconds: float  # wall time including set-up
    largest_relative_error: float  # against scalar code, after the blocks
    warnings: tuple[Warn, ...] = ()
    calibration: tuple[Trial, ...] = ()  # fastest first; empty where the choice was made before
    takes: tuple[int, ...] = ()  # of each batch, which of the experiment's takes ran; () where there is one take
    counters: dict[str, int] = {}
    timings: tuple[tuple[Timing, ...], ...] = ()  # of each group, of each batch; () where no group runs a structure
    program: Program | None = None  # that measured in place of the core
    counted: tuple[Counted, ...] = ()  # performance events in the timed blocks; () where none were asked for
    samples_sha256: str = ""  # of the rows of `samples`, see `digest`; "" of versions that stated none
    bins: Annotated[int, msgspec.Meta(ge=0)] | None = None  # rows of the histogram of `program`; None likewise
    bins_sha256: str = ""

    @property
    def mark(self) -> tuple[object, ...]:
        """What tells its samples from those of another record, for all that remembers what it read."""
        return self.number, self.samples, self.started, self.blocks, self.samples_sha256


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One check of the machine by `doctor`."""

    name: str
    state: str  # what is, in words: "performance", "not readable"
    verdict: str  # "good", "note", "bad", "unknown"
    touches: tuple[str, ...]  # topics it bears on, "bandwidth", "latency"; of older runs, tables; () is none
    effect: str  # how much, with its source
    remedy: str  # the exact command, or ""
    needs_root: bool = False


class Software(msgspec.Struct, frozen=True, kw_only=True):
    """What measured."""

    tierscope: str
    core: str
    compiler: str
    python: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Written once, before the first block: enough to repeat or to resume the run."""

    schema: Annotated[int, msgspec.Meta(ge=1)]
    argv: tuple[str, ...]
    suite: str
    options: dict[str, Label]
    plan: str  # the user's own groups as TOML; "" for a suite
    software: Software
    machine: Machine
    findings: tuple[Finding, ...]
    started: str


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """All records of a run so far."""

    schema: Annotated[int, msgspec.Meta(ge=1)]
    suite: str
    options: dict[str, Label]
    origin: str  # of the groups: "real", or the strongest other
    software: Software
    machine: Machine
    findings: tuple[Finding, ...]
    started: str
    complete: bool
    records: tuple[Record, ...] = ()
    warnings: tuple[Warn, ...] = ()
    origin_by: str = ""  # what emulates or simulates, of all groups; "" where they are real; the tool that measured
    readings: tuple[Reading, ...] = ()  # of another tool, where the run was imported
    method: str = ""  # of that tool, as far as its output and its documents say; "" is not known


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A Result and the directory that holds its samples."""

    path: Path
    result: Result

    def blocks(self, record: Record) -> Blocks:
        """Shape (blocks,), dtype BLOCK, in the order of the core; ResultError for a file that is damaged or another."""
        return blocks_of(self.path, record)

    def bins(self, record: Record) -> Bins:
        """Shape (bins,), dtype BIN; none where the core measured. ResultError as from `blocks`."""
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
    """Return the histogram of a record, checked likewise; none where the core measured."""
    if record.program is None:
        return np.empty(0, dtype=BIN)
    path = inside(directory, bins_of(record.samples))
    bins = read_blocks(path, BIN)
    refuse_others(path, bins, record.bins, record.bins_sha256)
    return bins


def save_manifest(directory: Path, manifest: Manifest) -> None:
    write_atomically(directory / "manifest.json", _pretty(manifest))


def save_result(directory: Path, result: Result) -> None:
    write_atomically(directory / "result.json", _pretty(result))


def load(path: Path) -> Run:
    """Load a run directory, or its `result.json`; every damage ends as a ResultError that says what to do."""
    directory = path.parent if path.name == "result.json" else path
    result = _read(directory / "result.json", Result)
    if why := next(_faults(result), ""):
        raise ResultError(f"{directory}/result.json is damaged: {why}; {next_step(directory)}")
    return Run(path=directory, result=result)


def _faults(result: Result) -> Iterator[str]:
    """What the types do not say. A word that becomes part of a file name is one of a closed list."""
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


def load_manifest(directory: Path) -> Manifest:
    """ResultError as from `load`."""
    return _read(directory / "manifest.json", Manifest)


def _pretty(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def _read(path: Path, kind: type[Stored]) -> Stored:
    if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe would block, a device have no end
        raise ResultError(f"{path} cannot be read: it is not a regular file; {next_step(path.parent)}")
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        begun = path.name != "manifest.json" and (path.parent / "manifest.json").is_file()
        step = f"go on with: tierscope resume {quote(str(path.parent))}" if begun else "try one below runs/"
        raise ResultError(f"{path.parent} is no run directory: it has no {path.name}; {step}") from error
    except OSError as error:
        raise ResultError(f"{path} cannot be read: {reason(error)}") from error
    try:
        version = msgspec.json.decode(content, type=dict[str, Any]).get("schema")
        if not isinstance(version, int) or version <= SCHEMA:
            return msgspec.json.decode(content, type=kind)
    except (ValueError, RecursionError) as error:  # of msgspec, or of bytes that are no UTF-8
        raise ResultError(f"{path} is damaged: {error}; {next_step(path.parent)}") from error
    raise ResultError(f"{path} has schema {version}, newer than {SCHEMA}: use a newer tierscope")
