"""What was judged of a run, stored beside its samples: rows of tables, and what else is made of all blocks.

    RUN/judged.msgpack         written by the command that measures, before it ends
    CACHE/judged/KEY.msgpack   written by commands that read a run which has none, or one that is stale

A file states the key of all that its parts come from, and the samples that they were made of:

    key = digest of the result (its schema, the options of judging, the machine) and of the code that judges

A file of samples is the same if its size and its time are, else if its digest is: copies have other times. Anything
else is stale, and what is damaged does not fit its own digest. Both are as if there were no file: the samples are
judged, and they alone decide. Nothing here raises an error because of a file that cannot be read or written.
Blind to samples that were changed without a change of their size and their time; `anew` ignores all that is stored.
Source: freedesktop.org, XDG Base Directory Specification 0.8, 2021 ($XDG_CACHE_HOME).
"""

import functools
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from tierscope.errors import TierscopeError
from tierscope.files import write_atomically
from tierscope.record.result import Result, Run
from tierscope.tables.code import code

NAME = "judged.msgpack"
DIGEST = 32  # bytes in front of a file, the SHA-256 of the rest
MOST_FILES = 1024  # in the cache, some 50 KB each; from there on the oldest half goes
MOST_RUNS = 16  # remembered by a process: a history needs each of its runs once

NO_PART = (msgspec.MsgspecError, TierscopeError, TypeError, OverflowError)
"""What a part ends with that MessagePack cannot represent, or that is of another form: it is made of the samples."""

T = TypeVar("T")


class Sample(msgspec.Struct, frozen=True, array_like=True):
    """A file of samples as it was judged."""

    name: str
    size_bytes: int
    time_ns: int  # of its last change
    digest: str  # SHA-256 of its bytes


class Stored(msgspec.Struct, frozen=True):
    """One file of judgements."""

    key: str
    samples: tuple[Sample, ...]
    parts: dict[str, bytes]  # by name, each as MessagePack


@dataclass(slots=True)
class _Known:
    """What a process knows of a run. `made`: whether a part is in no file yet."""

    result: Result
    parts: dict[str, bytes] = field(default_factory=dict)
    made: bool = False


_known: dict[Path, _Known] = {}
_measured: set[Path] = set()
_ignored: list[bool] = []


def recall(run: Run, part: str, kind: Any, make: Callable[[], T]) -> T:
    """Return a part of a complete run's judgement as it is stored; what `make` makes of the samples where none is.

    part: its name; kind: the type of what `make` returns, which MessagePack can represent, else it is not stored.
    """
    if not run.result.complete or _ignored:
        return make()
    known = _of(run)
    if part in known.parts:
        with suppress(*NO_PART):
            found: T = _decoder(kind).decode(known.parts[part])
            return found
    made = make()
    with suppress(*NO_PART):
        packed = msgspec.msgpack.encode(made, enc_hook=_plain)
        again: T = _decoder(kind).decode(packed)  # a whole number among floats is one, now as later
        known.parts[part], known.made = packed, True
        return again
    return made


def keep(run: Run) -> None:
    """Store what was made since; beside the samples if this process measured the run, else in the user's cache."""
    known = _known.get(run.path.absolute())
    if known is None or known.result is not run.result or not known.made:
        return
    known.made = False
    with suppress(OSError, RuntimeError, TierscopeError):  # no home, a full disk, a folder of somebody else
        samples = tuple(_sample(run.path / "samples" / name) for name in sorted(_listed(run.path)))
        packed = msgspec.msgpack.encode(Stored(_key(run.result), samples, known.parts))
        path = _place(run)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.name != NAME:
            _make_space(path.parent)
        write_atomically(path, hashlib.sha256(packed).digest() + packed)


def put(run: Run, parts: dict[str, bytes]) -> None:
    """Store parts beside the samples that were made of equal samples elsewhere, as a benchmark's copies need them."""
    measured_here(run.path)
    _known[run.path.absolute()] = _Known(run.result, dict(parts), made=True)
    keep(run)


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


def stored(run: Run) -> dict[str, bytes]:
    """Return the parts that fit this run, its samples and this program; {} where none do."""
    with suppress(OSError, RuntimeError):
        names = [run.path / NAME]
        if (cache := cache_folder()).is_dir():
            names.append(cache / _cached_name(run))
        for path in names:
            found = _read(path)
            if found and found.key == _key(run.result) and _fit(run.path, found.samples):
                return dict(found.parts)
    return {}


def cache_folder() -> Path:
    """Return where judgements of runs are kept that other processes measured; RuntimeError where there is no home."""
    folder = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (folder if folder.is_absolute() else Path.home() / ".cache") / "tierscope" / "judged"


def _of(run: Run) -> _Known:
    path = run.path.absolute()
    known = _known.get(path)
    if known is None or known.result is not run.result:
        _known.pop(path, None)
        while len(_known) >= MOST_RUNS:
            del _known[next(iter(_known))]
        known = _known[path] = _Known(run.result, stored(run))
    return known


def _place(run: Run) -> Path:
    return run.path / NAME if run.path.absolute() in _measured else cache_folder() / _cached_name(run)


def _cached_name(run: Run) -> str:
    """Runs of equal results have equal samples, wherever they are located."""
    return f"{_key(run.result)[:32]}.msgpack"


def _read(path: Path) -> Stored | None:
    """Return the content of a file; None where it is absent, damaged, or nothing that a program wrote."""
    with suppress(OSError, msgspec.MsgspecError):
        if path.is_file():
            content = path.read_bytes()
            if hashlib.sha256(content[DIGEST:]).digest() == content[:DIGEST]:
                return msgspec.msgpack.decode(content[DIGEST:], type=Stored)
    return None


def _fit(directory: Path, samples: tuple[Sample, ...]) -> bool:
    there = _listed(directory)
    if there.keys() != {one.name for one in samples}:
        return False
    for one in samples:
        size, time = there[one.name]
        if size != one.size_bytes:
            return False
        if time != one.time_ns and _sample(directory / "samples" / one.name).digest != one.digest:
            return False
    return True


def _listed(directory: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of each file of samples."""
    try:
        with os.scandir(directory / "samples") as entries:
            stats = [(entry.name, entry.stat()) for entry in entries]
    except FileNotFoundError:  # of a run without any record
        return {}
    return {name: (stat.st_size, stat.st_mtime_ns) for name, stat in stats}


def _sample(path: Path) -> Sample:
    stat = path.stat()
    return Sample(path.name, stat.st_size, stat.st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())


_keys: list[tuple[Result, str]] = []


def _key(result: Result) -> str:
    """Return the key of a result; the last one is remembered, since it is asked for several times."""
    if not _keys or _keys[0][0] is not result:
        digest = hashlib.sha256(f"{code()} ".encode() + msgspec.msgpack.encode(result)).hexdigest()
        _keys[:] = [(result, digest)]
    return _keys[0][1]


@functools.cache
def _decoder(kind: Any) -> "msgspec.msgpack.Decoder[Any]":
    return msgspec.msgpack.Decoder(kind)


def _plain(value: Any) -> Any:
    """Return a number of numpy as Python's own; TypeError for anything else."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be stored")


def _make_space(folder: Path) -> None:
    files = list(folder.glob("*.msgpack"))
    if len(files) >= MOST_FILES:
        for file in sorted(files, key=lambda file: file.stat().st_mtime_ns)[: MOST_FILES // 2]:
            file.unlink(missing_ok=True)
