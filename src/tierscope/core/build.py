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

COMPLETING = "_TIERSCOPE_COMPLETE"  # set by the completion scripts of shells
ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / "build/venv"


def build(path: Path, target: str) -> bool:
    """Make `path`, a file next to the core that ./tierscope installed; False where there is no checkout, or it fails.

    Nothing is built while a shell completes a word: who presses Tab does not wait half a minute.
    """
    cache = BUILD / "CMakeCache.txt"
    if COMPLETING in os.environ:
        return False
    if path.resolve().parent != ROOT / ".venv/bin" or not cache.is_file() or not _known(target):
        return False
    try:
        with (ROOT / ".venv.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return path.is_file() or _built(path, target)
    except OSError:
        return False


def build_tracer() -> Path:
    """Return the tracer of this checkout, built if its sources are newer.

    Raises OSError, with what the build printed, if it cannot be built.

    It is a project of its own (tracer/README.md), with a build folder of its own.
    """
    sources, folder = ROOT / "tracer", ROOT / "build/tracer"
    made = folder / "tierscope-tracer.so"
    if not (sources / "CMakeLists.txt").is_file():
        raise FileNotFoundError("this installation has no sources of it; name one in TIERSCOPE_TRACER")
    with (ROOT / ".venv.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        newest = max(file.stat().st_mtime for file in sources.iterdir())
        if not made.is_file() or made.stat().st_mtime < newest:
            _make(["-S", str(sources), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", *_generator(folder)])
            _make(["--build", str(folder)])
            made.touch()
    return made


def _make(arguments: list[str]) -> None:
    done = subprocess.run([_cmake(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        told = next((line for line in lines if "sudo apt-get" in line or "error" in line.lower()), " ".join(lines[:2]))
        raise OSError(told)


def _cmake() -> str:
    """Return the CMake that configured the core, else the system's."""
    command = _configured(BUILD, "CMAKE_COMMAND")
    return command if Path(command).is_file() else "cmake"


def _generator(folder: Path) -> list[str]:
    """Return the words that select the build tool of the core: the compiler's package does not bring `make`.

    A folder of another build tool is removed, since CMake refuses it.
    """
    name, program = (_configured(BUILD, key) for key in ("CMAKE_GENERATOR", "CMAKE_MAKE_PROGRAM"))
    if not name or not Path(program).is_file():
        return []
    if _configured(folder, "CMAKE_GENERATOR") not in ("", name):
        shutil.rmtree(folder)
    return ["-G", name, f"-DCMAKE_MAKE_PROGRAM={program}"]


def _configured(folder: Path, key: str) -> str:
    """Return the value that CMake keeps for a build folder; "" where there is none."""
    cache = folder / "CMakeCache.txt"
    found = re.search(rf"^{key}:[A-Z]+=(.+)$", cache.read_text(), re.MULTILINE) if cache.is_file() else None
    return found[1] if found else ""


def _known(target: str) -> bool:
    """Return whether the set-up found what the target is built with, such as the headers of a library."""
    rules = BUILD / "build.ninja"
    return not rules.is_file() or f"\nbuild {target}: " in rules.read_text()


def _built(path: Path, target: str) -> bool:
    with suppress(OSError):  # nobody has to read it
        sys.stderr.write(f"tierscope: building {path.name}, once: half a minute or less\n")
    command = [_cmake(), "--build", str(BUILD), "--target", target]
    if subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode != 0:
        return False
    new = path.with_name(f".{path.name}.new")
    shutil.copy2(BUILD / path.name, new)
    os.replace(new, path)
    return True
