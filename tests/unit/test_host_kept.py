"""Files that remember what a run changed have one rule, for prefetchers and for levers alike."""

import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tierscope.cli import settings
from tierscope.doctor.check import checks
from tierscope.errors import Exit, MachineError
from tierscope.host.boot import BOOT_ID
from tierscope.host.kept import KeptFile, OfStart
from tierscope.host.levers_kept import KeptFiles
from tierscope.host.prefetchers import INTEL, Registers
from tierscope.host.system import System
from tierscope.record.experiment import Experiment, Group, Setting, Target, Team, Workload
from tierscope.record.work.hop import HopWork
from tierscope.run.levered import Levered, refuse_levered

CLOCK = "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq"
CLOCKS = "/sys/devices/system/cpu/cpufreq/policy*/scaling_max_freq"
MSR = "/dev/cpu/0/msr"
FIRST, CHANGED, LATER = 3000000, 1500000, 2800000


def put(root: Path, name: str, content: bytes) -> None:
    path = root / name.lstrip("/")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a system with one clock and one register of an Intel processor, in its start 'one'."""
    put(tmp_path, BOOT_ID, b"one\n")
    put(tmp_path, CLOCK, f"{FIRST}\n".encode())
    put(tmp_path, MSR, bytes(INTEL.address) + FIRST.to_bytes(8, "little"))
    put(tmp_path, "/proc/cpuinfo", b"vendor_id\t: GenuineIntel\ncpu family\t: 6\n")
    return tmp_path


class Levers:
    """The clock, as a run stores, changes and restores it."""

    name = "levers"
    elsewhere = "bad"  # what the doctor calls a change on another machine, whose files are read there

    def __init__(self, root: Path) -> None:
        self._root, self.files = root, KeptFiles(root)
        self.file: KeptFile[OfStart] = self.files.file  # type: ignore[assignment]

    def keep(self) -> object:
        return self.files.keep([CLOCKS])

    def set(self, value: int) -> None:
        put(self._root, CLOCK, f"{value}\n".encode())

    def has(self) -> int:
        return int((self._root / CLOCK.lstrip("/")).read_text())

    def restore(self) -> int:
        return self.files.restore()


class Prefetchers:
    """The register, as a run stores, changes and restores it."""

    name = "prefetchers"
    elsewhere = "unknown"  # registers are read on this machine only

    def __init__(self, root: Path) -> None:
        self._registers = Registers(root)
        self.file: KeptFile[OfStart] = self._registers.file  # type: ignore[assignment]

    def keep(self) -> object:
        return self._registers.keep(INTEL)

    def set(self, value: int) -> None:
        self._registers.write(0, INTEL.address, value)

    def has(self) -> int:
        return self._registers.read(0, INTEL.address)

    def restore(self) -> int:
        return self._registers.restore()


Kind = Callable[[Path], Levers | Prefetchers]
both = pytest.mark.parametrize("kind", [Levers, Prefetchers])


def left_by_a_kill(root: Path, kind: Kind) -> Levers | Prefetchers:
    one = kind(root)
    one.keep()
    one.set(CHANGED)
    return one


def start_again(root: Path, one: Levers | Prefetchers) -> None:
    put(root, BOOT_ID, b"two\n")
    one.set(LATER)


@both
def test_a_file_of_this_start_is_not_replaced_and_all_comes_back(root: Path, kind: Kind) -> None:
    one = left_by_a_kill(root, kind)
    with pytest.raises(MachineError, match="another run has changed"):
        one.keep()
    with pytest.raises(MachineError, match="has not put them back; if it ended: sudo tierscope"):
        one.file.refuse_left()
    assert one.restore() == 1
    assert one.has() == FIRST
    one.file.refuse_left()


@both
def test_a_run_after_a_restart_replaces_the_file_of_the_start_before(root: Path, kind: Kind) -> None:
    one = left_by_a_kill(root, kind)
    start_again(root, one)
    one.file.refuse_left()
    one.keep()
    one.set(CHANGED)
    assert one.restore() == 1
    assert one.has() == LATER


@both
def test_after_a_restart_nothing_is_written_and_the_file_goes(root: Path, kind: Kind) -> None:
    one = left_by_a_kill(root, kind)
    start_again(root, one)
    assert one.restore() == 0
    assert one.has() == LATER
    assert not one.file.path.exists()


@both
def test_the_command_states_that_a_restart_has_reset_them(
    root: Path, kind: Kind, capsys: pytest.CaptureFixture[str]
) -> None:
    one = left_by_a_kill(root, kind)
    start_again(root, one)
    assert checks[one.name].examine(System(root)).verdict == "note"
    assert settings.restore_settings(System(root)) == Exit.GOOD
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"{one.name.capitalize()}: the machine was restarted since")
    assert one.has() == LATER
    assert settings.restore_settings(System(root)) == Exit.GOOD
    assert capsys.readouterr().out == "Nothing to put back.\n"


@both
@pytest.mark.parametrize(("before", "now"), [("", "two"), ("one", "")])
def test_where_a_start_is_not_known_the_values_are_put_back(root: Path, kind: Kind, before: str, now: str) -> None:
    put(root, BOOT_ID, before.encode())
    one = left_by_a_kill(root, kind)
    put(root, BOOT_ID, now.encode())
    with pytest.raises(MachineError, match="another run has changed"):
        one.keep()
    assert one.restore() == 1
    assert one.has() == FIRST


@both
@pytest.mark.parametrize("call", ["write", "link"])
def test_a_file_that_cannot_be_stored_whole_is_not_there(
    root: Path, kind: Kind, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    one = kind(root)
    with monkeypatch.context() as patched:
        patched.setattr(f"os.{call}", fails)
        with pytest.raises(MachineError, match="cannot be written: No space left"):
            one.keep()
    assert list(one.file.path.parent.iterdir()) == []
    one.keep()


@both
@pytest.mark.parametrize("code", [errno.EPERM, errno.EOPNOTSUPP])
def test_a_file_system_without_hard_links_stores_it_and_never_replaces_it(
    root: Path, kind: Kind, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", refused)
    one = left_by_a_kill(root, kind)
    assert [path.name for path in one.file.path.parent.iterdir()] == [one.file.path.name]
    with pytest.raises(MachineError, match="another run has changed"):
        one.keep()
    assert one.restore() == 1
    assert one.has() == FIRST


@both
def test_a_file_system_without_hard_links_has_no_file_that_could_not_be_renamed(
    root: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(code: int) -> Callable[..., None]:
        def call(*_: object) -> None:
            raise OSError(code, os.strerror(code))

        return call

    one = kind(root)
    monkeypatch.setattr(os, "link", fails(errno.EPERM))
    monkeypatch.setattr(Path, "replace", fails(errno.ENOSPC))
    with pytest.raises(MachineError, match="cannot be written: No space left"):
        one.keep()
    assert list(one.file.path.parent.iterdir()) == []


@both
def test_what_a_killed_run_left_half_stored_goes_only_under_the_lock(
    root: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    one = kind(root)
    folder, name = one.file.path.parent, one.file.path.name
    half, other = folder / f".{name}-0123456789abcdef", folder / f".other-{name}-0"
    folder.mkdir(parents=True, exist_ok=True)
    half.write_bytes(b"{")
    other.write_bytes(b"{")
    with monkeypatch.context() as patched:
        patched.setattr(fcntl, "flock", without)
        one.keep()
    assert half.exists()
    one.restore()
    one.keep()
    assert sorted(folder.iterdir()) == sorted([other, one.file.path])


@both
@pytest.mark.parametrize("refused", ["stat", "open"])
def test_a_folder_that_may_not_be_entered_or_listed_is_an_error(
    root: Path, kind: Kind, refused: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = left_by_a_kill(root, kind)
    place, call = (one.file.path, os.stat) if refused == "stat" else (one.file.path.parent, os.open)

    def of(path: object, *more: object, **named: object) -> object:
        if path == place:
            raise PermissionError(13, os.strerror(13))
        return call(path, *more, **named)  # type: ignore[operator]

    monkeypatch.setattr(os, refused, of)
    with pytest.raises(MachineError, match="cannot be read: Permission denied; try as root, with sudo"):
        one.restore()


@both
def test_a_file_that_may_not_be_removed_is_an_error(root: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, os.strerror(13))

    one = left_by_a_kill(root, kind)
    put(root, BOOT_ID, b"two\n")
    monkeypatch.setattr(Path, "unlink", refused)
    for act in (one.restore, one.file.forget_earlier):
        with pytest.raises(MachineError, match="cannot be removed: Permission denied; try as root"):
            act()


@both
def test_a_damaged_file_is_an_error_and_is_never_forgotten(root: Path, kind: Kind) -> None:
    one = kind(root)
    put(root, one.file.stored, b"{")
    put(root, BOOT_ID, b"two\n")
    for act in (one.keep, one.restore, one.file.refuse_left, one.file.forget_earlier):
        with pytest.raises(MachineError, match="cannot be read"):
            act()
    assert one.file.path.exists()
    assert checks[one.name].examine(System(root)).verdict == "unknown"


class Elsewhere(System):
    """The files of another machine: nothing below its root is here."""

    def __init__(self, there: Path) -> None:
        super().__init__("/another-machine")
        self._there = System(there)

    def _bytes(self, path: str, limit: int) -> bytes:
        return self._there._bytes(path, limit)


@both
def test_the_doctor_reads_a_file_on_another_machine_there(root: Path, kind: Kind) -> None:
    one = kind(root)
    assert checks[one.name].examine(Elsewhere(root)).verdict == "good"
    left_by_a_kill(root, kind)
    assert checks[one.name].examine(Elsewhere(root)).verdict == one.elsewhere
    put(root, BOOT_ID, b"two\n")
    assert checks[one.name].examine(Elsewhere(root)).verdict == "note"


def experiment(*settings: tuple[Setting, ...]) -> Experiment:
    work = Workload(kernel="chase", footprint_bytes=1 << 20, work=HopWork())
    group = Group(workload=work, target=Target(), team=Team(cpus=(0,)))
    return Experiment(table="response", groups=(group,), takes=((0,),) * len(settings), settings=settings)


def test_a_run_with_settings_is_refused_before_it_measures_where_another_one_has_left_its_own(root: Path) -> None:
    low = Setting(path=CLOCKS, text=str(CHANGED))
    wanted, without = experiment((), (low,)), experiment()
    refuse_levered([wanted], root)
    one = left_by_a_kill(root, Levers)
    refuse_levered([without], root)
    with pytest.raises(MachineError, match="a run has changed settings"):
        refuse_levered([without, wanted], root)
    start_again(root, one)
    refuse_levered([wanted], root)
    levered = Levered(root)
    with levered.during():
        levered.take(wanted, 1)
        assert one.has() == CHANGED
    assert one.has() == LATER
