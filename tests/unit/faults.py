"""A warm process in which commands run on the fake core, each in a fork of its own, with file operations that fail.

Called as a program it is that process: it reads requests, one JSON line each, and answers each with one line.
"""

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

UNIT = Path(__file__).resolve().parent
LIMIT_S = 60  # a command that hangs


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. `steps`: its file operations, "open+ run/manifest.json"."""

    status: int  # below 0: a signal
    out: str
    err: str
    steps: tuple[str, ...]


class Warm:
    """One such process, which answers one request after the other."""

    def __init__(self, library: Path) -> None:
        environment = {**os.environ, "LD_PRELOAD": str(library), "PYTHONUNBUFFERED": ""}
        environment["PYTHONPATH"] = os.pathsep.join((str(UNIT.parents[1] / "src"), str(UNIT)))
        self._process = subprocess.Popen(
            [sys.executable, str(UNIT / "faults.py")], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __call__(self, folder: Path, words: Sequence[str], kind: str = "none", at: int = 0) -> Ended:
        """Run `tierscope WORDS` in `folder`; the operation number `at` below it meets the fault."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = json.dumps({"folder": str(folder), "words": list(words), "kind": kind, "at": at})
        self._process.stdin.write(request.encode() + b"\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return Ended(answer["status"], answer["out"], answer["err"], tuple(answer["steps"]))

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def build(to: Path) -> Path:
    """Compile the library; CalledProcessError where it is wrong."""
    compiler = os.environ.get("CXX") or "c++"
    library = to / "faults.so"
    command = [compiler, "-std=c++20", "-O1", "-shared", "-fPIC", "-o", str(library), str(UNIT / "faults.cpp")]
    subprocess.run(command, check=True, capture_output=True)
    return library


def _serve() -> None:
    library = ctypes.CDLL(os.environ.pop("LD_PRELOAD"))
    _warm()
    for line in sys.stdin.buffer:
        request = json.loads(line)
        files = [os.memfd_create(name) for name in ("out", "err", "steps")]
        if not (child := os.fork()):
            _run(library, request, files)
        _, status = os.waitpid(child, 0)
        texts = [os.pread(file, 1 << 22, 0).decode() for file in files]
        for file in files:
            os.close(file)
        answer = {
            "status": os.waitstatus_to_exitcode(status), "out": texts[0], "err": texts[1],
            "steps": texts[2].splitlines(),
        }  # fmt: skip
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _warm() -> None:
    """Everything is loaded, so that a fork begins immediately; figures are made up, since V8 outlives no fork."""
    import pytest

    import tierscope.cli.finish
    import tierscope.cli.main
    import tierscope.cli.turns
    from fake_core import FakeCore, put_in_place
    from tierscope.cli.commands import commands
    from tierscope.draw import figures
    from tierscope.imports import importers
    from tierscope.plans import suites
    from tierscope.report import picture
    from tierscope.report.formats import formats
    from tierscope.report.pages import pages
    from tierscope.tables import tables

    tierscope.cli.finish._load_undisturbed("duckdb", "vl_convert", "scipy.optimize", "jinja2")
    for registry in (commands, formats, suites, tables, importers, figures):
        list(registry)
    for template in pages().list_templates(extensions=["jinja"]):
        pages().get_template(template)  # is compiled, which takes a third of a command
    monkeypatch = pytest.MonkeyPatch()
    put_in_place(FakeCore(), monkeypatch)
    monkeypatch.setattr(picture, "bundle", lambda snippet: "made")
    monkeypatch.setattr(picture, "svg", lambda spec: "<svg/>")


def _run(library: ctypes.CDLL, request: Mapping[str, Any], files: Sequence[int]) -> None:
    """In the fork: never comes back."""
    import signal

    from tierscope.cli.main import main

    os.chdir(request["folder"])
    os.dup2(files[0], 1)
    os.dup2(files[1], 2)
    sys.stdout, sys.stderr = (os.fdopen(file, "w", encoding="utf-8", closefd=False, buffering=1) for file in (1, 2))
    sys.argv = ["tierscope", *request["words"]]
    signal.alarm(LIMIT_S)
    status = 99
    try:
        library.faults_arm(request["folder"].encode(), request["kind"].encode(), ctypes.c_long(request["at"]), files[2])
        status = main(list(request["words"]))
    finally:
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    _serve()
