"""Builds of the core next to the plain one: what they are made with, and how their programs are run.

A lane is one CMake preset. If this machine lacks a part, the test is skipped with the line that installs it.
"""

import os
import platform
import shutil
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLANGS = ("clang++-14", *(f"clang++-{version}" for version in range(15, 22)), "clang++")
NO_DOCTEST = "core_tests left out, no doctest.h: sudo apt-get install -y doctest-dev"
LANES = ("clang", "asan-ubsan", "tsan")
HALT = {
    "ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1",
    "TSAN_OPTIONS": "halt_on_error=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
}
"""A report of a sanitizer ends the core immediately, so that a test fails."""
NO_CLOCK = "*/simulate_*.cpp,*/structures*.cpp,*/bench_simulation.cpp,*/bench_streams.cpp,*/bench_touched_lines.cpp"
"""Native tests that may run next to others, as doctest writes a list of files; most of the time of all of them."""


def clang() -> str | None:
    return next(filter(None, map(shutil.which, CLANGS)), None)


def tool(name: str) -> str:
    """The program of .venv, else that of the system."""
    return shutil.which(name, path=_path()) or pytest.skip(f"no {name}: ./tierscope test brings it")


def run(command: list[str | Path], **environment: str) -> str:
    """Standard output; a failure shows the end of both outputs."""
    where = {**os.environ, "PATH": _path(), **environment}
    done = subprocess.run(command, cwd=ROOT, env=where, text=True, capture_output=True, errors="replace", check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout[-6000:]}{done.stderr[-6000:]}"
    return done.stdout


@cache
def built(preset: str, *settings: str) -> Path:
    """The folder of the build, made once per session."""
    run([tool("cmake"), "--preset", preset, *settings])
    run([tool("cmake"), "--build", "--preset", preset])
    return ROOT / "build" / preset


def lane(preset: str) -> Path:
    """The build of one of LANES."""
    if preset != "clang":
        return sanitized(preset)
    compiler = clang() or pytest.skip("lane clang left out, no clang++: sudo apt-get install -y clang")
    return built(preset, f"-DCMAKE_CXX_COMPILER={compiler}")


def sanitized(preset: str) -> Path:
    """Clang brings libFuzzer; where it is absent, or lacks its runtime, GCC does the rest as well."""
    compiler = clang() if preset == "asan-ubsan" else None
    if compiler is None or not _links(compiler, "address,undefined,fuzzer"):
        return built(preset)
    return built(preset, f"-DCMAKE_CXX_COMPILER={compiler}")


def runner(program: Path) -> list[str | Path]:
    """Words before a program: ThreadSanitizer of GCC 12 and Clang 14 finds no room for its shadow where the kernel
    draws addresses from more than 28 bits, unless that is off for the process."""
    calm = ["setarch", platform.machine(), "-R"]
    for before in ([], calm):
        if subprocess.run([*before, program, "--version"], capture_output=True, check=False).returncode == 0:
            return [*before]
    return pytest.skip(f"{program} does not start here: sudo sysctl vm.mmap_rnd_bits=28")


def plain() -> Path:
    """The build of ./tierscope, or one by hand, with the native tests as well."""
    for name in ("venv", "release"):
        if (folder := ROOT / "build" / name).joinpath("CMakeCache.txt").is_file():
            run([tool("cmake"), "-DTIERSCOPE_TESTS=ON", folder])
            return folder
    return pytest.skip("no build here: ./tierscope test makes one")


def native() -> Path:
    """Return the program of the native tests, built by the plain build; doctest makes it one."""
    folder = plain()
    if not has_doctest(folder):
        pytest.skip(NO_DOCTEST)
    run([tool("cmake"), "--build", folder, "--target", "core_tests"])
    return folder / "tests/core/core_tests"


def has_doctest(folder: Path) -> bool:
    return "DOCTEST_INCLUDE:PATH=/" in (folder / "CMakeCache.txt").read_text()


def _path() -> str:
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def _links(compiler: str, sanitizers: str) -> bool:
    command = [compiler, f"-fsanitize={sanitizers}", "-x", "c++", "-", "-o", "/dev/null"]
    code = 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }\n'
    return subprocess.run(command, input=code, text=True, capture_output=True, check=False).returncode == 0


if __name__ == "__main__":  # ahead of their tests, see tests/conftest.py; what fails here fails there again
    for name in LANES:
        with suppress(AssertionError, pytest.skip.Exception):
            lane(name)
