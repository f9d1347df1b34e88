"""The judgements of a run, stored next to its samples: rows of tables, and other results of all blocks.

    RUN/judged.msgpack         written by the command that measures, before it ends
    CACHE/judged/KEY.msgpack   written by commands that read a run which has none, or one that is stale

The key is the digest of everything behind a judgement: the bytes of `result.json` (its schema, the options of judging,
the machine) and the code that judges. So a judgement is found without decoding the records, and a run whose head alone
was read (`record.glance`) has its numbers from there. A stale or damaged file counts as no file: the samples are
judged, and they alone decide. A value is stored only if it comes back bit for bit (`faithful`). A file that cannot be
read or written raises no error here; `anew` ignores all that is stored.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tierscope.errors import TierscopeError
from tierscope.files import cache_folder
from tierscope.record.glance import Head, Seen, content_digest, whole
from tierscope.record.result import Result, Run
from tierscope.tables import kept_file
from tierscope.tables.code import code
from tierscope.tables.faithful import FAULTS, packed, unpacked

NAME = "judged.msgpack"
MOST_FILES = 1024  # in the cache, some 50 KB each; from there on the oldest half goes
MOST_RUNS = 16  # remembered by a process: a history needs each of its runs once

T = TypeVar("T")


@dataclass(slots=True)
class _Known:
    """The knowledge of a process about a run. `made`: whether a part is in no file yet."""

    result: Result | Head
    key: str
    parts: dict[str, bytes] = field(default_factory=dict)
    made: bool = False


_known: dict[Path, _Known] = {}
_measured: set[Path] = set()
_ignored: list[bool] = []


def recall(run: Seen, part: str, kinds: Sequence[type], make: Callable[[Run], T]) -> T:
    """Return a part of a complete run's judgement as stored; if none is stored, what `make` makes of the samples.

    run: its head is enough where the part is stored, else its records are read for `make`. part: its name. kinds: the
    classes of the objects in what `make` returns. ResultError where the records cannot be read.
    """
    known = _of(run) if run.result.complete and not _ignored else None
    if known is None:
        return make(whole(run))
    if part in known.parts:
        with suppress(*FAULTS, TierscopeError):
            found: T = unpacked(known.parts[part], kinds)
            return found
    complete = whole(run)
    known.result = complete.result  # what `make` recalls of it is of the same reading
    made = make(complete)
    with suppress(*FAULTS):
        known.parts[part], known.made = packed(made, kinds), True
    return made


def keep(run: Seen) -> None:
    """Store what was made since; next to the samples if this process measured the run, else in the user's cache."""
    known = _known.get(run.path.absolute())
    if known is None or not known.made or known.key != key_of(run):
        return
    known.made = False
    with suppress(OSError, TierscopeError):  # a full disk, a folder of somebody else
        if path := _place(run, known.key):
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.name != NAME:
                _make_space(path.parent)
            kept_file.write(path, run.path, known.key, known.parts)


def measured_here(path: Path) -> None:
    """State that this process measured the run in the directory `path`, which it may write into."""
    _measured.add(path.absolute())


@contextmanager
def anew() -> Iterator[None]:
    """Judge the samples inside of this block, whatever is stored, and store nothing."""
    _ignored.append(True)
    try:
        yield
    finally:
        _ignored.pop()


def stored(run: Seen) -> dict[str, bytes]:
    """Return the parts that fit this run, its samples and this program; {} where none do."""
    key = key_of(run)
    return _stored(run, key) if key else {}


def _stored(run: Seen, key: str) -> dict[str, bytes]:
    beside = kept_file.read(run.path / NAME, run.path, key)
    if beside is not None:
        return beside
    cached = _cached(key)
    return (kept_file.read(cached, run.path, key) if cached else None) or {}


def _of(run: Seen) -> _Known | None:
    """Return what is known of a run; None where its judgement has no key."""
    path, key = run.path.absolute(), key_of(run)
    if key is None:
        return None
    known = _known.get(path)
    if known is None or known.result is not run.result or known.key != key:
        _known.pop(path, None)
        while len(_known) >= MOST_RUNS:
            del _known[next(iter(_known))]
        known = _known[path] = _Known(run.result, key, _stored(run, key))
    return known


def _place(run: Seen, key: str) -> Path | None:
    return run.path / NAME if run.path.absolute() in _measured else _cached(key)


def _cached(key: str) -> Path | None:
    """Return the file in the user's cache: runs of equal results have equal samples, wherever they are located."""
    root = cache_folder()
    return None if root is None else root / "judged" / f"{key[:32]}.msgpack"


def key_of(run: Seen) -> str | None:
    """Return the key of a run's judgement; None where the code has none."""
    judging = code()
    return None if judging is None else hashlib.sha256(f"{judging} {content_digest(run)}".encode()).hexdigest()


def _make_space(folder: Path) -> None:
    files = list(folder.glob("*.msgpack"))
    if len(files) >= MOST_FILES:
        for file in sorted(files, key=lambda file: file.stat().st_mtime_ns)[: MOST_FILES // 2]:
            file.unlink(missing_ok=True)
