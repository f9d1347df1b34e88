"""Nodes of a Slurm cluster: one task per node, with the whole node, in one `srun` or a few.

One `srun` gets all of its nodes or none. So idle nodes share one, and each node with other jobs has one of its own,
which waits for it START_S at most. Nodes that an `srun` did not get are tried again one by one.

Each task writes a file that is named by $SLURMD_NODENAME, and what is there is collected: a dead node makes `srun`
fail for all. So the folder of the session must be on a file system that the nodes share. Nodes that are down or drained
are not waited for: `sinfo` shows them, with the reason. Site options (account, partition, QOS) are srun's own variables
of the environment, such as SLURM_ACCOUNT. One `srun` is of one partition, so the nodes are those of SLURM_PARTITION,
else of the default partition.
Source: Slurm 22.05, srun(1) (--cpu-bind, --no-kill, --kill-on-bad-exit, --immediate), sinfo(1).
"""

import math
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tierscope.errors import MachineError, UsageError, reason
from tierscope.fleet.engines import SPARE_S, Done, Job, engines
from tierscope.fleet.payload.bundle import MOST_BYTES
from tierscope.remote import slurm
from tierscope.remote.connection import last_line

IDLE, BUSY = ("idle", "completing"), ("mixed", "allocated")
NOT_GIVEN = b"Unable to allocate resources"
PARTITION, FORMAT = "SLURM_PARTITION", "%N|%P|%T|%E"
ANSWER_S = 30.0
POLL_S = 0.3
START_S = 60.0  # for nodes to become free
LAST_BYTES = 4096  # of what srun prints


class Slurm:
    """Nodes by srun."""

    name = "slurm"
    summary = "nodes of a Slurm cluster by srun, one task with the whole node; the session's folder must be shared"

    def hosts(self, named: Sequence[str]) -> tuple[str, ...]:
        known = states()
        for one in named:
            if not slurm.NODE.fullmatch(one) or one not in known:
                raise UsageError(f"{one!r} is not a node of {_partition()}; `sinfo -N` lists them, and SLURM_PARTITION "
                                 "names another partition")  # fmt: skip
        if not (found := tuple(named) or tuple(known)):
            raise UsageError(f"{_partition()} has no node; see sinfo -N")
        return found

    def address(self, host: str) -> str:
        return slurm.SCHEME + host

    def measure(self, job: Job, hosts: Sequence[str], done: Done) -> None:
        idle, alone = _sorted_out(hosts, done, wait=not job.together)
        place = job.payload.place(job.folder.parent / "payload")
        size = max(1, len(idle) if job.together else job.at_once)
        for start in range(0, len(idle), size):
            alone += _Step(job, place, idle[start : start + size]).run(done, again=not job.together)
        with ThreadPoolExecutor(job.at_once) as threads:
            list(threads.map(lambda node: _Step(job, place, [node]).run(done), alone))


def _sorted_out(hosts: Sequence[str], done: Done, *, wait: bool) -> tuple[list[str], list[str]]:
    """Return the idle nodes, and those with other jobs if these are waited for; all others have their reason."""
    known, idle, busy = states(), list[str](), list[str]()
    for host in hosts:
        state, why = known.get(host, ("unknown", ""))
        plain = "down" if state.endswith("*") else state.rstrip("~#!%$@^-+")  # *: it does not answer
        if plain in IDLE:
            idle.append(host)
        elif plain in BUSY and wait:
            busy.append(host)
        else:
            done(host, MachineError(f"Slurm lists the node as {state}{f': {why}' if why else ''}; see sinfo -R"))
    return idle, busy


def states() -> dict[str, tuple[str, str]]:
    """Return of each node of the partition its state and the reason; MachineError without a cluster."""
    own = os.environ.get(PARTITION, "")
    said = _asked(["sinfo", "--noheader", "--Node", *([f"--partition={own}"] if own else []), f"--format={FORMAT}"])
    rows = [[word.strip() for word in line.split("|", 3)] for line in said.splitlines() if line.count("|") >= 3]
    default = [] if own else [row for row in rows if row[1].endswith("*")]  # sinfo marks the default partition
    return {node: (state, why if why != "none" else "") for node, _, state, why in default or rows}


def _partition() -> str:
    own = os.environ.get(PARTITION)
    return f"the partition {own}" if own else "the default partition of this cluster"


