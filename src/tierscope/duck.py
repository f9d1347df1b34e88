"""DuckDB, which reads and writes our Parquet files; imported when it is first needed.

DuckDB takes a path for a pattern: `*`, `?` and `[` in the name of a folder would read the files of its neighbours. So
no path reaches it. Each file is read or written here, and DuckDB is given a file in memory by its number.
"""

import functools
import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tierscope import stops

if TYPE_CHECKING:
    import duckdb


class DuckError(Exception):
    """The reason why DuckDB could not read or write, in one line, without the name of the file."""


@functools.cache
def store() -> "duckdb.DuckDBPyConnection":
    """Return the one connection of the process, with one thread: opening it takes 22 ms, and files take 1.4 ms."""
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    with suppress(duckdb.Error):  # unknown before 1.3; the number of an open file names many files, one after another
        connection.execute("SET enable_external_file_cache = false")
    return connection


def why(error: Exception) -> str:
    """Return the first line of DuckDB's message, without the JSON that DuckDB sometimes wraps around it.

    Where signals are not delayed (`stops`), DuckDB reports Ctrl-C as an error. It is not one.
    """
    said = str(error)
    if "KeyboardInterrupt" in said or type(error).__name__ == "InterruptException":
        raise KeyboardInterrupt from error
    if said.startswith("{"):
        with suppress(ValueError, KeyError):
            said = str(json.loads(said)["exception_message"])
    return (said.strip() or type(error).__name__).splitlines()[0]


def parquet(columns: Mapping[str, Any], select: str = "*") -> bytes:
    """Return a Parquet file, zstd, of equally long columns; OSError or DuckError where that cannot be.

    DuckDB writes into a file in memory that has no name, so the disk is written by us alone.

    select: SQL expressions of the columns.
    """
    import duckdb

    handle = os.memfd_create("tierscope-parquet", os.MFD_CLOEXEC)
    how = "FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false"
    try:
        with stops.held():
            store().register("given", dict(columns))
            try:
                store().execute(f"COPY (SELECT {select} FROM given) TO '{_named(handle)}' ({how})")
            finally:
                store().unregister("given")
        return _whole(handle)
    except (duckdb.Error, RuntimeError) as error:
        raise DuckError(_unnamed(why(error), handle)) from error
    finally:
        os.close(handle)


def content(path: Path) -> bytes:
    """Return the content of a regular file; OSError or DuckError where there is none, and another may block."""
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise DuckError("it is not a regular file")
        return _whole(number)
    finally:
        os.close(number)


def read(packed: bytes, columns: str) -> dict[str, Any]:
    """Return these columns (SQL) of a Parquet file, each an array; OSError or DuckError where that cannot be.

    packed: the content of the file, which DuckDB finds in a file in memory.
    """
    import duckdb

    handle = os.memfd_create("tierscope-parquet", os.MFD_CLOEXEC)
    try:
        with os.fdopen(os.dup(handle), "wb") as file:
            file.write(packed)
        with stops.held():
            found = store().execute(f"SELECT {columns} FROM read_parquet('{_named(handle)}')").fetchnumpy()
    except (duckdb.Error, RuntimeError) as error:
        raise DuckError(_unnamed(why(error), handle)) from error
    finally:
        os.close(handle)
    return dict(found)


def _whole(number: int) -> bytes:
    """Return what is left of an open file."""
    return b"".join(iter(lambda: os.read(number, 1 << 24), b""))


def _named(number: int) -> str:
    """Return the path of an open file, by its number."""
    folder = "/proc/self/fd" if Path("/proc/self/fd").is_dir() else "/dev/fd"
    return f"{folder}/{number}"


def _unnamed(text: str, number: int) -> str:
    """Return the text without our name of the file, which means nothing to a reader."""
    for before in (" from file ", " file ", " in ", " "):
        for quote in ("'", '"'):
            text = text.replace(f"{before}{quote}{_named(number)}{quote}", before.rstrip() if "file" in before else "")
    return text
