"""Settings of levers are written for a take and put back however a run ends. Files are in a folder; kills are real."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tierscope.doctor.check import checks
from tierscope.errors import MachineError
from tierscope.host.levers import SCHEMATA, Range, look, range_of
from tierscope.host.levers_kept import STORED, KeptFiles
from tierscope.host.system import System
from tierscope.record.experiment import Experiment, Group, Setting, Target, Team, Workload
from tierscope.record.work.hop import HopWork
from tierscope.run.levered import Levered

CLOCK = "/sys/devices/system/cpu/cpufreq/policy*/scaling_max_freq"
UNCORE = "/sys/devices/system/cpu/intel_uncore_frequency/package_*/max_freq_khz"
RUN = """
import sys, time
from pathlib import Path
from tierscope.record.experiment import Setting
from tierscope.run.levered import Levered
sys.path.insert(0, sys.argv[2])
from test_levered import experiment
Levered(Path(sys.argv[1])).take(experiment(), 1)
print("written", flush=True)
time.sleep(120)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a system with two policies, an uncore, and resctrl."""
    texts = {
        "proc/sys/kernel/random/boot_id": "one",
        "sys/devices/system/cpu/intel_uncore_frequency/package_00_die_00/max_freq_khz": "2400000",
        "sys/devices/system/cpu/intel_uncore_frequency/package_00_die_00/initial_min_freq_khz": "800000",
        "sys/fs/resctrl/schemata": "    MB:0=100;1= 90\n    L3:0=fff;1=fff",
        "sys/fs/resctrl/info/MB/min_bandwidth": "10",
        "sys/fs/resctrl/info/MB/bandwidth_gran": "10",
    }
    for policy, most in ((0, 3000000), (1, 3200000)):
        folder = f"sys/devices/system/cpu/cpufreq/policy{policy}"
        texts |= {f"{folder}/scaling_max_freq": str(most), f"{folder}/cpuinfo_min_freq": "1000000"}
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return tmp_path


def experiment() -> Experiment:
    """Three takes: without a setting, both clocks lower, and a cap."""
    work = Workload(kernel="chase", footprint_bytes=1 << 20, work=HopWork())
    group = Group(workload=work, target=Target(), team=Team(cpus=(0,)))
    low = Setting(path=CLOCK, text="1500000")
    return Experiment(
        table="response", groups=(group,), takes=((0,), (0,), (0,)),
        settings=((), (low,), (Setting(path=SCHEMATA, text="MB:0=40;1=40"),)),
    )  # fmt: skip


def clocks(root: Path) -> list[str]:
    return [path.read_text().strip() for path in sorted(root.glob(CLOCK.lstrip("/")))]


def schemata(root: Path) -> str:
    return (root / SCHEMATA.lstrip("/")).read_text().strip()


def test_each_take_has_its_settings_and_what_was_there_comes_back(root: Path) -> None:
    levered = Levered(root)
    with levered.during():
        levered.take(experiment(), 0)
        assert not (root / STORED).exists()
        levered.take(experiment(), 1)
        assert clocks(root) == ["1500000", "1500000"]
        levered.take(experiment(), 2)
        assert clocks(root) == ["3000000", "3200000"]
        assert schemata(root) == "MB:0=40;1=40"
        levered.take(experiment(), 0)
        assert schemata(root) == "MB:0=100;1= 90"
        levered.take(experiment(), 1)
    assert clocks(root) == ["3000000", "3200000"]
    assert not (root / STORED).exists()


def test_an_error_in_a_take_puts_all_back(root: Path) -> None:
    levered = Levered(root)

    def fails() -> None:
        with levered.during():
            levered.take(experiment(), 1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert clocks(root) == ["3000000", "3200000"]


def test_a_run_that_is_killed_leaves_a_guard_that_puts_all_back(root: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", RUN, str(root), str(Path(__file__).parent)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"written\n"
    assert clocks(root) == ["1500000", "1500000"]
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    end = time.monotonic() + 60
    while (root / STORED).exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    assert clocks(root) == ["3000000", "3200000"]


def test_a_second_run_does_not_overwrite_what_the_first_one_stored(root: Path) -> None:
    KeptFiles(root).keep([CLOCK])
    with pytest.raises(MachineError, match="another run has changed settings"):
        Levered(root).take(experiment(), 1)
    assert KeptFiles(root).restore() == 2


def test_values_of_an_earlier_start_are_not_written(root: Path) -> None:
    files = KeptFiles(root)
    files.keep([CLOCK])
    files.write(CLOCK, "1500000")
    (root / "proc/sys/kernel/random/boot_id").write_text("two\n")
    assert files.restore() == 0
    assert clocks(root) == ["1500000", "1500000"]


@pytest.mark.parametrize("path", ["/etc/passwd", "/sys/devices/system/cpu/cpu1/online", "/sys/fs/resctrl/../x"])
def test_no_other_file_is_written(root: Path, path: str) -> None:
    files = KeptFiles(root)
    with pytest.raises(MachineError, match="is not a file of a lever"):
        files.write(path, "0")
    with pytest.raises(MachineError, match="is not a file of a lever"):
        files.keep([path])


def test_a_value_that_the_kernel_does_not_take_is_an_error(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.write", lambda handle, content: len(content))
    with pytest.raises(MachineError, match="the kernel does not take it"):
        KeptFiles(root).write(CLOCK, "1500000")


def test_a_damaged_file_is_reported(root: Path) -> None:
    (root / STORED).parent.mkdir(parents=True)
    (root / STORED).write_text("{")
    with pytest.raises(MachineError, match="cannot be read"):
        KeptFiles(root).kept()


def test_ranges_are_in_the_state_of_the_machine(root: Path) -> None:
    state = look(System(root))
    assert state == {
        "lever_resctrl": "10-100/10 0,1", "lever_uncore": "800000-2400000/1", "lever_clock": "1000000-3000000/1",
    }  # fmt: skip
    found = range_of(state, "resctrl")
    assert isinstance(found, Range)
    assert found.down(3) == [70, 40, 10]
    assert found.show(40) == "bandwidth capped at 40 %"
    clock = range_of(state, "clock")
    assert isinstance(clock, Range)
    assert clock.down(2) == [2000000, 1000000]


def test_what_is_absent_or_useless_is_not_a_lever(tmp_path: Path, root: Path) -> None:
    assert look(System(tmp_path / "empty")) == {}
    assert "no /sys" in str(range_of({}, "clock"))
    (root / "sys/fs/resctrl/schemata").write_text("MB:0=2048;1=2048\n")
    for path in root.glob(UNCORE.lstrip("/")):
        path.write_text("800000\n")
    state = look(System(root))
    assert "another unit" in state["lever_resctrl"]
    assert "lowest value already" in state["lever_uncore"]


def test_the_doctor_reports_settings_that_were_not_put_back(root: Path) -> None:
    assert checks["levers"].look(System(root)).verdict == "good"
    files = KeptFiles(root)
    files.keep([CLOCK])
    files.write(CLOCK, "1500000")
    assert checks["levers"].look(System(root)).verdict == "bad"