class _Step:
    """One `srun` over some nodes."""

    def __init__(self, job: Job, place: Path, nodes: Sequence[str]) -> None:
        self._job, self._nodes = job, list(nodes)
        self._out = job.folder / "answers"
        self._out.mkdir(exist_ok=True)
        for node in nodes:
            (self._out / node).unlink(missing_ok=True)
        minutes = math.ceil((job.limit_s + SPARE_S) / 60)
        self._command = [
            "srun", f"--nodes={len(nodes)}", f"--ntasks={len(nodes)}", "--ntasks-per-node=1",
            f"--nodelist={','.join(nodes)}", "--exclusive", "--mem=0", "--cpu-bind=none", "--no-kill",
            "--kill-on-bad-exit=0", f"--immediate={START_S:.0f}", f"--time={minutes}", "--job-name=tierscope-fleet",
            "--input=none", "sh", str(place / "host.sh"), str(place), f"{job.limit_s:.0f}", str(self._out),
        ]  # fmt: skip

    def run(self, done: Done, *, again: bool = False) -> list[str]:
        """Report each node as soon as its file is there, and those without one at the end.

        again: return the nodes instead if `srun` got none of them, and there are several.
        """
        left = list(self._nodes)
        with tempfile.TemporaryFile() as printed:
            try:
                process = subprocess.Popen(
                    self._command, stdin=subprocess.DEVNULL, stdout=printed, stderr=printed, start_new_session=True
                )
            except OSError as error:
                for node in left:
                    done(node, MachineError(f"srun cannot be started: {reason(error)}; install slurm-client"))
                return []
            for node in self._arrived(left, process):
                done(node, self._answer(node))
            printed.seek(max(0, printed.seek(0, os.SEEK_END) - LAST_BYTES))
            errors = printed.read()
        if again and NOT_GIVEN in errors and left == self._nodes and len(left) > 1:
            return left
        self._missing(left, last_line(errors), done)
        return []

    def _missing(self, left: Sequence[str], said: str, done: Done) -> None:
        """Report nodes that did not answer."""
        now = _states_or_none()
        for node in left:
            state, why = now.get(node, ("unknown", ""))
            done(node, MachineError(f"no answer; Slurm lists the node as {state}{f' ({why})' if why else ''}; {said}"))

    def _arrived(self, left: list[str], process: subprocess.Popen[bytes]) -> Iterator[str]:
        """Yield nodes as their files come, until srun has ended or the time is up."""
        until = time.monotonic() + START_S + self._job.limit_s + SPARE_S
        try:
            while left:
                ended = process.poll() is not None
                for node in [one for one in left if (self._out / one).exists()]:
                    left.remove(node)
                    yield node
                if ended or time.monotonic() > until:
                    return
                time.sleep(POLL_S)
        finally:
            _end(process, bool(left))

    def _answer(self, node: str) -> bytes | MachineError:
        path = self._out / node
        try:
            if path.stat().st_size > MOST_BYTES:
                return MachineError(f"the node wrote more than {MOST_BYTES >> 20} MiB; an answer is smaller")
            content = path.read_bytes()
            path.unlink()
            return content
        except OSError as error:
            return MachineError(f"its answer cannot be read: {reason(error)}")


def _end(process: subprocess.Popen[bytes], forced: bool) -> None:
    """Let srun finish; cancel its job where nodes are missing after the time."""
    try:
        process.wait(1 if forced else ANSWER_S)
    except subprocess.TimeoutExpired:
        process.terminate()
        try:
            process.wait(ANSWER_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _states_or_none() -> dict[str, tuple[str, str]]:
    try:
        return states()
    except MachineError:
        return {}


def _asked(command: list[str]) -> str:
    try:
        found = subprocess.run(command, capture_output=True, timeout=ANSWER_S, check=False, stdin=subprocess.DEVNULL)
    except FileNotFoundError as error:
        raise MachineError(
            "no Slurm here: sinfo is not installed; run this on a login node, or use --via ssh"
        ) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MachineError(f"{command[0]} does not answer: {error}; look at slurmctld") from error
    if found.returncode:
        raise MachineError(f"{command[0]} failed: {last_line(found.stderr)}; look at slurmctld, or use --via ssh")
    return found.stdout.decode(errors="replace")


engines.add(Slurm())
