"""Prefetchers are put back however a run ends. Registers are files in a folder; the processes and kills are real."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from made_machine import made_machine
from tierscope.cli import settings
from tierscope.doctor.check import checks
from tierscope.errors import Exit, MachineError, UsageError
from tierscope.host.prefetchers import AMD, INTEL, STORED, Register, Registers, register_of
from tierscope.host.system import System
from tierscope.plans import suites
from tierscope.run.prefetching import prefetching, refuse_prefetching
from tierscope.run.start import asked_prefetch

BEFORE = {0: 0x20, 1: 0x22}  # reserved bits must stay; on CPU 1 the firmware has disabled one prefetcher
RUN = """
import sys, time
from pathlib import Path
from tierscope.run.prefetching import prefetching
with prefetching("off", Path(sys.argv[1])):
    print("switched", flush=True)
    time.sleep(120)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a system with two CPUs, with what an Intel processor has."""
    return made_root(tmp_path, INTEL, "vendor_id\t: GenuineIntel\ncpu family\t: 6\n")


def made_root(root: Path, register: Register, cpuinfo: str) -> Path:
    for cpu, value in BEFORE.items():
        path = root / f"dev/cpu/{cpu}/msr"
        path.parent.mkdir(parents=True)
        with path.open("wb") as stream:
            stream.seek(register.address)
            stream.write(value.to_bytes(8, "little"))
    (root / "proc/sys/kernel/random").mkdir(parents=True)
    (root / "proc/sys/kernel/random/boot_id").write_text("one\n")
    (root / "proc/cpuinfo").write_text(cpuinfo)
    return root


def values(root: Path, register: Register = INTEL) -> dict[int, int]:
    return {cpu: Registers(root).read(cpu, register.address) for cpu in BEFORE}


def within(seconds: float, holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize(("asked", "switched"), [("off", {0: 0x2F, 1: 0x2F}), ("on", {0: 0x20, 1: 0x20})])
def test_all_are_switched_for_the_time_of_a_run_and_other_bits_stay(
    root: Path, asked: str, switched: dict[int, int]
) -> None:
    with prefetching(asked, root):
        assert values(root) == switched
        assert (root / STORED).exists()
    assert values(root) == BEFORE
    assert not (root / STORED).exists()


def test_nothing_is_touched_unless_asked(tmp_path: Path) -> None:
    refuse_prefetching(None, tmp_path)
    with prefetching(None, tmp_path):
        assert list(tmp_path.iterdir()) == []


def test_an_amd_processor_has_its_own_register(tmp_path: Path) -> None:
    root = made_root(tmp_path, AMD, "vendor_id\t: AuthenticAMD\ncpu family\t: 25\n")
    with prefetching("off", root):
        assert values(root, AMD) == {0: 0x2F, 1: 0x2F}
    assert values(root, AMD) == BEFORE


def test_an_error_within_the_run_puts_them_back(root: Path) -> None:
    with pytest.raises(ZeroDivisionError), prefetching("off", root):
        raise ZeroDivisionError
    assert values(root) == BEFORE
    assert not (root / STORED).exists()


def run_in(root: Path) -> "subprocess.Popen[str]":
    """Return a run that has switched them off, in a session of its own."""
    run = subprocess.Popen(
        [sys.executable, "-c", RUN, str(root)], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert run.stdout
    assert run.stdout.readline() == "switched\n"
    assert values(root) == {0: 0x2F, 1: 0x2F}
    return run


def guard_of(run: "subprocess.Popen[str]") -> int:
    return int(Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()[0])


def ended(run: "subprocess.Popen[str]") -> None:
    run.wait(30)
    assert run.stdout
    run.stdout.close()


@pytest.mark.parametrize("kill", [os.kill, os.killpg], ids=["process", "group"])
def test_a_guard_puts_them_back_when_the_run_is_killed(root: Path, kill: Callable[[int, int], None]) -> None:
    run = run_in(root)
    kill(run.pid, signal.SIGKILL)
    ended(run)
    assert within(30, lambda: values(root) == BEFORE and not (root / STORED).exists())


def test_a_run_whose_guard_was_killed_puts_them_back_itself(root: Path) -> None:
    run = run_in(root)
    os.kill(guard_of(run), signal.SIGKILL)
    run.send_signal(signal.SIGINT)
    ended(run)
    assert values(root) == BEFORE
    assert not (root / STORED).exists()


def test_the_guard_outlives_what_a_terminal_sends(root: Path) -> None:
    run = run_in(root)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(guard_of(run), number)
    time.sleep(0.2)
    run.kill()
    ended(run)
    assert within(30, lambda: values(root) == BEFORE)


def test_when_both_are_killed_the_doctor_finds_it_and_puts_them_back(root: Path) -> None:
    run = run_in(root)
    os.kill(guard_of(run), signal.SIGKILL)
    run.kill()
    ended(run)
    assert values(root) == {0: 0x2F, 1: 0x2F}
    found = checks["prefetchers"].examine(System(root))
    assert (found.verdict, found.remedy) == ("bad", "sudo tierscope doctor --restore")
    assert "changed by a run on 2 CPUs" in found.state
    with pytest.raises(MachineError, match="has not put them back; if it ended: sudo tierscope doctor --restore"):
        refuse_prefetching("off", root)
    assert Registers(root).restore() == 2
    assert values(root) == BEFORE
    assert checks["prefetchers"].examine(System(root)).verdict == "good"


def test_the_command_puts_them_back_and_reports_them_alone(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    registers = Registers(root)
    registers.switch(registers.keep(INTEL), on=False)
    assert settings.restore_settings(System(root)) == Exit.GOOD
    assert values(root) == BEFORE
    assert capsys.readouterr().out.splitlines() == ["Prefetchers of 2 CPUs: as they were before the run."]
    assert settings.restore_settings(System(root)) == Exit.GOOD
    assert capsys.readouterr().out == "Nothing to put back.\n"


def test_after_a_restart_the_doctor_states_that_the_firmware_has_set_them(root: Path) -> None:
    Registers(root).keep(INTEL)
    (root / "proc/sys/kernel/random/boot_id").write_text("two\n")
    found = checks["prefetchers"].examine(System(root))
    assert (found.verdict, "before the last start" in found.state) == ("note", True)


def test_after_a_restart_nothing_is_written_and_the_file_is_removed(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registers = Registers(root)
    registers.keep(INTEL)
    registers.write(0, INTEL.address, 0x25)  # by the firmware, at the next start
    (root / "proc/sys/kernel/random/boot_id").write_text("two\n")
    assert settings.restore_settings(System(root)) == Exit.GOOD
    assert values(root) == {**BEFORE, 0: 0x25}
    assert not (root / STORED).exists()
    assert capsys.readouterr().out.splitlines() == [
        "Prefetchers: the machine was restarted since; the firmware has set them. Nothing was written."
    ]
    registers.keep(INTEL)
    (root / "proc/sys/kernel/random/boot_id").write_text("three\n")
    assert registers.restore() == 0
    assert not (root / STORED).exists()


def test_after_a_restart_the_next_run_stores_what_the_firmware_has_set(root: Path) -> None:
    registers = Registers(root)
    registers.keep(INTEL)
    registers.write(0, INTEL.address, 0x25)
    (root / "proc/sys/kernel/random/boot_id").write_text("two\n")
    refuse_prefetching("off", root)
    with prefetching("off", root):
        assert values(root) == {0: 0x2F, 1: 0x2F}
    assert values(root) == {**BEFORE, 0: 0x25}


@pytest.mark.parametrize("shown", ["", "two\n"])
def test_where_no_start_is_known_the_values_are_put_back(root: Path, shown: str) -> None:
    registers = Registers(root)
    boot = root / "proc/sys/kernel/random/boot_id"
    boot.write_text("" if shown else "one\n")
    registers.switch(registers.keep(INTEL), on=False)
    boot.write_text(shown)
    assert registers.restore() == 2
    assert values(root) == BEFORE


def test_a_damaged_file_is_not_known_to_be_good(root: Path) -> None:
    (root / STORED).parent.mkdir(parents=True)
    (root / STORED).write_text("{")
    assert checks["prefetchers"].examine(System(root)).verdict == "unknown"


def test_two_runs_do_not_switch_at_the_same_time(root: Path) -> None:
    with (
        prefetching("off", root),
        pytest.raises(MachineError, match="has not put them back"),
        prefetching("on", root),
    ):
        pass
    assert values(root) == BEFORE


def test_a_hypervisor_that_ignores_writes_is_found_by_reading_back(root: Path) -> None:
    """Writes to /dev/zero are lost, and reads are zero."""
    for cpu in BEFORE:
        (root / f"dev/cpu/{cpu}/msr").unlink()
        (root / f"dev/cpu/{cpu}/msr").symlink_to("/dev/zero")
    ignored = "is 0x0 after 0xf was written: the hypervisor or the firmware ignores"
    with pytest.raises(MachineError, match=ignored), prefetching("off", root):
        pytest.fail("the run must not begin")
    assert not (root / STORED).exists()


def test_without_the_module_the_next_step_is_named(root: Path) -> None:
    for cpu in BEFORE:
        (root / f"dev/cpu/{cpu}/msr").unlink()
    with pytest.raises(MachineError, match="load the module with sudo modprobe msr"):
        refuse_prefetching("off", root)
    assert not (root / STORED).exists()


def test_a_register_that_is_not_there_is_an_error(root: Path) -> None:
    (root / "dev/cpu/1/msr").write_bytes(b"")
    with pytest.raises(MachineError, match="has no register 0x1a4: 0 of 8 bytes"):
        refuse_prefetching("off", root)


def test_a_processor_without_a_published_register_is_refused(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    for text in ("", "vendor_id : AuthenticAMD\ncpu family : 23\n", "vendor_id : GenuineIntel\ncpu family : 15\n"):
        (tmp_path / "proc/cpuinfo").write_text(text)
        with pytest.raises(MachineError, match="no register for prefetchers is known of"):
            register_of(System(tmp_path))


def test_a_machine_reached_by_ssh_has_no_prefetchers_to_switch_from_here() -> None:
    options, machine = suites["stream"].read({"prefetch": "off"}), made_machine(2)
    assert asked_prefetch(options, machine) == "off"
    assert asked_prefetch(suites["numa"].read({}), machine) is None
    with pytest.raises(UsageError, match="prefetch=off: it switches those of this machine only"):
        asked_prefetch(options, msgspec.structs.replace(machine, reached="ssh:there"))
