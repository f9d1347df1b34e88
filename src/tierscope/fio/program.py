"""fio as a program: found on PATH, with its version. Storage runs it, the doctor reports it.

Source: fio 3.33, HOWTO.
"""

import re
import shutil
import subprocess

from tierscope.errors import MachineError

OLDEST = (3, 30)  # older ones have not been tried
BRING = "sudo apt-get install -y fio"
LONGEST_S = 120.0  # until a program that does not report its version is ended: a disk may be slow to load it


def find(longest_s: float = LONGEST_S) -> tuple[str, str]:
    """Return (path, version) of the fio on PATH; raise MachineError where there is none, or an old one."""
    path = shutil.which("fio")
    if path is None:
        raise MachineError(f"run storage needs fio, which is not on PATH: {BRING}")
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=longest_s, check=False)
        words = done.stdout.strip()
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
        raise MachineError(f"{path} does not run: {error}; install it again: {BRING}") from error
    match = re.match(r"fio-(([0-9]+)\.([0-9]+)\S*)", words)
    if match is None:
        raise MachineError(f"{path} is not fio: it calls itself {words[:60]!r}; {BRING}")
    if (int(match[2]), int(match[3])) < OLDEST:
        least = ".".join(map(str, OLDEST))
        raise MachineError(f"{path} is fio {match[1]}, and {least} or newer is needed: install a newer one")
    return path, match[1]
