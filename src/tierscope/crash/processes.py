"""Runs a command line and leaves nothing of it behind: its whole process group ends with it, or with us."""

import os
import select
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tierscope.errors import UsageError, reason
from tierscope.printable import printable

LAST_BYTES = 4096  # of standard error, from which the last line is taken


class Ended(NamedTuple):
    """How a command ended: its status, negative for a signal, None at its time limit; the last line that it printed."""

    status: int | None
    said: str

    @property
    def how(self) -> str:
        match self.status:
            case None:
                how = "no end in time"
            case int(number) if number < 0:
                how = signal.Signals(-number).name if -number in set(signal.Signals) else f"signal {-number}"
            case number:
                how = f"status {number}"
        return f"{how}: {self.said}" if self.said else how


def run(
    words: Sequence[str], environment: Mapping[str, str], output: Path | None = None, limit_s: float | None = None
) -> Ended:
    """Run a program, its standard output to a file or nowhere, and return how it ended.

    Raises UsageError when it cannot be started.
    """
    with tempfile.TemporaryFile() as errors, open(output or os.devnull, "wb") as out:
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
                env={**os.environ, **environment},
                start_new_session=True,
            )
        except OSError as error:
            raise UsageError(f"{words[0]} cannot be started: {reason(error)}; name a program or a path") from error
        try:
            ended = _wait(process.pid, limit_s)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # not reaped yet, so the group is still its own
            status = process.wait()
        return Ended(status if ended else None, _last_line(errors.fileno()))


def _wait(number: int, limit_s: float | None) -> bool:
    """Return whether the process ended in time; it stays to be reaped."""
    watched = os.pidfd_open(number)
    try:
        poll = select.poll()
        poll.register(watched, select.POLLIN)
        return bool(poll.poll(None if limit_s is None else limit_s * 1e3))
    finally:
        os.close(watched)


def _last_line(file: int) -> str:
    size = os.fstat(file).st_size
    text = os.pread(file, LAST_BYTES, max(0, size - LAST_BYTES)).decode(errors="replace")
    line = (text.strip().splitlines() or [""])[-1]
    return printable(line)[:200]
