"""A suite on many hosts. It decides while it runs, so this machine runs it, in one process per host.

The engine first brings the facts of each host, as with a plan. Then `tierscope run SUITE --host ADDRESS` measures it
over the same engine: `ssh:HOST` or `slurm:NODE`. The run stays in DIR/runs/DAY-PLAN-N/, and its main values become the
numbers of the host's report. The process needs memory and a little CPU time here while the host measures, so `at_once`
should not be far above the CPUs of this machine times four.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tierscope.errors import Exit, MachineError, TierscopeError
from tierscope.fleet.engines import Answer, Engine, Job, Turn, in_threads
from tierscope.fleet.host_report import HostReport
from tierscope.fleet.payload import payload_of
from tierscope.fleet.payload.numbers import Found
from tierscope.fleet.payload.report import Asked, finished
from tierscope.fleet.plan import FleetPlan
from tierscope.fleet.suite_numbers import numbers_of
from tierscope.record.result import load
from tierscope.remote.connection import last_line

FACTS = FleetPlan("facts", "# nothing is measured: the facts of the host alone\n")
FACTS_S = 30.0  # to bring them
PROGRAM = (sys.executable, "-c", "import sys; from tierscope.cli.entry import main; sys.exit(main())")
WRONG = "scalar code"  # in the words of a WrongAnswerError
Took = Callable[[str, HostReport | TierscopeError], None]


def measure(engine: Engine, suite: Sequence[str], job: Job, hosts: Sequence[str], asked: Callable[[str], Asked],
            took: Took) -> None:  # fmt: skip
    """Run the suite on each host; `took` is called once for each, with its report or the reason why there is none."""
    facts, reports = dict[str, bytes](), dict[str, HostReport]()

    def keep(host: str, answer: Answer) -> None:
        if isinstance(answer, MachineError):
            took(host, answer)
        else:
            facts[host] = answer

    engine.measure(Job(payload_of(FACTS), job.folder, FACTS_S, job.at_once, job.together), hosts, keep)

    def one(host: str, turn: Turn) -> bytes:
        turn.ready()
        found = _run(suite, engine.address(host), job.folder / "runs" / _name(host), job.limit_s)
        reports[host] = finished(facts[host], asked(host), lambda *_: found)
        return b""

    def ended(host: str, answer: Answer) -> None:
        took(host, answer if isinstance(answer, MachineError) else reports.pop(host))

    in_threads(job, [host for host in hosts if host in facts], one, ended)


def _name(host: str) -> str:
    """Return the name of a folder without text of a host that a file system or a shell could read otherwise."""
    plain = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in host)[:60].lstrip(".-")
    return f"{plain}-{hashlib.sha256(host.encode()).hexdigest()[:8]}"


def _run(suite: Sequence[str], address: str, directory: Path, limit_s: float) -> Found:
    """Return the numbers of one run; MachineError where it fails. The files of an earlier try are removed."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.parent.mkdir(parents=True, exist_ok=True)
    command = [*PROGRAM, "run", *suite, "--host", address, "--out", str(directory), "--quiet"]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True
        )
        try:
            status = process.wait(limit_s)
        except subprocess.TimeoutExpired as error:
            _end(process)
            raise MachineError(f"the suite took longer than {limit_s:.0f} s; give more with --limit") from error
        errors.seek(0, os.SEEK_END)
        errors.seek(max(0, errors.tell() - 4096))
        said = last_line(errors.read())
    if status in (Exit.GOOD, Exit.INCONCLUSIVE):
        return numbers_of(load(directory))
    if status == Exit.INTERNAL and WRONG in said:
        return Found((), wrong=1)
    raise MachineError(f"the suite ended with status {status}: {said}")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Let the run end in order, so that it removes its folder on the host; then by force."""
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
