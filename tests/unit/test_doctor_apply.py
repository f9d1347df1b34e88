"""`doctor --apply` and `--restore` below a fake root: old values first, every write read back, all of it reversible."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from own import own
from tierscope.cli import settings
from tierscope.doctor import apply as applying
from tierscope.doctor import kept
from tierscope.doctor.apply import apply, planned, restore
from tierscope.doctor.check import checks
from tierscope.doctor.kept import BOOT_ID, FOLDER, Change
from tierscope.doctor.setting import Setting, same
from tierscope.errors import Exit, MachineError, ResultError, UsageError
from tierscope.host.system import System
from trees import FORBIDDEN, plant

CPU, MM = "/sys/devices/system/cpu", "/sys/kernel/mm"
GOVERNORS = [f"{CPU}/cpu{n}/cpufreq/scaling_governor" for n in range(8)]
TURBO, KSM, THP = f"{CPU}/intel_pstate/no_turbo", f"{MM}/ksm/run", f"{MM}/transparent_hugepage/enabled"
DEMOTION, BALANCING = f"{MM}/numa/demotion_enabled", "/proc/sys/kernel/numa_balancing"
BADLY = {
    **dict.fromkeys(GOVERNORS[:3], "powersave"),
    TURBO: "0",
    KSM: "1",
    THP: "always madvise [never]",
    f"{MM}/transparent_hugepage/hugepages-2048kB/enabled": None,
    DEMOTION: "true",
    BALANCING: "1",
    BOOT_ID: "11111111-2222-3333-4444-555555555555",
}
NAMES = {"governor", "turbo", "ksm", "thp", "demotion", "numa_balancing", "perf_events"}
COMPLETE = re.compile(r".*\[.*")


def machine(tmp_path: Path, **changes: object) -> System:
    return plant(tmp_path, "xeon_server", {**BADLY, **changes})


def kernel(system: System, path: str, text: str) -> None:
    """Take a write as the kernel does: a choice moves its brackets, a boolean reads back as a word."""
    place = Path(system.place(path))
    before = place.read_text().strip()
    if COMPLETE.match(before):
        words = before.replace("[", "").replace("]", "").split()
        text = " ".join(f"[{word}]" if word == text else word for word in words)
    elif before in ("true", "false"):
        text = "true" if text in ("1", "true") else "false"
    place.write_text(text + "\n")


def values(system: System) -> dict[str, str | None]:
    return {path: system.read(path) for path in [*GOVERNORS, TURBO, KSM, THP, DEMOTION, BALANCING]}


def test_the_plan_names_old_and_new_values_and_writes_nothing(tmp_path: Path) -> None:
    system = machine(tmp_path)
    before = values(system)
    changes = planned(system)
    assert {change.check for change in changes} == NAMES
    assert [c.path for c in changes if c.check == "governor"] == GOVERNORS[:3]  # the others have it already
    assert Change(check="thp", path=THP, old="never", new="madvise") in changes
    assert values(system) == before


def test_every_setting_is_written_read_back_and_put_back(tmp_path: Path) -> None:
    system = machine(tmp_path)
    before = values(system)
    found = apply(system, planned(system), kernel)
    assert [outcome.fault for outcome in found] == [""] * len(found)
    assert (system.read(THP), system.read(DEMOTION), system.read(TURBO)) == ("always [madvise] never", "false", "1")
    assert planned(system) == []
    assert all(not outcome.fault for outcome in restore(system, kernel))
    assert values(system) == before
    assert kept.load(system) is None


class KilledError(Exception):
    """The process ends here."""


def dying(after: int) -> Callable[[System, str, str], None]:
    left = [after]

    def write(system: System, path: str, text: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KilledError
        kernel(system, path, text)

    return write


@pytest.mark.parametrize("after", range(9))
def test_a_kill_at_any_write_leaves_what_restore_needs(tmp_path: Path, after: int) -> None:
    system = machine(tmp_path)
    before = values(system)
    with pytest.raises(KilledError):
        apply(system, planned(system), dying(after))
    if after > 1:
        with pytest.raises(KilledError):  # a second kill, while the old values are put back
            restore(system, dying(1))
    restore(system, kernel)
    assert values(system) == before


def test_nothing_is_written_where_the_old_values_cannot_be_stored(tmp_path: Path) -> None:
    system = machine(tmp_path, **{FOLDER: "a file in its place"})
    before = values(system)
    with pytest.raises(MachineError, match="nothing was changed; try as root"):
        apply(system, planned(system), kernel)
    assert values(system) == before


def test_nothing_is_written_where_a_restart_would_go_unnoticed(tmp_path: Path) -> None:
    system = machine(tmp_path, **{BOOT_ID: None})
    with pytest.raises(MachineError, match="boot_id: absent"):
        apply(system, planned(system), kernel)
    assert system.read(TURBO) == "0"


def test_a_second_apply_keeps_the_oldest_value(tmp_path: Path) -> None:
    system = machine(tmp_path)
    apply(system, planned(system, ["turbo"]), kernel)
    kernel(system, TURBO, "0")  # somebody switches it on again
    apply(system, planned(system), kernel)
    stored = kept.load(system)
    assert stored is not None
    assert [change.old for change in stored.changes if change.path == TURBO] == ["0"]
    restore(system, kernel)
    assert system.read(TURBO) == "0"


def test_after_a_restart_nothing_is_put_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    system = machine(tmp_path)
    apply(system, planned(system), kernel)
    plant(tmp_path, changes={BOOT_ID: "99999999-2222-3333-4444-555555555555", TURBO: "1"})
    assert settings.restore_settings(system) == Exit.GOOD
    assert "restarted since" in capsys.readouterr().out
    assert system.read(TURBO) == "1"
    assert kept.load(system) is None


def test_a_write_that_the_kernel_refuses_or_ignores_is_reported_and_stays_stored(tmp_path: Path) -> None:
    system = machine(tmp_path)

    def stubborn(system: System, path: str, text: str) -> None:
        if path == KSM:
            raise PermissionError(13, "Permission denied")
        if path != TURBO:
            kernel(system, path, text)

    faults = {one.change.check: one.fault for one in apply(system, planned(system), stubborn) if one.fault}
    assert faults == {"ksm": "write 0: Permission denied", "turbo": "1 was written and accepted; the file reads 0"}
    assert all(not outcome.fault for outcome in restore(system, stubborn))  # neither had changed
    apply(system, planned(system), kernel)
    left = [outcome.change.check for outcome in restore(system, stubborn) if outcome.fault]
    assert sorted(left) == ["ksm", "turbo"]
    assert sorted(change.check for change in kept.of_this_boot(system)) == ["ksm", "turbo"]


def test_the_file_of_a_cpu_that_went_offline_has_nothing_to_put_back(tmp_path: Path) -> None:
    system = machine(tmp_path)
    apply(system, planned(system), kernel)
    Path(system.place(GOVERNORS[1])).unlink()
    assert [one.now for one in restore(system, kernel) if one.change.path == GOVERNORS[1]] == ["absent"]
    assert kept.load(system) is None


def test_a_damaged_store_is_an_error_and_stays(tmp_path: Path) -> None:
    system = machine(tmp_path, **{f"{FOLDER}/settings.json": "{"})
    with pytest.raises(ResultError, match="by hand"):
        restore(system, kernel)
    assert Path(system.place(f"{FOLDER}/settings.json")).exists()


# --- what the command prints and asks ---


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> None:
    for function in (apply, restore):
        monkeypatch.setattr(function, "__defaults__", (kernel,))


@pytest.mark.usefixtures("written")
def test_yes_writes_shows_and_reminds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    system = machine(tmp_path)
    assert settings.apply_settings(system, ["ksm"], yes=True) == Exit.GOOD
    shown = capsys.readouterr().out
    assert f"ksm: write 0 to {KSM}, now 1\n" in shown
    assert f"{KSM}: 1 -> 0\n" in shown
    settings.remind(system)
    assert "1 setting that doctor --apply changed is not put back yet" in capsys.readouterr().err
    settings.restore_settings(system)
    settings.remind(system)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == (f"{KSM}: 1\n", "")


def test_a_script_without_yes_sees_every_change_and_makes_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    system = machine(tmp_path)
    before = values(system)
    with pytest.raises(UsageError, match="give --yes"):
        settings.apply_settings(system, (), yes=False)
    assert capsys.readouterr().out.count(": write ") == len(planned(system))
    assert values(system) == before


@pytest.mark.usefixtures("written")
def test_each_check_is_asked_for_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = machine(tmp_path)
    asked: list[str] = []

    class Terminal:
        def isatty(self) -> bool:
            return True

    def ask(question: str) -> bool:
        asked.append(question)
        return question == "Write these 3?"  # the governor alone

    monkeypatch.setattr(settings.door, "ask", ask)
    for name in ("stdin", "stderr"):
        monkeypatch.setattr(settings.sys, name, Terminal())
    settings.apply_settings(system, (), yes=False)
    assert len(asked) == len(NAMES)
    assert {change.check for change in kept.of_this_boot(system)} == {"governor"}


def test_a_check_without_settings_cannot_be_applied(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="smt does not offer a setting.*known: damon, demotion"):
        planned(machine(tmp_path), ["smt"])


# --- what a setting may be ---


def test_root_is_offered_what_helps_other_users_only_by_name(tmp_path: Path) -> None:
    system = machine(tmp_path, **{"/proc/self/status": "CapEff:\t0000004000000000"})
    assert "perf_events" not in {change.check for change in planned(system)}
    (change,) = planned(system, ["perf_events"])
    assert (change.path, change.new) == ("/proc/sys/kernel/perf_event_paranoid", "0")


def test_huge_pages_are_offered_only_where_memory_is_plenty(tmp_path: Path) -> None:
    none = {f"{MM}/hugepages/hugepages-{size}kB/free_hugepages": "0" for size in (2048, 1048576)}
    for left, offered in ((64 << 20, 1), (3 << 20, 0)):
        memory = {"/proc/meminfo": f"MemAvailable: {left} kB\nHugepagesize: 2048 kB", "/proc/sys/vm/nr_hugepages": "0"}
        system = machine(tmp_path / str(left), **none, **memory)
        assert len(planned(system, ["huge_pages"])) == offered
        assert checks["huge_pages"].examine(system).remedy == "sudo sysctl vm.nr_hugepages=512"


@pytest.mark.parametrize("path", ["/etc/sysctl.conf", "/proc/sys/../1/mem", "/dev/mem", "proc/sys/x"])
def test_only_the_running_kernel_has_settings(path: str) -> None:
    with pytest.raises(ValueError, match="not a setting of the running kernel"):
        Setting(path, "1")


def test_every_setting_of_a_check_is_its_printed_command_or_a_part_of_it(tmp_path: Path) -> None:
    """On each recorded machine and in each example: what is written is what a person is advised to type."""
    for name in checks:
        for number, files in enumerate([BADLY, *(own(checks[name], "EXAMPLES") or {}).values()]):
            seen = checks[name].look(plant(tmp_path / name / str(number), "xeon_server", files))
            assert checks[name].applies or not seen.settings, name
            if seen.verdict != "good":
                assert all(setting.command in seen.remedy for setting in seen.settings), name


def test_values_that_the_kernel_reads_alike_are_the_same() -> None:
    assert same("Y", "1")
    assert same("false", "0")
    assert not same("true", "0")
    assert not same("10", "1")
    assert not same(None, "0")


def test_a_hidden_file_is_left_alone(tmp_path: Path) -> None:
    assert "ksm" not in {change.check for change in planned(machine(tmp_path, **{KSM: FORBIDDEN}))}


def test_a_write_goes_into_the_file_that_is_there_and_makes_none(tmp_path: Path) -> None:
    system = machine(tmp_path)
    applying.write(system, KSM, "0")
    assert Path(system.place(KSM)).read_bytes() == b"0\n"
    with pytest.raises(FileNotFoundError):
        applying.write(system, f"{KSM}-typo", "0")
    assert not Path(system.place(f"{KSM}-typo")).exists()
