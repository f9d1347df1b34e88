"""`tierscope vm` from end to end: a run comes home marked, Ctrl-C ends QEMU, and a machine that dies is one line."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tierscope.record.result import load
from tierscope.vm import needs
from virtual import skipped_without

COMMAND = (sys.executable, "-c", "import sys; from tierscope.cli.entry import main; sys.exit(main())", "vm")
SMALL = ("run", "stream", "target=node:2", "kernels=memset", "threads=1", "array=64KiB", "budget=0.05")


@pytest.fixture(autouse=True)
def possible() -> None:
    with skipped_without():
        needs.kernel()
        needs.emulator()
        needs.busybox()


def qemu_of(owner: int) -> int:
    """The process of QEMU that another process started; 0 where there is none yet."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = path.read_text().rpartition(") ")
        except OSError:
            continue
        if "qemu" in name and int(rest.split()[1]) == owner:
            return int(path.parent.name)
    return 0


def started(at: Path, *words: str) -> tuple[subprocess.Popen[str], int]:
    """A command of its own, and its QEMU."""
    process = subprocess.Popen([*COMMAND, *words], cwd=at, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 120
    while not (found := qemu_of(process.pid)):
        assert time.monotonic() < until
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    return process, found


def test_a_run_on_a_node_without_cpus_comes_home_marked(tmp_path: Path) -> None:
    words = [*COMMAND, "numa:tcg", "--", *SMALL, "--out", str(tmp_path / "run")]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 4), done.stderr
    assert "machine numa is ready" in done.stderr
    run = load(tmp_path / "run")
    assert (run.result.origin, run.result.origin_by) == ("emulated", "QEMU (TCG), machine numa")
    assert (run.result.machine.hostname, run.result.machine.reached) == ("vm-numa", "vm:numa:tcg")
    assert {node for record in run.result.records for facts in record.groups for node in facts.nodes} == {"2"}
    assert "EMULATED by QEMU (TCG)" in (tmp_path / "run/report-emulated.html").read_text()
    assert "no time or speed here is one of a memory" in done.stdout.replace("\n", " ").replace("  ", " ")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_stopped_leaves_no_qemu(tmp_path: Path, number: signal.Signals) -> None:
    process, qemu = started(tmp_path, "numa:tcg", "--", *SMALL)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert not Path(f"/proc/{qemu}").exists()


def test_a_machine_that_dies_is_one_line_and_keeps_the_run(tmp_path: Path) -> None:
    words = ("numa:tcg", "--", "run", "stream", "target=node:1", "array=1MiB", "--out", "run")
    process, qemu = started(tmp_path, *words)
    until = time.monotonic() + 180
    while not (tmp_path / "run/result.json").exists():
        assert time.monotonic() < until
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    os.kill(qemu, signal.SIGKILL)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 3, said
    assert said.splitlines()[-1].startswith("tierscope: vm:numa:tcg: ")
