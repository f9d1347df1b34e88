"""Results on disk: a run directory with `manifest.json`, `result.json` and `samples/NNNN.parquet`.

Samples are written before the record that names them, and every file through a temporary name and a
rename, so that a kill at any moment leaves a directory which loads and resumes. Summaries are
computed by `tables`, never stored instead of samples.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from tierscope.errors import ResultError
from tierscope.experiment import Experiment, Label, Workload
from tierscope.machine import Machine

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


class Warn(msgspec.Struct, frozen=True, kw_only=True):
    """A doubt about a record, and what to do about it."""

    code: str
    message: str
    next_step: str


class Clock(msgspec.Struct, frozen=True, kw_only=True):
    """What the ticks are."""

    source: str  # "tsc" or "monotonic_raw"
    hz: float
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
    footprint_bytes: int
    pages: dict[str, int]  # page size in bytes -> bytes mapped with it
    nodes: dict[str, int]  # NUMA node -> bytes found there; empty where the question has no sense
    placement: str  # how it was verified: "move_pages: 4096 of 65536 pages"
    program_bytes_per_operation: float
    bus_bytes_per_operation: float | None  # with write-allocate; None where only a counter could tell
    operation: str  # "line", "hop", "call"


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One candidate of a calibration, and the best median rate that it showed."""

    workload: Workload
    operations_per_s: float


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One finished experiment."""

    number: int
    experiment: Experiment
    groups: tuple[GroupFacts, ...]
    clock: Clock
    samples: str  # file below the run directory
    blocks: int
    started: str  # UTC, ISO 8601
    seconds: float  # wall time including set-up
    largest_relative_error: float  # against scalar code, after the blocks
    warnings: tuple[Warn, ...] = ()
    calibration: tuple[Trial, ...] = ()  # fastest first; empty where the choice was made before


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

    schema: int
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

    schema: int
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


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A Result and the directory that holds its samples."""

    path: Path
    result: Result

    def blocks(self, record: Record) -> Blocks:
        """Shape (blocks,), dtype BLOCK, in the order of the core; ResultError if the file is damaged."""
        return read_blocks(self.path / record.samples)


def write_atomically(path: Path, content: bytes) -> None:
    """Replace `path` as a whole or not at all; flushed to the disk before the rename."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_blocks(path: Path, blocks: Blocks) -> None:
    """Parquet, one column per field of BLOCK, zstd, through a temporary name."""
    import duckdb

    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.part")
    columns = {name: np.ascontiguousarray(blocks[name]) for name in BLOCK.names or ()}
    with duckdb.connect() as store:
        store.register("blocks", columns)
        store.execute(f"COPY (SELECT * FROM blocks) TO '{_quoted(temporary)}' (FORMAT parquet, COMPRESSION zstd)")
    os.replace(temporary, path)


def read_blocks(path: Path) -> Blocks:
    """The inverse of `write_blocks`; ResultError when the file is absent or damaged."""
    import duckdb

    try:
        with duckdb.connect() as store:
            columns = store.execute(f"SELECT * FROM read_parquet('{_quoted(path)}')").fetchnumpy()
    except duckdb.Error as error:
        raise ResultError(f"samples {path} cannot be read: {str(error).splitlines()[0]}; rerun the run") from error
    missing = set(BLOCK.names or ()) - set(columns)
    if missing:
        raise ResultError(f"samples {path} lack the columns {', '.join(sorted(missing))}; rerun the run")
    blocks = np.empty(len(columns["group"]), dtype=BLOCK)
    for name in BLOCK.names or ():
        blocks[name] = columns[name]
    return blocks


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def save_manifest(directory: Path, manifest: Manifest) -> None:
    write_atomically(directory / "manifest.json", _pretty(manifest))


def save_result(directory: Path, result: Result) -> None:
    write_atomically(directory / "result.json", _pretty(result))


def load(path: Path) -> Run:
    """Load a run directory, or its `result.json`; every damage ends as a ResultError that says what to do."""
    directory = path.parent if path.name == "result.json" else path
    return Run(path=directory, result=_read(directory / "result.json", Result))


def load_manifest(directory: Path) -> Manifest:
    return _read(directory / "manifest.json", Manifest)


def _pretty(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def _read(path: Path, kind: type[Any]) -> Any:
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise ResultError(f"{path.parent} is no run directory: it has no {path.name}") from error
    except OSError as error:
        raise ResultError(f"{path} cannot be read: {error.strerror}") from error
    try:
        version = msgspec.json.decode(content, type=dict[str, Any]).get("schema")
        if isinstance(version, int) and version > SCHEMA:
            raise ResultError(f"{path} has schema {version}, newer than {SCHEMA}: use a newer tierscope")
        return msgspec.json.decode(content, type=kind)
    except msgspec.DecodeError as error:
        raise ResultError(f"{path} is damaged: {error}; `tierscope resume` or rerun it") from error
