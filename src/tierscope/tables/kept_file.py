"""A file of judgements: the judgement, its samples, and whether it still fits them.

    32 bytes    SHA-256 of the rest: damage is found
    the rest    MessagePack of `Stored`

The content depends on the result, the samples and the code alone. A sample is the same if its size is the same; if it
was changed later than the file of judgements, as by a copy, its digest must be the same, too.
Blind to samples that were changed without a change of size, and got an older time than the judgement.
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path

import msgspec

from tierscope.files import write_atomically

DIGEST = 32  # bytes


class Sample(msgspec.Struct, frozen=True, array_like=True):
    """A file of samples as it was judged."""

    name: str
    size_bytes: int
    digest: str  # SHA-256 of its bytes


class Stored(msgspec.Struct, frozen=True):
    """One file of judgements."""

    key: str
    samples: tuple[Sample, ...]
    parts: dict[str, bytes]  # by name


def write(path: Path, directory: Path, key: str, parts: dict[str, bytes]) -> None:
    """Replace a file of judgements of the run in `directory`; OSError where it or a sample is out of reach."""
    samples = tuple(_sample(directory / "samples" / name) for name in sorted(_listed(directory)))
    content = msgspec.msgpack.encode(Stored(key, samples, dict(sorted(parts.items()))))
    write_atomically(path, hashlib.sha256(content).digest() + content)


def read(path: Path, directory: Path, key: str) -> dict[str, bytes] | None:
    """Return the parts of a file; None where it is absent, damaged, or of another key or other samples."""
    with suppress(OSError, msgspec.MsgspecError):
        if path.is_file():  # a pipe would block
            written_ns = path.stat().st_mtime_ns
            content = path.read_bytes()
            if hashlib.sha256(content[DIGEST:]).digest() == content[:DIGEST]:
                stored = msgspec.msgpack.decode(content[DIGEST:], type=Stored)
                if stored.key == key and _fit(directory, stored.samples, written_ns):
                    return stored.parts
    return None


def _fit(directory: Path, samples: tuple[Sample, ...], written_ns: int) -> bool:
    there = _listed(directory)
    if there.keys() != {one.name for one in samples}:
        return False
    for one in samples:
        size, changed_ns = there[one.name]
        if size != one.size_bytes:
            return False
        if changed_ns >= written_ns and _sample(directory / "samples" / one.name) != one:
            return False
    return True


def _listed(directory: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of the last change of each file of samples."""
    try:
        with os.scandir(directory / "samples") as entries:
            stats = [(entry.name, entry.stat()) for entry in entries]
    except FileNotFoundError:  # of a run without any record
        return {}
    return {name: (stat.st_size, stat.st_mtime_ns) for name, stat in stats}


def _sample(path: Path) -> Sample:
    content = path.read_bytes()
    return Sample(path.name, len(content), hashlib.sha256(content).hexdigest())
