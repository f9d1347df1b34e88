"""Samples on disk: the blocks of a record as Parquet, and whether a file is the one that the record states.

A record states the rows of its samples and their SHA-256. So samples that were exchanged, cut off or changed are
refused. Records of versions that stated no sum are checked by their rows and threads.
"""

import functools
import hashlib
from pathlib import Path
from shlex import quote

import numpy as np
import numpy.typing as npt

from tierscope import duck
from tierscope.errors import MachineError, ResultError, reason
from tierscope.files import write_atomically
from tierscope.units import KiB

BLOCK = np.dtype(
    [
        ("group", "<u2"),
        ("thread", "<u2"),
        ("cpu", "<u2"),
        ("flags", "<u2"),
        ("batch", "<u4"),
        ("switches", "<u4"),
        ("start_ticks", "<u8"),
        ("stop_ticks", "<u8"),
        ("operations", "<u8"),
    ]
)
"""One block of one thread: 40 bytes; the core writes the same layout."""

BLOCK_MEANINGS = {
    "group": "number of the group in the experiment",
    "thread": "number of the thread in the group",
    "cpu": "CPU on which the block ended",
    "flags": "marks, as below",
    "batch": "number of the `measure` of the session",
    "switches": "context switches within the block",
    "start_ticks": "first read of the clock",
    "stop_ticks": "second read of the clock",
    "operations": "operations between the two reads, in the unit of the kernel",
}
"""The content of the columns, for the reference."""

SIZING, PREEMPTED, STOLEN, DRIFTED, MIGRATED = (1 << bit for bit in range(5))
"""Flags of a block: sizing itself; context switch; steal time; clock against clock; on another CPU."""

FLAGS = {
    "SIZING": (SIZING, "the thread was still determining how much work fills a block"),
    "PREEMPTED": (PREEMPTED, "a context switch within the block"),
    "STOLEN": (STOLEN, "the hypervisor took the CPU; known to 10 ms, so neighbours are also marked"),
    "DRIFTED": (DRIFTED, "the two clocks differ by more than 0.1 % and 2 us"),
    "MIGRATED": (MIGRATED, "the block ended on another CPU"),
}
"""Name -> bit and meaning, for the reference."""

Blocks = npt.NDArray[np.void]
SQL = {2: "USMALLINT", 4: "UINTEGER", 8: "UBIGINT"}  # types of the columns, by the bytes of a field
KEPT_FILES, KEPT_BYTES = 512, 32 * KiB  # of samples in memory; DuckDB takes 1.3 ms for each, and a copy 0.02 ms


def write_blocks(path: Path, blocks: Blocks) -> None:
    """Write Parquet, one column per field of BLOCK or BIN, zstd, replaced as a whole; raise MachineError on failure."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(
            path, duck.parquet({name: np.ascontiguousarray(blocks[name]) for name in blocks.dtype.names or ()})
        )
    except OSError as error:
        raise MachineError(f"{path} cannot be written: {reason(error)}; free space there") from error
    except duck.DuckError as error:
        raise MachineError(f"{path} cannot be written: {error}; free memory") from error


def read_blocks(path: Path, kind: np.dtype[np.void] = BLOCK) -> Blocks:
    """Return the inverse of `write_blocks`; ResultError when the file is absent or damaged."""
    try:
        packed = duck.content(path)
        return _remembered(packed, kind).copy() if len(packed) <= KEPT_BYTES else _unpacked(packed, kind)
    except (duck.DuckError, OSError) as error:
        why = reason(error) if isinstance(error, OSError) else error
        raise ResultError(f"samples {path} cannot be read: {why}; {next_step(path.parent.parent)}") from error


@functools.lru_cache(maxsize=KEPT_FILES)
def _remembered(packed: bytes, kind: np.dtype[np.void]) -> Blocks:
    """Return `_unpacked`, by the content of a file: tables, audit and figures ask for the same samples."""
    return _unpacked(packed, kind)


def _unpacked(packed: bytes, kind: np.dtype[np.void]) -> Blocks:
    wanted = ", ".join(f'CAST("{name}" AS {SQL[kind[name].itemsize]}) AS "{name}"' for name in kind.names or ())
    columns = duck.read(packed, wanted)
    if any(np.ma.is_masked(column) for column in columns.values()):
        raise duck.DuckError("values are missing")
    blocks = np.empty(len(columns["batch"]), dtype=kind)
    for name, column in columns.items():
        blocks[name] = column
    return blocks


def digest(blocks: Blocks) -> str:
    """Return the SHA-256 of the rows in the layout of their dtype, as in a record: packing a file again keeps it."""
    return hashlib.sha256(np.ascontiguousarray(blocks).tobytes()).hexdigest()


def inside(directory: Path, name: str) -> Path:
    """Return the path of a file of a run, to read or to write; ResultError where a link leads out of its directory."""
    path = directory / name
    if not path.resolve().is_relative_to(directory.resolve()):
        raise ResultError(
            f"samples {path} cannot be used: a link leads out of the run; copy it with its files: cp -rL "
            f"{quote(str(directory))} COPY"
        )
    return path


def refuse_others(path: Path, rows: Blocks, count: int | None, sha256: str) -> None:
    """Raise if the rows are not those of the record.

    count: None, and sha256: "", of records whose version stated none.
    """
    if count is not None and rows.size != count:
        raise exchanged(path, f"have {rows.size} rows, and the record states {count}")
    if sha256 and digest(rows) != sha256:
        raise exchanged(path, "are not those that were measured: their SHA-256 differs")


def exchanged(path: Path, why: str) -> ResultError:
    return ResultError(f"samples {path} {why}: the file was changed or exchanged; {next_step(path.parent.parent)}")


def next_step(directory: Path) -> str:
    """Return what to do about a run that is damaged."""
    return f"copy the run again, or repeat it: tierscope rerun {quote(str(directory))}"
