"""A core, and a victim's command in it, end with the process that started them, however that ends."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

OWNER = """
from tierscope.core import Session
from tierscope.experiment import Group, Target, Team, Workload
work = Workload(kernel="command", footprint_bytes=0, command="echo begun; sleep 4711")
session = Session()
session.prepare([Group(workload=work, target=Target(name="null", where=""), team=Team(cpus=(CPU,)), role="victim")])
print("measuring", flush=True)
session.measure(0.1, 0.05)
"""
CPU = min(os.sched_getaffinity(0))
WAIT_S = 20  # on a busy machine; a good core is gone at once


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


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_outlives_the_owner(how: signal.Signals) -> None:
    command = [sys.executable, "-c", OWNER.replace("CPU", str(CPU))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "measuring\n"
        assert until(lambda: len(sleepers(owner.pid)) >= 4), "core, guard, shell and sleep"
        started = sleepers(owner.pid)
        owner.send_signal(how)
    assert until(lambda: all(gone(pid) for pid in started))
