"""A process that restores what a run changed of the machine when the run ends, however it ends.

Its standard input is a pipe, and only the run has the other end. The pipe ends with the run, and a kill cannot prevent
that. The guard is in a session of its own and ignores what a terminal or a shell sends to a run.
"""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Protocol

from tierscope.errors import MachineError
from tierscope.stops import SIGNALS

READY = b"ready\n"
WAIT_S = 30.0  # for a guard: it only reads and writes some files


class Guarded(Protocol):
    """Something that a run changes, and that a file remembers."""

    def kept(self) -> object | None:
        """Return what is stored; None where there is nothing to restore."""

    def restore(self) -> int:
        """Restore it, and remove the file."""


def stand(what: Guarded) -> int:
    """Wait for the end of standard input, then restore; return 1 where there is nothing to guard.

    An error of the restoring is raised: the file stays for the doctor.
    """
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if what.kept() is None:
        return 1
    sys.stdout.buffer.write(READY)
    sys.stdout.buffer.flush()
    while sys.stdin.buffer.read(4096):
        pass
    what.restore()
    return 0


def start(module: str, root: Path, what: str) -> "subprocess.Popen[bytes]":
    """Return the process of a guard (`module`) below `root`, once it is ready; MachineError if it does not start."""
    guard = subprocess.Popen(
        [sys.executable, "-m", module, str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    if guard.stdout is None or guard.stdout.readline() != READY:
        guard.kill()
        guard.wait()
        raise MachineError(f"the process that puts {what} back did not start; nothing was changed")
    return guard


def end(guard: "subprocess.Popen[bytes]") -> None:
    """Let a guard end, after the run itself restored all."""
    for pipe in (guard.stdin, guard.stdout):
        if pipe is not None:
            pipe.close()
    guard.wait(WAIT_S)
