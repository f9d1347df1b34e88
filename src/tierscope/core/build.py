"""Builds what a set-up left out: executables that few runs need are made in a checkout when they are first needed.

Blind to sources that changed since the set-up: `./tierscope` notices them at its next start, and removes what is older.
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / "build/venv"


def build(path: Path, target: str) -> bool:
    """Make `path`, a file beside the core that ./tierscope installed; False where there is no checkout, or it fails."""
    cache = BUILD / "CMakeCache.txt"
    if path.resolve().parent != ROOT / ".venv/bin" or not cache.is_file() or not _known(target):
        return False
    try:
        with (ROOT / ".venv.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return path.is_file() or _built(path, target, cache)
    except OSError:
        return False


def _known(target: str) -> bool:
    """Whether the set-up found what the target is built with, such as the headers of a library."""
    rules = BUILD / "build.ninja"
    return not rules.is_file() or f"\nbuild {target}: " in rules.read_text()


def _built(path: Path, target: str, cache: Path) -> bool:
    with suppress(OSError):  # nobody has to read it
        sys.stderr.write(f"tierscope: building {path.name}, once: half a minute or less\n")
    found = re.search(r"^CMAKE_COMMAND:INTERNAL=(.+)$", cache.read_text(), re.MULTILINE)
    command = [found[1] if found else "cmake", "--build", str(BUILD), "--target", target]
    if subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode != 0:
        return False
    new = path.with_name(f".{path.name}.new")
    shutil.copy2(BUILD / path.name, new)
    os.replace(new, path)
    return True
