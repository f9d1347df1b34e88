"""The shell on the other machine that answers small questions during a run: a command in, its output and status out.

A command ends with a mark that nobody can guess, on both streams, so that its output may be any bytes. The shell's own
input is not that of its commands.
"""

import os
import secrets
import selectors
import subprocess
import time
from contextlib import suppress
from typing import NamedTuple

from tierscope.core.launch import close_streams
from tierscope.errors import MachineError, reason
from tierscope.remote.channel import ANSWER_S
from tierscope.remote.connection import ALIVE_COUNT, ALIVE_S, Line, last_line

CHUNK = 1 << 16


class Said(NamedTuple):
    """The output of a command, and its status."""

    status: int
    out: bytes
    errors: bytes

    def why(self) -> str:
        """Return its last line on standard error."""
        return last_line(self.errors)


class Shell:
    """One `sh` there, for commands one after the other. Words of others are quoted by whoever makes the command."""

    def __init__(self, connection: Line) -> None:
        self._word = connection.word
        self._gone = ""
        try:
            self._process = subprocess.Popen(
                connection.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True, bufsize=0,
            )  # fmt: skip
        except OSError as error:
            raise MachineError(f"{self._word}: the connection cannot be started: {reason(error)}") from error
        try:
            self.run("LC_ALL=C; export LC_ALL; umask 077")  # also reads a greeting away
        except BaseException:
            self.close()
            raise

    def run(self, command: str, silence_s: float = ANSWER_S) -> Said:
        """Return a command's output; MachineError where the connection is lost, or the machine is silent too long."""
        if self._gone:
            raise MachineError(self._gone)
        mark = secrets.token_hex(16)
        ends = f"s=$?; printf '\\n%s %d\\n' {mark} $s; printf '\\n%s 0\\n' {mark} >&2"
        with suppress(OSError):  # the end of its streams shows it below, with the last words
            self._write(f"{{ {{\n{command}\n}} </dev/null; {ends}; }}\n".encode())
        out, errors = self._until(mark.encode(), silence_s)
        found, _, status = out.rpartition(b"\n" + mark.encode() + b" ")
        return Said(int(status), found, errors.rpartition(b"\n" + mark.encode())[0])

    def close(self) -> None:
        """End it: at the end of its input it runs its commands for the exit."""
        self._gone = self._gone or f"{self._word}: the connection is closed"
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()
        try:
            self._process.wait(ANSWER_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        close_streams(self._process)
        if self._process.stderr is not None:
            self._process.stderr.close()

    def _write(self, content: bytes) -> None:
        assert self._process.stdin is not None
        left = memoryview(content)
        while left:
            left = left[os.write(self._process.stdin.fileno(), left) :]

    def _until(self, mark: bytes, silence_s: float) -> tuple[bytes, bytes]:
        """Return both streams up to the mark; text before it in a stream may be a greeting at the first time."""
        out, errors = self._process.stdout, self._process.stderr
        assert out is not None
        assert errors is not None
        found = {out.fileno(): bytearray(), errors.fileno(): bytearray()}
        with selectors.DefaultSelector() as waiting:
            for number in found:
                waiting.register(number, selectors.EVENT_READ)
            limit = time.monotonic() + silence_s
            while waiting.get_map():
                ready = waiting.select(limit - time.monotonic())
                if not ready:
                    raise self._silent(silence_s)
                limit = time.monotonic() + silence_s
                for key, _ in ready:
                    part, text = os.read(key.fd, CHUNK), found[key.fd]
                    if not part:
                        raise self._lost(bytes(found[errors.fileno()]))
                    text += part
                    if text.endswith(b"\n") and mark in text[-len(mark) - 32 :]:
                        waiting.unregister(key.fd)
        return bytes(found[out.fileno()]), bytes(found[errors.fileno()])

    def _silent(self, silence_s: float) -> MachineError:
        self._gone = f"{self._word}: the machine did not answer for {silence_s:g} s; check whether it still works"
        self._process.kill()
        return MachineError(self._gone)

    def _lost(self, errors: bytes) -> MachineError:
        assert self._process.stderr is not None
        errors += self._process.stderr.read()
        self._process.wait()
        silent = f"the server ended it, or gave no sign of life for {ALIVE_S * ALIVE_COUNT} s"
        self._gone = f"{self._word}: the connection was lost: {last_line(errors) if errors.strip() else silent}"
        return MachineError(self._gone)
