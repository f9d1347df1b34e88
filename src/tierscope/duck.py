"""DuckDB, which reads and writes our Parquet files, as we open and quote for it; imported when it is first needed."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


@functools.cache
def store() -> "duckdb.DuckDBPyConnection":
    """One for the process: opening it takes 22 ms, a file 1.4 ms. One thread, since files are small."""
    import duckdb

    return duckdb.connect(config={"threads": 1})


def why(error: Exception) -> str:
    """The first line of what DuckDB says. It makes an error of Ctrl-C, which is none."""
    if "KeyboardInterrupt" in str(error):
        raise KeyboardInterrupt from error
    return str(error).splitlines()[0]


def quoted(path: Path) -> str:
    """As SQL text; absolute, since DuckDB would take a `~` for the home directory."""
    return "'" + str(path.absolute()).replace("'", "''") + "'"
