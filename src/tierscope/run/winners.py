"""The loop variants that searches found on a kind of processor, kept for later runs of this user.

The file is in the user's cache folder and is named by a digest of what its content depends on: the model of the
processor, its microcode, and the sum of the core's bytes. Another processor or core has another file. A search begins
with the kept variant, which stays unless another one is faster here (`run.climb`): a wrong file costs time, and at most
STAYS of the speed. A file that is not what this module writes is refused as a whole, and the run reports it.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path

import msgspec

from tierscope.errors import MachineError, TierscopeError, reason
from tierscope.files import cache_folder, write_atomically
from tierscope.record import warn
from tierscope.record.catalogue import Kernel
from tierscope.record.experiment import Experiment, Target
from tierscope.record.machine import Identity
from tierscope.record.result import Warn
from tierscope.record.work.line import LineWork
from tierscope.run.around import is_variant
from tierscope.run.candidates import Candidate

FORMAT = 1
LARGEST = 1 << 20  # bytes of a file; a variant takes some 200
OLDEST_DAYS = 90  # after that a variant is searched again: systems and hypervisors change

warn.state(variants="the file of kept loop variants is not used: the run searched for its variants itself")


class Winner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One variant, and when a search found it."""

    isa: str
    work: LineWork
    found: date

    @property
    def candidate(self) -> Candidate:
        """Return the variant."""
        return Candidate(self.isa, self.work)


class Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file. key: `of(experiment)`."""

    format: int
    model: str
    microcode: str
    core: str
    winners: dict[str, Winner]


class RefusedError(TierscopeError):
    """A file that is not used, and why."""


class Winners:
    """Variants of one kind of processor. path: of the file; None: they are neither read nor kept."""

    def __init__(self, path: Path | None = None, model: str = "", microcode: str = "", core: str = "") -> None:
        self._path = path
        self._known = Kept(FORMAT, model, microcode, core, {})
        self._today = datetime.now(UTC).date()
        self.refused: Warn | None = None
        if path is not None:
            self._read(path)

    def of(self, experiment: Experiment, entries: Sequence[Kernel]) -> Winner | None:
        """Return the variant that was found for such a group; None where there is none, or only a very old one.

        One that is not a variant of these entries of the catalogue, or has an impossible date, is not used, and a
        warning states it.
        """
        found = self._known.winners.get(key_of(experiment))
        if found is None:
            return None
        days = (self._today - found.found).days
        if not is_variant(found.candidate, entries) or days < 0:
            self._refuse(f"{self._path}: the variant kept for `{key_of(experiment)}` cannot be one that a search found")
            return None
        return None if days > OLDEST_DAYS else found

    def add(self, experiment: Experiment, variant: Candidate) -> None:
        """Keep a variant that a search found, from now on."""
        if self._path is None:
            return
        new = Winner(variant.isa, variant.work, self._today)
        winners = {**self._known.winners, key_of(experiment): new}
        self._known = msgspec.structs.replace(self._known, winners=winners)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, msgspec.json.encode(self._known))
        except (OSError, TierscopeError):  # a folder that cannot be written does not stop a run
            self._path = None

    def _read(self, path: Path) -> None:
        try:
            content = _content(path)
            found = None if content is None else _decoded(path, content)
            if found is None:
                return
            own = self._known
            if (found.format, found.model, found.microcode, found.core) != (FORMAT, own.model, own.microcode, own.core):
                raise RefusedError(f"{path}: it is of another processor, another core or another format")
            self._known = found
        except RefusedError as error:
            self._refuse(str(error))

    def _refuse(self, why: str) -> None:
        step = f"remove it, and it is written again: rm {self._path}"
        self.refused = Warn(code="variants", message=why, next_step=step)


def key_of(experiment: Experiment) -> str:
    """Return what a variant is kept under: all that it depends on, apart from processor and core."""
    last = experiment.groups[-1]
    places = [_place(target) for target in last.targets]
    parts = {
        "kernel": last.workload.kernel, "isa": last.workload.isa or "any", "on": "+".join(places),
        "pages": last.target.pages, "threads": len(last.team.cpus), "groups": len(experiment.groups),
    }  # fmt: skip
    return " ".join(f"{name}={value}" for name, value in parts.items())


def _place(target: Target) -> str:
    return target.word if target.name == "node" else target.name


def winners_file(model: str, microcode: str, core: str) -> Path | None:
    """Return the file of a processor and a core in the user's cache folder; None where there is no such folder."""
    folder = cache_folder()
    digest = hashlib.sha256(repr((FORMAT, model, microcode, core)).encode()).hexdigest()[:16]
    return folder and folder / "variants" / f"{digest}.json"


def winners_of(identity: Identity, core: Callable[[], Path]) -> Winners:
    """Return the variants of this machine; none without a core. core: finds the executable."""
    try:
        path = core()
        found = path.stat()
        total = _sum_of(path, found.st_size, found.st_mtime_ns)
    except (OSError, MachineError):
        return Winners()
    facts = identity.model, identity.microcode, total
    return Winners(winners_file(*facts), *facts)


@lru_cache(maxsize=4)
def _sum_of(path: Path, _size: int, _changed: int) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _content(path: Path) -> bytes | None:
    """Return the bytes of a file of this user; None where there is none; RefusedError for one that may be another's."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RefusedError(f"{path} cannot be read: {reason(error)}") from error
    try:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode) or facts.st_uid != os.geteuid():
            raise RefusedError(f"{path} is not a file of this user")
        with os.fdopen(os.dup(handle), "rb") as file:
            content = file.read(LARGEST + 1)
    finally:
        os.close(handle)
    if len(content) > LARGEST:
        raise RefusedError(f"{path} has more than {LARGEST} bytes, and was not written by Tierscope")
    return content


def _decoded(path: Path, content: bytes) -> Kept:
    try:
        return msgspec.json.decode(content, type=Kept)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, TierscopeError) as error:
        raise RefusedError(f"{path} is damaged: {error}") from error
