"""A setting of the kernel that really runs: changed by one step of a pause, by a process that is then killed, and put
back by another.
"""

import os
import signal
import subprocess
import sys

import pytest

from tierscope.doctor import kept
from tierscope.doctor.apply import restore
from tierscope.host.system import System

PAUSE = "/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs"
KILLED = f"""
import os, signal
from tierscope.doctor.apply import apply, write
from tierscope.doctor.kept import Change
from tierscope.host.system import System

def last(system, path, text):
    write(system, path, text)
    os.kill(os.getpid(), signal.SIGKILL)

system = System()
old = system.read({PAUSE!r})
apply(system, [Change(check="khugepaged", path={PAUSE!r}, old=old, new=str(int(old) + 1))], last)
"""

pytestmark = pytest.mark.machine


def test_a_real_setting_is_put_back_after_the_process_that_changed_it_was_killed() -> None:
    system = System()
    before = system.number(PAUSE)
    if before is None or not os.access(PAUSE, os.W_OK) or not os.access("/run", os.W_OK):
        pytest.skip("needs root, and a kernel with transparent huge pages")
    if kept.of_this_boot(system):
        pytest.skip("settings of somebody else wait to be put back: tierscope doctor --restore")
    done = subprocess.run([sys.executable, "-c", KILLED], check=False)
    try:
        assert done.returncode == -signal.SIGKILL
        assert system.number(PAUSE) == before + 1
    finally:
        found = restore(system)
    assert [(outcome.now, outcome.fault) for outcome in found] == [(str(before), "")]
    assert system.number(PAUSE) == before
    assert kept.load(system) is None
