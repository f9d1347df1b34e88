"""Where a core process is started: LOCAL is this machine; the folder `remote` has one for another machine.

All else about a core is the same wherever it runs: the words of a question, the lines of a session, the samples.
"""

import os
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from tierscope.errors import MachineError, reason
from tierscope.files import nameless

Find = Callable[[], Path]
"""Returns the executable of a core on this machine; MachineError where there is none."""
Answer = TypeVar("Answer")
LAST_WORDS_BYTES = 1 << 16  # of a core that died: a sanitizer's whole report


class Asked(NamedTuple):
    """The answer of a core to a question."""

    status: int  # below 0: the signal that ended it
    answer: bytes
    errors: bytes


class Running(Protocol):
    """One core process of a session."""

    def send(self, line: bytes) -> None:
        """Write a line to it; BrokenPipeError where it is gone."""

    def line(self) -> bytes:
        """Return the next line of its answer; without a line feed where it ended."""

    def samples(self, size: int, offset: int) -> bytes:
        """Return bytes of its samples file; fewer where the file ends before."""

    def death(self) -> tuple[int, bytes]:
        """Wait for its end, and return its status and what it wrote as its last words."""

    def end(self) -> None:
        """End it immediately, release its memory and remove its samples; more than once does no harm."""


class Launcher(Protocol):
    """Starts core processes in one place."""

    def ask(self, find: Find, words: tuple[str, ...]) -> Asked:
        """Return what a core answers; MachineError where it cannot be started."""

    def start(self, find: Find) -> Running:
        """Begin the core of a session; MachineError where it cannot be started."""


class Local:
    """Starts cores on this machine."""

    def ask(self, find: Find, words: tuple[str, ...]) -> Asked:
        done = guarded(lambda core: subprocess.run([core, *words], capture_output=True, check=False), find)
        return Asked(done.returncode, done.stdout, done.stderr)

    def start(self, find: Find) -> Running:
        return LocalCore(find)


class LocalCore:
    """A core process of this machine. Its samples have no name, so that nothing is left behind even after a kill."""

    def __init__(self, find: Find) -> None:
        self._files = ExitStack()
        self._errors = os.memfd_create("errors")
        self._files.callback(os.close, self._errors)
        try:
            self._samples = nameless(Path(tempfile.gettempdir()))
            self._files.callback(os.close, self._samples)
            self._process = guarded(self._start, find)
        except BaseException:
            self._files.close()
            raise

    def _start(self, core: Path) -> subprocess.Popen[bytes]:
        # its own process group: Ctrl-C reaches Python alone, which ends the core in order
        command = [str(core), "run", "-", "--samples", f"/proc/self/fd/{self._samples}"]
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            pass_fds=(self._samples,),
            start_new_session=True,
            env={**os.environ, "TIERSCOPE_PARENT": str(os.getpid())},  # it ends with this process, however that ends
        )

    def send(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def line(self) -> bytes:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def samples(self, size: int, offset: int) -> bytes:
        return os.pread(self._samples, size, offset)

    def death(self) -> tuple[int, bytes]:
        return self._process.wait(), os.pread(self._errors, LAST_WORDS_BYTES, 0)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        close_streams(self._process)
        self._files.close()


def close_streams(process: subprocess.Popen[bytes]) -> None:
    """Close the pipes of a process that is gone."""
    for stream in (process.stdin, process.stdout):
        if stream is not None and not stream.closed:
            with suppress(BrokenPipeError):  # unsent words of a core that is gone
                stream.close()


def guarded(start: Callable[[Path], Answer], find: Find) -> Answer:
    """Return what `start` makes of the core's path; MachineError where the system refuses."""
    core = find()
    try:
        return start(core)
    except OSError as error:
        raise MachineError(f"{core} cannot be started: {reason(error)}; build it or correct TIERSCOPE_CORE") from error


LOCAL = Local()
