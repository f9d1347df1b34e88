"""Results on disk: a run directory with `manifest.json`, `result.json` and `samples/NNNN.parquet`.

Samples are written before the record that names them, and every file through a temporary name and a
rename, so that a kill at any moment leaves a directory which loads and resumes. Summaries are
computed by `tables`, never stored instead of samples.
"""

import os
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from tierscope import duck
from tierscope.counting import Counted
from tierscope.errors import MachineError, ResultError
from tierscope.experiment import Bytes, Experiment, Label, Workload
from tierscope.files import write_atomically
from tierscope.machine import Machine
from tierscope.program import BIN, Bins, Program, bins_of
from tierscope.reading import Reading
from tierscope.timing import Timing

SCHEMA = 1

BLOCK = np.dtype(
    [
        ("group", "<u2"),
        ("thread", "<u2"),  # within its group
        ("cpu", "<u2"),  # where the block ended
        ("flags", "<u2"),
        ("batch", "<u4"),  # which `measure` of the experiment
        ("switches", "<u4"),  # context switches within the block
        ("start_ticks", "<u8"),
        ("stop_ticks", "<u8"),
        ("operations", "<u8"),  # in the kernel's own unit, see GroupFacts
    ]
)
"""One block of one thread: 40 bytes; the core writes the same layout."""

SIZING, PREEMPTED, STOLEN, DRIFTED, MIGRATED = (1 << bit for bit in range(5))
"""Flags of a block: sizing itself; context switch; steal time; clock against clock; on another CPU."""

Blocks = npt.NDArray[np.void]
Stored = TypeVar("Stored")
SQL = {2: "USMALLINT", 4: "UINTEGER", 8: "UBIGINT"}  # types of the columns, by the bytes of a field


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


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One candidate of a calibration, and the median, over its batches, of their median rates."""

    workload: Workload
    operations_per_s: float


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One finished experiment. `counters`: events that a simulated machine counted, "L1d.load_misses"."""

    number: int
    experiment: Experiment
    groups: tuple[GroupFacts, ...]
    clock: Clock
    samples: Annotated[str, msgspec.Meta(pattern=r"^samples/[0-9]+\.parquet$")]  # below the run directory
    blocks: int
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


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One check of the machine by `doctor`."""

    name: str
    state: str  # what is, in words: "performance", "not readable"
    verdict: str  # "good", "note", "bad", "unknown"
    touches: tuple[str, ...]  # tables it bears on: "stream", "latency", ...; () is none
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
        """Shape (blocks,), dtype BLOCK, in the order of the core; ResultError if the file is damaged."""
        blocks = read_blocks(self.path / record.samples)
        if why := _impossible(blocks, len(record.groups)):
            raise ResultError(f"samples {self.path / record.samples} {why}; {_next_step(self.path)}")
        return blocks

    def bins(self, record: Record) -> Bins:
        """Shape (bins,), dtype BIN; none where the core measured. ResultError as from `blocks`."""
        return read_blocks(self.path / bins_of(record.samples), BIN) if record.program else np.empty(0, dtype=BIN)


def _impossible(blocks: Blocks, groups: int) -> str:
    """Why no core wrote these; "" where one may have."""
    if not blocks.size:
        return ""
    if (group := int(blocks["group"].max())) >= groups:
        return f"name group {group}, and the record has {groups}"
    last = max(int(blocks[name].max()) for name in ("start_ticks", "stop_ticks"))
    return f"have a clock at {last}, which runs to 2^63 at most" if last >= 1 << 63 else ""


def write_blocks(path: Path, blocks: Blocks) -> None:
    """Parquet, one column per field of BLOCK or BIN, zstd, by way of a temporary name; MachineError if it fails."""
    import duckdb

    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.part")
    columns = {name: np.ascontiguousarray(blocks[name]) for name in blocks.dtype.names or ()}
    try:
        store = duck.store()
        store.register("blocks", columns)
        store.execute(f"COPY (SELECT * FROM blocks) TO {duck.quoted(temporary)} (FORMAT parquet, COMPRESSION zstd)")
        store.unregister("blocks")
        with temporary.open("rb") as stream:
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except (duckdb.Error, RuntimeError) as error:
        raise MachineError(f"{path} cannot be written: {duck.why(error)}; make room there") from error
    finally:
        temporary.unlink(missing_ok=True)


def read_blocks(path: Path, kind: np.dtype[np.void] = BLOCK) -> Blocks:
    """The inverse of `write_blocks`; ResultError when the file is absent or damaged."""
    import duckdb

    wanted = ", ".join(f'CAST("{name}" AS {SQL[kind[name].itemsize]}) AS "{name}"' for name in kind.names or ())
    try:
        columns = duck.store().execute(f"SELECT {wanted} FROM read_parquet({duck.quoted(path)})").fetchnumpy()
        if any(np.ma.is_masked(column) for column in columns.values()):
            raise duckdb.DataError("values are missing")
    except (duckdb.Error, RuntimeError) as error:  # bad_cast: of a name that is no UTF-8
        raise ResultError(
            f"samples {path} cannot be read: {duck.why(error)}; {_next_step(path.parent.parent)}"
        ) from error
    blocks = np.empty(len(columns["batch"]), dtype=kind)
    for name, column in columns.items():
        blocks[name] = column
    return blocks


def save_manifest(directory: Path, manifest: Manifest) -> None:
    write_atomically(directory / "manifest.json", _pretty(manifest))


def save_result(directory: Path, result: Result) -> None:
    write_atomically(directory / "result.json", _pretty(result))


def load(path: Path) -> Run:
    """Load a run directory, or its `result.json`; every damage ends as a ResultError that says what to do."""
    directory = path.parent if path.name == "result.json" else path
    result = _read(directory / "result.json", Result)
    for number, record in enumerate(result.records):
        groups = len(record.experiment.groups)
        if record.number != number or not len(record.groups) == groups > 0:
            why = f"record {number} has another number, or facts of other groups than were asked for"
            raise ResultError(f"{directory}/result.json is damaged: {why}; {_next_step(directory)}")
    return Run(path=directory, result=result)


def load_manifest(directory: Path) -> Manifest:
    """ResultError as from `load`."""
    return _read(directory / "manifest.json", Manifest)


def _pretty(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def _read(path: Path, kind: type[Stored]) -> Stored:
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ResultError(f"{path.parent} is no run directory: it has no {path.name}; try one below runs/") from error
    except OSError as error:
        raise ResultError(f"{path} cannot be read: {error.strerror}") from error
    try:
        version = msgspec.json.decode(content, type=dict[str, Any]).get("schema")
        if not isinstance(version, int) or version <= SCHEMA:
            return msgspec.json.decode(content, type=kind)
    except (ValueError, RecursionError) as error:  # of msgspec, or of bytes that are no UTF-8
        raise ResultError(f"{path} is damaged: {error}; {_next_step(path.parent)}") from error
    raise ResultError(f"{path} has schema {version}, newer than {SCHEMA}: use a newer tierscope")


def _next_step(directory: Path) -> str:
    return f"copy the run again, or repeat it: tierscope rerun {quote(str(directory))}"
