"""A node of a Slurm cluster as another machine: an allocation of the whole node, and one step of `srun` per process.

The node stays allocated until the end, so no job starts during the measurement. Nothing is asked of a node that is
down, drained or taken: `salloc` ends with the reason after START_S. Account, partition and QOS are Slurm's own
variables of the environment, such as SALLOC_ACCOUNT, or those of srun, such as SLURM_ACCOUNT.
Source: Slurm 22.05, salloc(1) (--no-shell, --immediate), srun(1) (--jobid, --overlap, --cpu-bind), scancel(1).
"""

import os
import re
import subprocess
from contextlib import suppress

from tierscope.errors import MachineError, UsageError, reason
from tierscope.remote.connection import last_line

SCHEME = "slurm:"
NODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")
START_S, ASKED_S = 60, 90.0
SITE = ("ACCOUNT", "PARTITION", "QOS", "RESERVATION")  # salloc reads SALLOC_X, and srun SLURM_X
GRANTED = re.compile(rb"Granted job allocation ([0-9]+)")


class Allocation:
    """An allocated node. word: `slurm:NODE`."""

    def __init__(self, word: str) -> None:
        self.word = word
        self._node = node(word)
        self._job = ""
        command = [
            "salloc", "--no-shell", "--nodes=1", f"--nodelist={self._node}", "--exclusive", "--mem=0",
            f"--immediate={START_S}", "--job-name=tierscope",
        ]  # fmt: skip
        try:
            said = subprocess.run(
                command, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=ASKED_S,
                check=False,
            ).stderr  # fmt: skip
        except FileNotFoundError as error:
            raise MachineError(f"{word}: no Slurm here: salloc is not installed; run this on a login node") from error
        except (OSError, subprocess.TimeoutExpired) as error:
            why = reason(error) if isinstance(error, OSError) else f"no answer within {ASKED_S:g} s"
            raise MachineError(f"{word}: salloc: {why}; look at slurmctld") from error
        if not (found := GRANTED.search(said)):
            raise MachineError(f"{word}: Slurm does not give the node: {last_line(said)}; see sinfo -R")
        self._job = found[1].decode()

    def command(self) -> list[str]:
        """Return the command line of a step: an `sh` there, on all CPUs of the node."""
        return ["srun", "--quiet", f"--jobid={self._job}", "--overlap", "--nodes=1", "--ntasks=1",
                f"--nodelist={self._node}", "--cpu-bind=none", "--unbuffered", "sh"]  # fmt: skip

    def close(self) -> None:
        """Give the node back; more than once does no harm."""
        if self._job:
            with suppress(OSError, subprocess.TimeoutExpired):
                command = ["scancel", "--quiet", self._job]
                subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=ASKED_S, check=False)
            self._job = ""


def _environment() -> dict[str, str]:
    """Return the environment, in which the options of a site for srun are those for salloc, too."""
    return {f"SALLOC_{one}": os.environ[f"SLURM_{one}"] for one in SITE if f"SLURM_{one}" in os.environ} | os.environ


def node(word: str) -> str:
    """Return the name in `slurm:NODE`; UsageError for another word, since it becomes an argument of Slurm."""
    name = word.removeprefix(SCHEME)
    if not word.startswith(SCHEME) or not NODE.fullmatch(name):
        raise UsageError(f"--host {word!r} is not a node; write slurm:NODE, as in slurm:node7; `sinfo -N` lists them")
    return name
