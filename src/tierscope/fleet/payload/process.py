"""A process whose output is bounded in time and in size: a host may hang, or send without end."""

import os
import select
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence

from tierscope.errors import MachineError, reason
from tierscope.fleet.payload.bundle import MOST_BYTES
from tierscope.remote.connection import last_line

CHUNK = 1 << 16
LAST_BYTES = 1 << 12


def output_of(command: Sequence[str], until: float, environment: Mapping[str, str] | None = None) -> bytes:
    """Return what a command prints; MachineError where it cannot start, is late, or prints too much or nothing.

    until: on the monotonic clock; the process group is then killed.
    """
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, env=environment,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise MachineError(f"{command[0]} cannot be started: {reason(error)}") from error
        try:
            assert process.stdout is not None
            found = read_until(process.stdout.fileno(), until)
            process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired as error:
            raise MachineError(LATE) from error
        finally:
            _end(process)
        errors.seek(0)
        if not found.strip():
            raise MachineError(f"nothing came back (status {process.returncode}): {last_line(errors.read(LAST_BYTES))}")
        return found


LATE = "no answer within its time; check whether the host hangs, or raise --limit"


def read_until(stream: int, until: float) -> bytes:
    """Return all that a stream gives until it ends; MachineError where it is late or gives too much."""
    parts: list[bytes] = []
    size = 0
    while True:
        left = until - time.monotonic()
        if left <= 0 or not select.select([stream], [], [], left)[0]:
            raise MachineError(LATE)
        part = os.read(stream, CHUNK)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise MachineError(f"the host sent more than {MOST_BYTES >> 20} MiB; an answer is smaller")


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        try:
            os.killpg(process.pid, 15)
            process.wait(2)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()
    if process.stdout is not None:
        process.stdout.close()
