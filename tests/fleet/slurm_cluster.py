"""A Slurm cluster of this test alone: one slurmctld and many slurmd on this machine, in a folder of its own."""

import os
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from secrets import token_bytes
from typing import Self

PROGRAMS = ("slurmctld", "slurmd", "munged", "srun", "sinfo", "scontrol")
WHERE = f"{os.environ.get('PATH', '')}:/usr/sbin"
READY = {"idle", "drained"}  # drained: by a health check
FIRST_PORT = 27100
CONFIG = """ClusterName=bench
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=26817
AuthType=auth/munge
AuthInfo=socket={d}/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={d}/ctl
SlurmdSpoolDir={d}/spool/%n
SlurmctldPidFile={d}/pid/ctl
SlurmdPidFile={d}/pid/%n
SlurmctldLogFile={d}/log/ctl
SlurmdLogFile={d}/log/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,max_sched_time=2
SelectType=select/linear
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
KillWait=5
MessageTimeout=20
SlurmdTimeout=30
NodeName=n[001-{count:03}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=2 RealMemory=1000
PartitionName=all Nodes=n[001-{count:03}] Default=YES MaxTime=INFINITE State=UP OverSubscribe=EXCLUSIVE
"""


def lacking() -> str:
    """Return why no cluster can be started here, with the command that enables it; "" if one can."""
    if missing := [one for one in PROGRAMS if not shutil.which(one, path=WHERE)]:
        return f"no {missing[0]}: sudo apt-get install -y --no-install-recommends slurm-wlm slurmd slurmctld munge"
    return "" if os.geteuid() == 0 else "daemons of Slurm need root here: run this test with sudo"


class Cluster:
    """Use as a context manager; `environment` reaches it."""

    def __init__(self, folder: Path, count: int, more: str = "") -> None:
        """more: further lines of slurm.conf."""
        self._folder = folder
        self.names = [f"n{number:03}" for number in range(1, count + 1)]
        self.environment = {"SLURM_CONF": str(folder / "slurm.conf")}
        host = socket.gethostname().partition(".")[0]
        last = FIRST_PORT + count - 1
        for name in ("ctl", "spool", "pid", "log", "munge", "empty"):
            (folder / name).mkdir(parents=True, mode=0o700)
        text = CONFIG.format(d=folder, host=host, count=count, first=FIRST_PORT, last=last)
        (folder / "slurm.conf").write_text(text + more)
        (folder / "cgroup.conf").write_text(
            f"CgroupPlugin=cgroup/v1\nCgroupMountpoint={folder}/empty\nCgroupAutomount=no\n"
        )
        (folder / "munge/key").write_bytes(token_bytes(1024))
        (folder / "munge/key").chmod(0o400)

    def __enter__(self) -> Self:
        munge = self._folder / "munge"
        self._run("munged", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket",
                  f"--pid-file={self._folder}/pid/munge", f"--log-file={munge}/log",
                  f"--seed-file={munge}/seed")  # fmt: skip
        self._run("slurmctld", "-c", "-f", self.environment["SLURM_CONF"])
        for name in self.names:
            self.start(name)
        for _ in range(300):
            if set((said := self.states()).split()) <= READY and len(said.split()) == len(self.names):
                return self
            time.sleep(0.2)
        self.__exit__()
        raise AssertionError(f"the cluster did not become idle: {said}")

    def __exit__(self, *_error: object) -> None:
        for path in sorted((self._folder / "pid").iterdir()):
            self._signal(path.name, signal.SIGKILL)

    def states(self) -> str:
        """Return the state of each node, one line each."""
        said = subprocess.run(["sinfo", "-hN", "-o", "%T"], env=self._all, capture_output=True, text=True, check=False)
        return said.stdout or said.stderr

    def reason(self, name: str) -> str:
        """Return why a node is out of service."""
        command = ["sinfo", "-hN", "-n", name, "-o", "%E"]
        return subprocess.run(command, env=self._all, capture_output=True, text=True, check=True).stdout.strip()

    def drain(self, name: str, why: str) -> None:
        """Take a node out of service."""
        self._update(name, "state=drain", f"reason={why}")

    def resume(self, *, completing: bool = False) -> None:
        """Take drained nodes back into service, and those whose job does not complete, as an administrator does."""
        said = subprocess.run(
            ["sinfo", "-hN", "-o", "%N %T"], env=self._all, capture_output=True, text=True, check=True
        ).stdout
        stuck = ("drain", "down", "completing") if completing else ("drain", "down")
        for name, state in (line.split() for line in said.splitlines()):
            if not state.startswith(stuck):
                continue
            if state.startswith("completing"):
                self._update(name, "state=down", "reason=does not complete")
            self._update(name, "state=resume")

    def start(self, name: str) -> None:
        """Start the daemon of a node."""
        self._run("slurmd", "-N", name, "-f", self.environment["SLURM_CONF"])

    def kill(self, count: int) -> list[str]:
        """End some nodes whose tasks run, with all that these started, as a power failure would; return their names."""
        every = self.tasks()
        gone = sorted(every)[-count:]
        for name in gone:
            for number in every[name]:
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            self._signal(name, signal.SIGKILL)
        return gone

    def tasks(self) -> dict[str, list[int]]:
        """Return the processes of the tasks of each node that has some."""
        own = f"SLURM_CONF={self.environment['SLURM_CONF']}".encode()
        found: dict[str, list[int]] = {}
        for path in Path("/proc").glob("[0-9]*/environ"):
            words = _words(path)
            for word in words if own in words else ():
                if word.startswith(b"SLURMD_NODENAME="):
                    found.setdefault(word.partition(b"=")[2].decode(), []).append(int(path.parent.name))
        return found

    @property
    def _all(self) -> dict[str, str]:
        return {**os.environ, **self.environment}

    def _update(self, name: str, *words: str) -> None:
        self._run("scontrol", "update", f"nodename={name}", *words)

    def _signal(self, name: str, number: int) -> None:
        with suppress(OSError, ValueError):  # it ended before
            os.kill(int((self._folder / "pid" / name).read_text()), number)

    def _run(self, program: str, *words: str) -> None:
        found = shutil.which(program, path=WHERE)
        assert found
        subprocess.run([found, *words], env=self._all, check=True, stdin=subprocess.DEVNULL, capture_output=True)


def _words(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().split(b"\0")
    except OSError:
        return []
