"""One process on the other machine, begun by a line for `sh`; its standard streams are ours.

ssh is given the same words each time, `exec sh`, so no quoting for a login shell is needed: what is to run is a line of
that sh. It prints a mark first, so that a greeting of the login shell is distinguished from an answer. Nothing else is
sent before the mark came: a shell may read ahead, and what it read is lost for the process that takes its place.
Source: POSIX.1-2017, XCU, "sh" (STDIN).
"""

import os
import secrets
import select
import subprocess
import time
from contextlib import suppress

from tierscope.core.launch import LAST_WORDS_BYTES, close_streams
from tierscope.errors import MachineError, reason
from tierscope.remote.connection import Line, last_line

ANSWER_S = 30.0  # within which a shell begins, and a small program answers
ENDS_S = 10.0  # for ssh to end after its process
GREETING_BYTES = 1 << 16  # of a login shell: more is not a greeting
LOST = 255  # status of ssh where the connection ended, or a signal ended the process


class Channel:
    """A process there. `pid`: its number there."""

    def __init__(self, connection: Line, line: str, silence_s: float = ANSWER_S) -> None:
        self._word = connection.word
        self._errors = os.memfd_create("errors")
        try:
            # its own session: Ctrl-C reaches Python alone, which ends the process there in order
            self.process = subprocess.Popen(
                connection.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            os.close(self._errors)
            raise MachineError(f"{self._word}: the connection cannot be started: {reason(error)}") from error
        try:
            self.pid = self._begun(line, silence_s)
        except BaseException:
            self.close()
            raise

    def send(self, content: bytes) -> None:
        """Write to its standard input; BrokenPipeError where it is gone."""
        assert self.process.stdin is not None
        self.process.stdin.write(content)
        self.process.stdin.flush()

    def line(self) -> bytes:
        """Return a line of its standard output."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def last_words(self) -> bytes:
        """Return what it, or ssh, wrote to standard error."""
        return os.pread(self._errors, LAST_WORDS_BYTES, 0)

    def finish(self) -> int:
        """Close its standard input and return its status; MachineError where it does not end."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # it ended before it read all
            self.process.stdin.close()
        try:
            return self.process.wait(ANSWER_S)
        except subprocess.TimeoutExpired as error:
            raise MachineError(f"{self._word}: no answer within {ANSWER_S:g} s; try again") from error

    def close(self) -> None:
        """End ssh, which ends the process there at its next read or write; more than once does no harm."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        close_streams(self.process)
        if self._errors >= 0:
            os.close(self._errors)
            self._errors = -1

    def _begun(self, line: str, silence_s: float) -> int:
        mark = secrets.token_hex(16)
        with suppress(BrokenPipeError):  # what ssh printed is read below
            self.send(f"printf '\\n%s %s\\n' {mark} $$; {line}\n".encode())
        assert self.process.stdout is not None
        said, limit = b"", time.monotonic() + silence_s
        begin = f"\n{mark} ".encode()
        while not (said.endswith(b"\n") and begin in said):
            left = limit - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise MachineError(f"{self._word}: no shell began within {silence_s:g} s; check whether it answers")
            byte = os.read(self.process.stdout.fileno(), 1)  # one by one: what follows belongs to others
            if not byte:
                self.process.wait()
                raise MachineError(f"{self._word}: no shell began: {last_line(self.last_words() or said)}")
            said += byte
            if len(said) > GREETING_BYTES:
                raise MachineError(f"{self._word}: no shell began, but {GREETING_BYTES} bytes came; check what it runs")
        return int(said.rpartition(b" ")[2])
