"""Main numbers of a run, kept once it was judged: to judge all its blocks again takes half a second or more.

They lie in the user's cache folder, not beside the samples: reading a run writes nothing into it, and a run that comes
from others brings no numbers that its samples do not show. What names a file is the digest of all that its numbers
come from: the result, the sizes and times of the files of samples, and the program's own code.
Blind to samples that were changed without a change of their size and their time.
"""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

import tierscope
from tierscope.errors import TierscopeError
from tierscope.files import cache_folder, write_atomically
from tierscope.record.result import Run
from tierscope.tables import tables

MOST = 4096  # files, some 10 KB each; from there on the oldest half goes


class Number(msgspec.Struct, frozen=True):
    """The main number of a point in one run; bounds are the number itself where there is no interval."""

    value: float
    low: float
    high: float
    conclusive: bool
    footprint: float | None = None  # bytes; None where the point has none


Numbers = dict[str, dict[str, Number]]
"""Measure -> point in words -> its main number."""


def kept(run: Run, judge: Callable[[Run], Numbers]) -> Numbers:
    """Return the numbers that `judge` gives for the run, from the cache where it gave them before."""
    path = _path(run)
    if path is None:
        return judge(run)
    with suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(path.read_bytes(), type=Numbers)
    numbers = judge(run)
    with suppress(OSError, TierscopeError):  # a full disk, a home that cannot be written: it is judged again next time
        path.parent.mkdir(parents=True, exist_ok=True)
        _make_room(path.parent)
        write_atomically(path, msgspec.json.encode(numbers))
    return numbers


def _path(run: Run) -> Path | None:
    """Return where the numbers are kept; None where there is no such folder."""
    root = cache_folder()
    if root is None:
        return None
    try:
        files = sorted((run.path / "samples").glob("*"))
        stats = [(file.name, (stat := file.stat()).st_size, stat.st_mtime_ns) for file in files]
        found = hashlib.sha256(f"{_code()} {stats}".encode() + msgspec.json.encode(run.result))
    except OSError:
        return None
    return root / "numbers" / f"{found.hexdigest()[:32]}.json"


@cache
def _code() -> str:
    """Return the digest of all modules, those of tables that other packages bring included."""
    package = Path(tierscope.__file__).parent
    found = hashlib.sha256()
    for path in sorted({*package.rglob("*.py"), *(tables[name].file for name in tables)}):
        found.update(path.read_bytes())
    return found.hexdigest()


def _make_room(folder: Path) -> None:
    files = list(folder.glob("*.json"))
    if len(files) >= MOST:
        for file in sorted(files, key=lambda file: file.stat().st_mtime_ns)[: MOST // 2]:
            file.unlink(missing_ok=True)
