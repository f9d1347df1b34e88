"""DuckDB, which reads and writes our Parquet files, as we open and quote for it; imported when it is first needed."""

import functools
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tierscope import stops

if TYPE_CHECKING:
    import duckdb


@functools.cache
def store() -> "duckdb.DuckDBPyConnection":
    """One for the process: opening it takes 22 ms, a file 1.4 ms. One thread, since files are small."""
    import duckdb

    return duckdb.connect(config={"threads": 1})


def why(error: Exception) -> str:
    """The first line of what DuckDB says, out of the JSON that it sometimes wraps around it.

    Where nobody holds signals, it makes an error of Ctrl-C, which is none.
    """
    said = str(error)
    if "KeyboardInterrupt" in said or type(error).__name__ == "InterruptException":
        raise KeyboardInterrupt from error
    if said.startswith("{"):
        with suppress(ValueError, KeyError):
            said = str(json.loads(said)["exception_message"])
    return (said.strip() or type(error).__name__).splitlines()[0]


def parquet(columns: Mapping[str, Any], what: str = "*") -> bytes:
    """Return a Parquet file, zstd, of equally long columns; DuckDB writes into a file that has no name.

    So the disk is written by us alone, and a full one is told as that. duckdb.Error or RuntimeError as DuckDB puts it.

    what: SQL expressions of the columns.
    """
    handle = os.memfd_create("tierscope-parquet", os.MFD_CLOEXEC)
    try:
        with stops.held():
            store().register("given", dict(columns))
            try:
                store().execute(
                    f"COPY (SELECT {what} FROM given) TO '/proc/self/fd/{handle}' "
                    "(FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)"
                )
            finally:
                store().unregister("given")
        return b"".join(iter(lambda: os.read(handle, 1 << 24), b""))
    finally:
        os.close(handle)


def quoted(path: Path) -> str:
    """As SQL text; absolute, since DuckDB would take a `~` for the home directory."""
    return "'" + str(path.absolute()).replace("'", "''") + "'"
