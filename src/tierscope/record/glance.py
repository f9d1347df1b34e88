"""A run without its records: enough for a command whose numbers are stored.

The head is decoded and the records are skipped, which takes an eighth of the time. The bytes of the whole file make the
digest, under which judgements are stored. Whoever needs records asks for the whole run, and gets the errors of `load`.
"""

import hashlib
from pathlib import Path

import msgspec

from tierscope.errors import ResultError
from tierscope.record.machine import Machine
from tierscope.record.origin import ORIGINS
from tierscope.record.result import SCHEMA, Finding, Run, load
from tierscope.record.stored import content_of, digest_of, directory_of


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """Fields of `Result` with the same names and types."""

    schema: int
    suite: str
    origin: str
    origin_by: str = ""
    machine: Machine
    started: str
    complete: bool
    findings: tuple[Finding, ...] = ()


class Glance(msgspec.Struct, frozen=True, kw_only=True):
    """The directory of a run, the head of its result, and the SHA-256 of `result.json`."""

    path: Path
    result: Head
    digest: str

    def whole(self) -> Run:
        """Return the run with its records; raise ResultError as `load` does, and if the file has changed since."""
        run = load(self.path)
        if digest_of(run.result) != self.digest:
            raise ResultError(f"{self.path}/result.json was replaced while it was read; try again when the run is done")
        return run


Seen = Run | Glance
"""The input of a reader that needs only the head of a run, and the whole run if nothing is stored."""


def glance(path: Path) -> Seen:
    """Return the run without its records; the whole run, or the error of `load`, where the head is not enough.

    That is so for a head that is damaged or of another schema, and for a run that is not complete.
    """
    directory = directory_of(path)
    content = content_of(directory / "result.json")
    try:
        head = msgspec.json.decode(content, type=Head)
    except (ValueError, RecursionError):
        return load(path)
    if head.schema != SCHEMA or not head.complete or head.origin not in ORIGINS:
        return load(path)
    return Glance(path=directory, result=head, digest=hashlib.sha256(content).hexdigest())


def whole(seen: Seen) -> Run:
    """Return the run with its records; ResultError as `load`."""
    return seen.whole() if isinstance(seen, Glance) else seen


def content_digest(seen: Seen) -> str:
    """Return the digest of the result, see `record.stored`."""
    return seen.digest if isinstance(seen, Glance) else digest_of(seen.result)
