"""Start the command as forks of a process that has loaded everything: most of a start is the loading of Python.

Called as a program it is that process. It reads one JSON line for each start and answers with the number of the new
process; that stays known until the caller asks for its status, such that no signal can meet another process. Pages are
written without the libraries of figures, which take a second to pack and are the same in all pages.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a command."""

    status: int  # below 0: a signal
    err: str
    seconds: float


class Forks:
    """One such process, which starts one command after the other."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__))], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __call__(
        self, words: tuple[str, ...], folder: Path, tmp: Path, stop: signal.Signals | None = None, after_s: float = 0.0
    ) -> Ended:
        """Run `tierscope WORDS` in `folder`, its temporary files in `tmp`; send `stop` after some seconds."""
        err, began = tmp.parent / "err", time.monotonic()
        err.touch()  # a process that is killed immediately opens nothing
        pid = self._ask({"words": words, "folder": str(folder), "tmp": str(tmp), "err": str(err)})
        if stop is not None:
            until = began + after_s
            while time.monotonic() < until and not _has_ended(pid):
                time.sleep(min(0.02, max(until - time.monotonic(), 0)))
            os.kill(pid, stop)  # it may have ended: it is waited for below
        status = self._ask({})
        return Ended(status, err.read_text(), time.monotonic() - began)

    def wait(self) -> None:
        """Return when everything is loaded; call it once."""
        assert self._process.stdout is not None
        if self._process.stdout.readline() != b"0\n":
            raise RuntimeError("the process that starts commands has ended")

    def _ask(self, request: dict[str, Any]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def _has_ended(pid: int) -> bool:
    """Return whether a process waits to be asked for its status."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


def _serve(limit_s: int = 300) -> None:
    _load()
    answers = os.fdopen(os.dup(1), "w")
    answers.write("0\n")
    answers.flush()
    for line in sys.stdin.buffer:
        if not (child := os.fork()):
            _run(json.loads(line), limit_s)
        answers.write(f"{child}\n")
        answers.flush()
        sys.stdin.buffer.readline()  # the caller has sent its signal
        answers.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        answers.flush()


def _load() -> None:
    from tierscope.cli.commands import commands
    from tierscope.draw import figures
    from tierscope.plans import suites
    from tierscope.report.formats import formats, html
    from tierscope.tables import tables

    for name in ("duckdb", "vl_convert", "scipy.stats", "jinja2", "plotext"):
        import_module(name)
    for registry in (commands, formats, suites, tables, figures):
        list(registry)
    html.libraries = html.bundle = str


def _run(request: dict[str, Any], limit_s: int) -> None:
    """Run the command in the fork; never returns."""
    from tierscope.cli.entry import main

    status = 99
    try:
        signal.alarm(limit_s)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is born deaf to Ctrl-C
        os.chdir(request["folder"])
        os.environ["TMPDIR"], tempfile.tempdir = request["tmp"], None
        nowhere = os.open(os.devnull, os.O_RDWR)
        err = os.open(request["err"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for number, handle in enumerate((nowhere, nowhere, err)):
            os.dup2(handle, number)
        sys.argv = ["tierscope", *request["words"]]
        status = main()
    finally:
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    _serve()
