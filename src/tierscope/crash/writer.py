"""The writer, run behind the library that sees its flushes and fences; every run starts from the same file."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import msgspec

from tierscope import core
from tierscope.crash.asked import Asked, Counts
from tierscope.crash.images import copy_sparse
from tierscope.crash.processes import run
from tierscope.errors import CoreError, MachineError, UsageError

FAULT = 70  # with which the library ends a writer whose images it cannot write
PMDK = {"PMEM_IS_PMEM_FORCE": "1", "PMEMOBJ_CONF": "sds.at_create=0"}
"""Flush by lines on any file system, and no counter of unsafe shutdowns; unless set by the user."""


def find_library() -> Path:
    """Return the library next to the core; MachineError if this build has none, or it cannot be preloaded."""
    beside = core.find_shadow()
    if any(letter in str(beside) for letter in " :"):
        raise MachineError(f"{beside} cannot be preloaded: its path has a space or a colon; build in another folder")
    if reason := _refusal(beside):
        raise MachineError(f"{beside} cannot be preloaded: {reason}; run TIERSCOPE_WHEEL=no ./tierscope of a checkout, "
                           "which builds it for this system")  # fmt: skip
    return beside


def _refusal(library: Path) -> str:
    """Return why the dynamic loader ignores the library, such as a glibc that is too old for it; "" if it loads it."""
    environment = {**os.environ, "LD_PRELOAD": str(library), "LC_ALL": "C"}
    environment.pop("TIERSCOPE_SHADOW", None)
    done = subprocess.run([shutil.which("true") or "true"], env=environment, capture_output=True, check=False)
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return next(
        (line for line in lines if library.name in line), f"status {done.returncode}" if done.returncode else ""
    )


def pmdk_environment() -> dict[str, str]:
    return {name: word for name, word in PMDK.items() if name not in os.environ}


class Writer:
    """Runs below a folder of ours: `number` is the run's, and its files are in `folder(number)`."""

    def __init__(self, asked: Asked, place: Path) -> None:
        self._asked, self._place = asked, place
        self._library = find_library()
        self._given = asked.file.exists()
        named = any("{file}" in word for word in asked.writer)
        if self._given and not named:
            raise UsageError(f"{asked.file} exists, and the writer would change it; write {{file}} for it in the "
                             "writer's arguments, and the writer gets a copy")  # fmt: skip
        self.file = place / asked.file.name if named else asked.file
        self._words = [word.replace("{file}", str(self.file)) for word in asked.writer]

    def folder(self, number: int) -> Path:
        return self._place / f"run-{number}"

    def log(self, number: int) -> Path:
        return self._place / f"log-{number}"

    def run_with_cuts(self, number: int, points: tuple[int, ...]) -> Counts:
        """Make images at these fences, also between two stores to one line if the writer can be watched so closely.

        It cannot if the system stores into the file for it (read), or if it blocks all signals.
        """
        try:
            return self.run(number, points, stores=True)
        except UsageError:
            shutil.rmtree(self.folder(number))
            return self.run(number, points)

    def run(self, number: int, points: tuple[int, ...], *, stores: bool = False) -> Counts:
        """Run the writer and return its counts; raise UsageError if it fails, maps no such file, or fences nothing."""
        self.remove()
        if self._given:
            copy_sparse(self._asked.file, self.file)
        folder = self.folder(number)
        folder.mkdir()
        (folder / "plan").write_text(self._plan(points, stores=stores))
        preload = os.environ.get("LD_PRELOAD", "")
        environment = {
            **pmdk_environment(),
            "LD_PRELOAD": f"{self._library}:{preload}" if preload else str(self._library),
            "TIERSCOPE_SHADOW": str(folder),
        }
        ended = run(self._words, environment, self.log(number))
        if ended.status == FAULT and ended.said.startswith("tierscope-shadow: "):
            said = ended.said.removeprefix("tierscope-shadow: ")
            raise MachineError(f"images cannot be made: {said}; images need space next to the file: name one on a "
                               "larger file system, such as /dev/shm, or fewer --points")  # fmt: skip
        if ended.status != 0:
            full = "; is there free space next to the file?" if ended.status == -signal.SIGBUS else ""
            raise UsageError(
                f"the writer {self._words[0]} ended with {ended.how}; it must end with status 0 without a crash{full}"
            )
        return self._counts(folder)

    def remove(self) -> None:
        """Remove the file that the last run left."""
        self.file.unlink(missing_ok=True)

    def _plan(self, points: tuple[int, ...], *, stores: bool) -> str:
        asked = self._asked
        words = {
            "file": self.file.absolute(),
            "seed": asked.seed,
            "drop_flush": asked.drop_flush,
            "drop_fence": asked.drop_fence,
            "stores": int(stores),
            "points": ",".join(map(str, points)),
        }
        return "".join(f"{key}={word}\n" for key, word in words.items())

    def _counts(self, folder: Path) -> Counts:
        if not (folder / "start").exists():
            raise UsageError(f"the writer never mapped {self.file}; name the file that it maps, or {{file}} in its "
                             "arguments; a program that is linked statically, or set-uid, cannot be "
                             "followed")  # fmt: skip
        if (folder / "shared").exists():
            raise UsageError(f"several processes map {self.file}, and only one can be followed; make the file before, "
                             "and name the one that writes as the writer, which must not fork for it")  # fmt: skip
        if not (folder / "counts.json").exists():
            raise UsageError(f"the writer mapped {self.file} and left without exit(); its flushes are not known")
        try:
            counts = msgspec.json.decode((folder / "counts.json").read_bytes(), type=Counts)
        except (msgspec.DecodeError, RecursionError) as error:
            raise CoreError(f"{self._library.name} counts events that this tierscope does not know: {error}; "
                            "install both from one version") from error  # fmt: skip
        if counts.file_fences == 0:
            raise UsageError(f"the writer mapped {self.file} and made no fence by libpmem or msync, so nothing of it "
                             "persists; its own flush instructions are not detected")  # fmt: skip
        return counts
