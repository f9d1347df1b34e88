"""A core, and a victim's command in it, end with the process that started them, however that ends."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

OWNER = """
import signal
from tierscope.core import Session
from tierscope.record.experiment import Group, Target, Team, Workload
from tierscope.record.work.task import TaskWork
for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):  # nohup and some CI systems start us deaf to some of them
    signal.signal(each, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_SETMASK, ())
DEAF
work = Workload(kernel="command", footprint_bytes=0, work=TaskWork(command="COMMAND"))
session = Session()
session.prepare([Group(workload=work, target=Target(name="null", where=""), team=Team(cpus=(CPU,)), role="victim")])
print("measuring", flush=True)
session.measure(0.1, 0.05)
"""
CPU = min(os.sched_getaffinity(0))
WAIT_S = 300  # a good core ends immediately; a busy machine may take a while


def sleepers(pid: int) -> list[int]:
    """Processes below `pid`, at any depth."""
    found = []
    for child in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(child.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == pid:
            found += [int(child.parent.name), *sleepers(int(child.parent.name))]
    return found


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def until(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


@contextmanager
def measuring(command: str, *deaf: signal.Signals) -> Iterator["subprocess.Popen[str]"]:
    """An owner whose core runs the victim `command`; `deaf`: signals that it ignores, as under nohup."""
    ignored = "\n".join(f"signal.signal({each:d}, signal.SIG_IGN)" for each in deaf)
    code = OWNER.replace("CPU", str(CPU)).replace("DEAF", ignored).replace("COMMAND", command)
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert owner.stdout is not None
        assert select.select([owner.stdout], [], [], WAIT_S)[0], "the owner prints nothing"
        assert owner.stdout.readline() == "measuring\n"
        yield owner
    finally:
        owner.kill()
        owner.communicate(timeout=WAIT_S)


@pytest.mark.parametrize(
    ("how", "deaf"),
    [
        (signal.SIGTERM, ()),
        (signal.SIGHUP, ()),
        (signal.SIGKILL, ()),
        (signal.SIGTERM, (signal.SIGHUP,)),
        (signal.SIGKILL, (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)),
    ],
)
def test_nothing_outlives_the_owner(how: signal.Signals, deaf: tuple[signal.Signals, ...]) -> None:
    with measuring("echo begun; sleep 4711", *deaf) as owner:
        assert until(lambda: len(sleepers(owner.pid)) >= 4), "core, guard, shell and sleep"
        started = sleepers(owner.pid)
        owner.send_signal(how)
        owner.wait(timeout=WAIT_S)
    assert until(lambda: all(gone(pid) for pid in started))


def test_an_owner_that_ignores_a_closed_terminal_continues() -> None:
    with measuring("echo begun; sleep 4711", signal.SIGHUP) as owner:
        assert until(lambda: len(sleepers(owner.pid)) >= 4), "core, guard, shell and sleep"
        started = sleepers(owner.pid)
        for pid in (owner.pid, started[0]):  # the core inherits what its owner ignores
            os.kill(pid, signal.SIGHUP)
        time.sleep(0.2)
        assert owner.poll() is None
        assert not any(gone(pid) for pid in started)
    assert until(lambda: all(gone(pid) for pid in started))


def test_a_victim_command_hears_all_signals_whatever_its_owner_ignores(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    command = f"grep -E '^Sig(Blk|Ign)' /proc/self/status >{seen}.part; mv {seen}.part {seen}; echo; sleep 4711"
    with measuring(command, signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        assert until(seen.exists)
    own = 3 << 31  # 32 and 33 are the C library's: its posix_spawn leaves them ignored, and programs cannot name them
    assert [int(line.split()[1], 16) & ~own for line in seen.read_text().splitlines()] == [0, 0]
