"""fio as a program: run with options, its document read; every failure has its reason.

It runs in one process with threads, ends with the process that started it (util-linux: setpriv), and leaves its
output in a pipe, so that nothing has to be removed.
Source: fio 3.33, HOWTO; Linux, prctl(2) (PR_SET_PDEATHSIG).
"""

import re
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence

from tierscope.errors import MachineError, ResultError
from tierscope.fio.answer import Document, parse

SLACK_S = 120.0  # beyond what was asked, until a run that does not end is ended


def command(path: str, options: Mapping[str, str]) -> list[str]:
    """Return the arguments of a call; options without a value have ""."""
    return [path, *(f"--{name}={value}" if value else f"--{name}" for name, value in options.items())]


def run(path: str, options: Mapping[str, str], handles: Sequence[int], seconds: float) -> Document:
    """Return the document of one call; MachineError if fio fails, is killed, or does not write a document.

    handles: descriptors that it inherits. seconds: the time that it should take.
    """
    words = [*_leash(), *command(path, {**options, "output-format": "json+"})]
    with subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=tuple(handles),
        start_new_session=True,  # Ctrl-C reaches this process alone, which ends fio
        text=True,
        errors="replace",
    ) as process:
        try:
            out, said = process.communicate(timeout=seconds + SLACK_S)
        except subprocess.TimeoutExpired as error:
            raise MachineError(f"fio did not end within {seconds + SLACK_S:.0f} s and was ended; "
                               "look at the storage (dmesg), or try engine=psync") from error  # fmt: skip
        finally:
            process.kill()
    return _read(out, said, process.returncode)


def _leash() -> list[str]:
    """Return the words before a call that end fio with this process; none where the system has no such program."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []


def _read(out: str, said: str, status: int) -> Document:
    if status < 0:
        name = signal.Signals(-status).name
        raise MachineError(f"fio was killed by signal {name}{_last(said)}; repeat the job that it ran")
    try:
        document = parse(out)
    except ResultError as error:
        why = f"fio ended with status {status}{_last(said) or _last(out)}" if status else f"fio wrote {error}"
        raise MachineError(f"{why}; try again with engine=psync") from error
    errors = [job.error for job in document.jobs if job.error]
    if status or errors:
        raise MachineError(_failed(status, f"{document.said}\n{said}"))
    return document


def _failed(status: int, said: str) -> str:
    """Return fio's message about a job that ended early, without the place in its source."""
    if "No space left on device" in said:
        return "the storage is full: fio could not write all its blocks; free some space, or name a smaller size="
    return f"fio ended with status {status}{_last(said)}; try another engine= or block size"


def _last(said: str) -> str:
    """Return ': ' and the first line that names an error, or the last line; "" if there is no output."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower() or "err=" in line]
    chosen = (errors or lines[-1:])[:1]
    return f": {re.sub(r'file:[a-z_]+[.]c:[0-9]+, ', '', chosen[0])[:200]}" if chosen else ""
