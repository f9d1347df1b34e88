"""The bytes of stored documents, and the digest of those that an object was read from or would be written as.

The digest names the content of a result without decoding it. Results of equal digests are equal for one version of the
program. JSON with other spaces has another digest, though the result is the same.
"""

import hashlib
from pathlib import Path
from shlex import quote
from typing import Any
from weakref import ref

import msgspec

from tierscope.errors import ResultError, reason
from tierscope.record.samples import next_step


def directory_of(path: Path) -> Path:
    """Return the run directory that a user means by it or by its `result.json`."""
    return path.parent if path.name == "result.json" else path


def content_of(path: Path) -> bytes:
    """Return the bytes of a stored file; raise ResultError with a next step where it cannot be read."""
    if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe would block, a device have no end
        raise ResultError(f"{path} cannot be read: it is not a regular file; {next_step(path.parent)}")
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        begun = path.name != "manifest.json" and (path.parent / "manifest.json").is_file()
        step = f"continue with: tierscope resume {quote(str(path.parent))}" if begun else "try one below runs/"
        if not path.parent.exists():
            raise ResultError(f"{path.parent} does not exist; {step}") from error
        raise ResultError(f"{path.parent} is not a run directory: it has no {path.name}; {step}") from error
    except OSError as error:
        raise ResultError(f"{path} cannot be read: {reason(error)}") from error


def pretty(value: Any) -> bytes:
    """Return the stored JSON of a document."""
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


_digests: dict[int, tuple[ref[Any], str]] = {}


def digest_of(document: Any) -> str:
    """Return the SHA-256 of the bytes that a document was read from, else of those that it would be stored as.

    document: a frozen struct with `weakref=True`; a changed one is another object, whose digest is its own.
    """
    known = _digests.get(id(document))
    return known[1] if known and known[0]() is document else remember(document, pretty(document))


def remember(document: Any, content: bytes) -> str:
    """Return the digest of the bytes of a document, and remember it for as long as the document exists."""
    number, found = id(document), hashlib.sha256(content).hexdigest()
    _digests[number] = ref(document, lambda _: _digests.pop(number, None)), found
    return found
