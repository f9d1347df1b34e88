"""Commands as processes of their own on the real core, and what can be observed of them from outside."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tierscope import core
from tierscope.record.result import load

CODE = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is born deaf to Ctrl-C
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and one below nohup to a closed terminal
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_SETMASK, ())
from tierscope.cli.main import main
from tierscope.report import picture
if "WHOLE_PAGE" not in os.environ:
    picture.bundle = lambda snippet: "made"  # two seconds of each process
sys.exit(main())
"""
CPUS = sorted(os.sched_getaffinity(0))
ROOT = os.geteuid() == 0
PLAIN = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if ROOT and shutil.which("setpriv") else ()
"""Before a command: without the privileges of root."""

LONGEST_S = 900
"""Only what hangs takes longer: a simulation of 20 s took 260 s on a machine with ten programs for each CPU."""


def ended(process: "subprocess.Popen[str]") -> tuple[str, str]:
    """Return standard output and standard error of a command; one that hangs is killed, and its test fails."""
    try:
        return process.communicate(timeout=LONGEST_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise


class Shell:
    """Calls the command in a folder; its temporary files are in `tmp`."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.tmp = folder, folder / "tmp"
        self.tmp.mkdir()
        source = str(Path(__file__).resolve().parents[2] / "src")
        self.environment = {
            **os.environ, "PYTHONPATH": source, "TIERSCOPE_CORE": str(core.find_core()), "TMPDIR": str(self.tmp),
        }  # fmt: skip

    def start(self, *words: str, before: tuple[str, ...] = (), cwd: Path | None = None) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [*before, sys.executable, "-c", CODE, *words], cwd=cwd or self.folder, env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def __call__(self, *words: str, before: tuple[str, ...] = (), cwd: Path | None = None) -> tuple[int, str, str]:
        """Status, standard output, standard error; nothing may be left in `tmp`."""
        process = self.start(*words, before=before, cwd=cwd)
        out, err = ended(process)
        assert "Traceback" not in err
        assert list(self.tmp.iterdir()) == []
        return process.returncode, out, err

    def refused(self, *words: str, **how: Any) -> tuple[int, str]:
        status, out, err = self(*words, **how)
        assert out == ""
        assert err.startswith("tierscope: ")
        assert err.count("\n") == 1, err
        return status, err


def wait_for(what: Callable[[], object], seconds: float = LONGEST_S) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)


def cores_of(number: int) -> list[int]:
    """Processes of the core that this one started."""
    found = []
    for task in Path(f"/proc/{number}/task").glob("*/children"):
        found += [int(child) for child in task.read_text().split()]
    return found


def records(directory: Path) -> int:
    return len(load(directory).result.records) if (directory / "result.json").exists() else 0
