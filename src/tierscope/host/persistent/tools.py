"""Health of DIMMs from `ndctl` and `ipmctl`, if they are installed: never needed, and never waited for long.

Most of it needs root; without root these programs leave it out.
Source: ndctl-list(1), ipmctl-show-dimm(1).
"""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator

LONGEST_S = 5.0  # ndctl answers within 0.1 s, ipmctl within 2 s for 12 DIMMs
LARGEST_BYTES = 1 << 20  # some 10 KiB for 24 DIMMs
NDCTL = ("ndctl", "list", "-DHu")
IPMCTL = ("ipmctl", "show", "-o", "nvmxml", "-d", "HealthState,SecurityState,FWVersion", "-dimm")


def health(longest_s: float = LONGEST_S) -> tuple[str, ...]:
    """Return one line for each DIMM and tool; for a tool that fails or hangs, one line that reports it."""
    return (*_lines(NDCTL, _ndctl, longest_s), *_lines(IPMCTL, _ipmctl, longest_s))


def _lines(command: tuple[str, ...], read: Callable[[str], Iterator[str]], longest_s: float) -> Iterator[str]:
    name = command[0]
    if shutil.which(name) is None:
        return
    try:
        yield from (f"{name}: {line}" for line in read(_answer(command, longest_s)))
    except subprocess.TimeoutExpired:
        yield f"{name}: not readable: no answer within {longest_s:g} s"
    except (OSError, ValueError, RecursionError) as error:
        yield f"{name}: not readable: {error}"


def _answer(command: tuple[str, ...], longest_s: float) -> str:
    """Return a command's standard output, through a file: children of a killed program may keep a pipe open."""
    with tempfile.TemporaryFile() as out:
        quiet = subprocess.DEVNULL
        program = subprocess.Popen(command, stdin=quiet, stdout=out, stderr=quiet, start_new_session=True)
        try:
            status = program.wait(longest_s)
        except BaseException:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()
            raise
        out.seek(0)
        text = out.read(LARGEST_BYTES).decode(errors="replace")
    if status != 0:
        raise ValueError(f"`{' '.join(command)}` ended with status {status}")
    return text


def _ndctl(text: str) -> Iterator[str]:
    """Yield a line for each DIMM of a list, or for the only one; nothing at all where there is none."""
    answer = json.loads(text or "[]")
    for dimm in answer if isinstance(answer, list) else [answer]:
        found = dimm.get("health") if isinstance(dimm, dict) else None
        if isinstance(found, dict):
            told = (f"{key.replace('_', ' ')} {value}" for key, value in found.items() if isinstance(value, str | int))
            yield f"{dimm.get('dev', 'a DIMM')}: {', '.join(told)}"


def _ipmctl(text: str) -> Iterator[str]:
    """Yield a line for each <Dimm><DimmID>0x0001</DimmID><HealthState>Healthy</HealthState> ... </Dimm>."""
    for dimm in text.split("<Dimm>")[1:]:
        inside, closed, _ = dimm.partition("</Dimm>")
        if not closed:
            break
        fields = dict(re.findall(r"<(\w+)>([^<>]*)</\1>", inside))
        name = fields.pop("DimmID", "a DIMM")
        yield f"{name}: {', '.join(f'{key} {value}' for key, value in fields.items())}"
