"""DuckDB, which reads and writes our Parquet files; imported when it is first needed.

DuckDB takes a path for a pattern: `*`, `?` and `[` in the name of a folder would read the files of its neighbours. So
no path reaches it. Each file is opened here, and DuckDB is given the open file by its number.
"""

import functools
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb


class DuckError(Exception):
    """What DuckDB could not read or write, in one line, without the name of the file."""


@functools.cache
def store() -> "duckdb.DuckDBPyConnection":
    """One for the process: opening it takes 22 ms, a file 1.4 ms. One thread, since files are small."""
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    with suppress(duckdb.Error):  # unknown before 1.3; the number of an open file names many files, one after another
        connection.execute("SET enable_external_file_cache = false")
    return connection


def why(error: Exception) -> str:
    """The first line of what DuckDB says. It makes an error of Ctrl-C, which is none."""
    if "KeyboardInterrupt" in str(error):
        raise KeyboardInterrupt from error
    return str(error).splitlines()[0]


def read(path: Path, columns: str) -> dict[str, Any]:
    """Return these columns (SQL) of a Parquet file, each an array; OSError or DuckError where that cannot be.

    Only a regular file is read: another would block, or have no end.
    """
    import duckdb

    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise DuckError("it is not a regular file")
        found = store().execute(f"SELECT {columns} FROM read_parquet('{_named(number)}')").fetchnumpy()
    except (duckdb.Error, RuntimeError) as error:
        raise DuckError(_unnamed(why(error), number)) from error
    finally:
        os.close(number)
    return dict(found)


def write(path: Path, columns: Mapping[str, Any], select: str = "*") -> None:
    """Write arrays as a new Parquet file, zstd, flushed to the disk; OSError or DuckError where that cannot be.

    The file must not be there yet: what another left under its name, a link among them, is never written to.
    """
    import duckdb

    number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        connection = store()
        connection.register("columns", dict(columns))
        try:
            how = "FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false"
            connection.execute(f"COPY (SELECT {select} FROM columns) TO '{_named(number)}' ({how})")
        finally:
            connection.unregister("columns")
        os.fsync(number)
    except (duckdb.Error, RuntimeError) as error:
        raise DuckError(_unnamed(why(error), number)) from error
    finally:
        os.close(number)


def _named(number: int) -> str:
    """The path of an open file, by its number."""
    folder = "/proc/self/fd" if Path("/proc/self/fd").is_dir() else "/dev/fd"
    return f"{folder}/{number}"


def _unnamed(text: str, number: int) -> str:
    """Without our name of the file, which means nothing to a reader."""
    for before in (" from file ", " file ", " in ", " "):
        for quote in ("'", '"'):
            text = text.replace(f"{before}{quote}{_named(number)}{quote}", before.rstrip() if "file" in before else "")
    return text
