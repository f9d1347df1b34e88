"""The folded store of a fleet: Parquet by DuckDB below `store/`, each day listed by one record that is replaced whole.

A reader opens the files that the records list, and nothing else; so a fold that was killed leaves no trace, and a new
fold of a day appears in one step. Files are named by the digest of what they were made from. Tables: `rows` of a day
and SKU: one number of one session; `scores` of a day: one session of one host; `peers` of a day: one metric of one
group.
"""

import os
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import msgspec

from tierscope import duck
from tierscope.errors import ResultError, reason
from tierscope.files import sweep, write_atomically
from tierscope.fleet.folder import STORE
from tierscope.fleet.outliers_result import Listed

SCHEMA = 2  # 2: days are of plans whatever an earlier version called them (`same_plan`)
SPILL = "spill"  # of what does not fit into memory; DuckDB removes it
MEMORY = "1200MB"  # below the goal of 2 GiB for the process


class DayRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The reports that the fold of one day read, made and set aside. `digest`: of the names, sizes and times of the
    reports.

    cloned: machine identities that several hosts share, on this day or before; a host keeps its own name as part of
    them when the other is silent.
    """

    schema: int
    day: str
    digest: str
    reports: int
    files: dict[str, tuple[str, ...]]  # table -> paths below store/
    listed: tuple[Listed, ...] = ()
    cloned: tuple[str, ...] = ()


class MonthRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The compacted rows of a month, sorted for histories. `days`: day -> digest of its fold."""

    schema: int
    month: str
    days: dict[str, str]
    files: tuple[str, ...]


class Store:
    """The store of one fleet's directory; a context manager, since it has a folder open."""

    def __init__(self, directory: Path) -> None:
        import duckdb

        self.root = directory / STORE
        self.root.mkdir(parents=True, exist_ok=True)
        self._folder = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._base = f"/proc/self/fd/{self._folder}"  # the user's path may contain `*`, which DuckDB would expand
        spill = str(self.root / SPILL)  # its default is the folder in which the user happens to be
        self._duck = duckdb.connect(config={"threads": 2, "memory_limit": MEMORY, "temp_directory": spill})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._duck.close()
        os.close(self._folder)

    def write(self, path: str, columns: Mapping[str, Any], order: str) -> None:
        """Write one Parquet file below the store, whole; the columns are equally long arrays."""
        self._duck.register("given", dict(columns))
        try:
            self.copy(path, f"SELECT * FROM given ORDER BY {order}")
        finally:
            self._duck.unregister("given")

    def copy(self, path: str, select: str) -> None:
        """Write what a query returns as one Parquet file below the store, whole; ResultError if it cannot be."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        sweep(place.parent)
        part = f"{Path(path).parent}/.tierscope-{secrets.token_hex(8)}.part"
        how = f"FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false, KV_METADATA {{tierscope_fleet: '{SCHEMA}'}}"
        try:
            self._run(f"COPY ({select}) TO '{self._base}/{part}' ({how})")
            with open(self.root / part, "rb") as written:
                os.fsync(written.fileno())
            os.replace(self.root / part, place)
        finally:
            with suppress(OSError):
                (self.root / part).unlink()

    def query(self, sql: str, table: Iterable[str]) -> dict[str, Any]:
        """Return the columns of a query over these files, which it names `{files}`; arrays of equal length."""
        return dict(self._run(sql.format(files=self.source(table))).fetchnumpy())

    def source(self, paths: Iterable[str]) -> str:
        """Return the SQL that reads these files as one table; a column that an older schema lacks is null."""
        listed = ", ".join(f"'{self._base}/{path}'" for path in paths)
        return f"read_parquet([{listed}], union_by_name = true, hive_partitioning = false)"

    def _run(self, sql: str) -> Any:
        import duckdb

        try:
            return self._duck.execute(sql)
        except duckdb.Error as error:
            raise ResultError(f"{self.root}: {duck.why(error).replace(self._base, '...')}; delete that directory and "
                              "run tierscope fleet collect again") from error  # fmt: skip

    def days(self) -> dict[str, DayRecord]:
        """Return the folded days in order; ResultError for a record of a later version."""
        found = {}
        for path in sorted((self.root / "days").glob("*.json")):
            record = _read(path, DayRecord)
            if record.schema > SCHEMA:
                raise ResultError(f"{path} has schema {record.schema}, this version reads up to {SCHEMA}; "
                                  "use the newer Tierscope")  # fmt: skip
            found[record.day] = record
        return found

    def months(self) -> dict[str, MonthRecord]:
        """Return the compacted months whose days are folded as they were then."""
        days, found = self.days(), {}
        for path in sorted((self.root / "months").glob("*.json")):
            record = _read(path, MonthRecord)
            now = {day: one.digest for day, one in days.items() if day.startswith(record.month)}
            if record.days == now and record.schema <= SCHEMA:
                found[record.month] = record
        return found

    def row_files(self) -> tuple[str, ...]:
        """Return the files with every row once: compacted months, and the days that no month covers."""
        months = self.months()
        days = [one for day, one in self.days().items() if day[:7] not in months]
        return tuple(path for files in (*(one.files for one in months.values()),
                                        *(one.files.get("rows", ()) for one in days)) for path in files)  # fmt: skip

    def keep(self, record: DayRecord | MonthRecord) -> None:
        """Replace the record of a day or a month: from here on its files are read, and no others."""
        name = f"days/{record.day}.json" if isinstance(record, DayRecord) else f"months/{record.month}.json"
        (self.root / name).parent.mkdir(exist_ok=True)
        write_atomically(self.root / name, msgspec.json.encode(record))

    def forget(self, paths: Iterable[str]) -> None:
        """Remove files that no record lists any more."""
        for path in paths:
            with suppress(OSError):
                (self.root / path).unlink()


def literal(text: object) -> str:
    """Return a text as a word of SQL for `Store.query`, which also formats it."""
    return "'" + str(text).replace("'", "''").replace("{", "{{").replace("}", "}}") + "'"


def _read(path: Path, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError) as error:
        told = reason(error) if isinstance(error, OSError) else str(error)
        raise ResultError(f"{path} cannot be read: {told}; delete it and run tierscope fleet collect") from error
