"""The files of another machine give the answers that they give there, gathered or not, and none is read here."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest

from fake_core import made_topology
from fake_ssh import Far, far_machine
from tierscope.cli.main import main
from tierscope.doctor import examine
from tierscope.errors import MachineError, UsageError
from tierscope.host.others import cpus_between
from tierscope.host.system import System
from tierscope.record.experiment import Target
from tierscope.remote import Remote
from tierscope.remote.others import SCRIPT, RemoteOthers
from tierscope.remote.shell import Said, Shell
from tierscope.run.hosts import HERE, There, connected, same_host


@pytest.fixture
def far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Far:
    return far_machine(tmp_path, monkeypatch)


@pytest.fixture
def remote(far: Far) -> Iterator[Remote]:
    with Remote("ssh:far") as remote:
        yield remote


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Files of every kind that a question may meet."""
    root = tmp_path / "a tree"
    for number in (2, 10):
        (root / f"cpu{number}").mkdir(parents=True)
        (root / f"cpu{number}/size").write_text(f"{number}\n")
    (root / "driver").symlink_to("/nowhere/kmem")
    (root / "raw").write_bytes(bytes(range(256)) + b"\n\n")
    (root / "empty").write_text("")
    (root / "choice").write_text("always [madvise] never\n")
    (root / "it's $(odd) `x`").write_text("quoted")
    return root


QUESTIONS: list[Callable[[System, str], object]] = [
    lambda system, at: system.bytes(f"{at}/raw"),
    lambda system, at: system.bytes(f"{at}/empty"),
    lambda system, at: system.bytes(f"{at}/absent"),
    lambda system, at: system.read(f"{at}/cpu2/size"),
    lambda system, at: system.read(f"{at}/raw", 16),
    lambda system, at: system.read(f"{at}/it's $(odd) `x`"),
    lambda system, at: system.read(f"{at}/\0"),
    lambda system, at: system.number(f"{at}/cpu10/size"),
    lambda system, at: system.choice(f"{at}/choice"),
    lambda system, at: system.link(f"{at}/driver"),
    lambda system, at: system.link(f"{at}/raw"),
    lambda system, at: system.why(f"{at}/raw"),
    lambda system, at: system.why(f"{at}/absent"),
    lambda system, at: system.why(f"{at}/raw/below"),
    lambda system, at: system.why(at),
    lambda system, at: system.is_folder(at),
    lambda system, at: system.is_folder(f"{at}/raw"),
    lambda system, at: system.is_folder(f"{at}/absent"),
    lambda system, at: system.file_bytes(f"{at}/raw"),
    lambda system, at: system.file_bytes(at),
    lambda system, at: system.block_bytes(at),
    lambda system, at: system.block_bytes(f"{at}/absent"),
    lambda system, at: (system.room_bytes(at) or 0) > 0,
    lambda system, at: system.room_bytes(f"{at}/absent"),
    lambda system, at: system.room_bytes("/proc"),
    lambda system, at: system.glob(f"{at}/cpu[0-9]*"),
    lambda system, at: system.glob(f"{at}/cpu[0-9]*/size"),
    lambda system, at: system.glob(f"{at}/cpu[0-9]*/absent"),
    lambda system, at: system.page_bytes(),
    lambda system, at: system.read("/proc/sys/kernel/osrelease"),
]


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_an_answer_is_that_of_the_machine_itself(remote: Remote, tree: Path, number: int) -> None:
    ask = QUESTIONS[number]
    alone, gathered = remote.system(), remote.system()
    gathered.gather(lambda system: ask(system, str(tree)))
    assert ask(alone, str(tree)) == ask(gathered, str(tree)) == ask(System(), str(tree))


def test_a_file_that_may_not_be_read_states_why(remote: Remote, far: Far, tree: Path) -> None:
    far.program("cat", f'case "$*" in *raw) echo "cat: raw: Permission denied" >&2; exit 1;; esac; exec {CAT} "$@"')
    system = remote.system()
    assert system.bytes(f"{tree}/raw") is None
    assert system.why(f"{tree}/raw") == "not readable: Permission denied"


CAT = "/bin/cat"


def test_gathering_takes_a_few_questions(remote: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    system, commands = remote.system(), []
    run = remote._shell.run
    monkeypatch.setattr(remote._shell, "run", lambda command: commands.append(command) or run(command))
    waited: list[float] = []
    system.wait = waited.append
    system.gather(examine)
    assert waited == []
    assert len(commands) <= 8
    commands.clear()
    names = [finding.name for finding in examine(system)]
    assert names == [finding.name for finding in examine(System())]
    assert all("/proc/stat" in command for command in commands)  # the counts of time alone are asked for again


def test_counts_of_time_are_asked_for_each_time(remote: Remote) -> None:
    system = remote.system()
    first = system.read("/proc/stat")
    time.sleep(0.05)
    assert system.read("/proc/stat") != first
    assert system.read("/proc/uptime") == system.read("/proc/uptime")


def test_nothing_of_this_machine_is_read(remote: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> object:
        raise AssertionError("a file of this machine was asked for")

    monkeypatch.setattr(System, "place", never)
    monkeypatch.setattr("glob.glob", never)
    monkeypatch.setattr(os, "sysconf", never)
    monkeypatch.setattr("shutil.which", never)
    system = remote.system()
    found = {finding.name: finding.state for finding in examine(system)}
    assert not any("the check itself failed" in state for state in found.values())
    assert found["fio"] == "not checked: these are files of another machine, or a record"
    assert remote.others().mark() is not None


def test_every_process_of_the_connection_is_ours(remote: Remote) -> None:
    started = remote._shell.run("sleep 20 & echo $!; echo $$").out.split()
    found = remote._shell.run(SCRIPT).out.decode()
    for number in started:
        assert f"\n{number.decode()} (" in found
    remote._shell.run(f"kill {started[0].decode()}")


class Answers:
    """A shell that prints the given texts, one after the other."""

    def __init__(self, *texts: str) -> None:
        self._texts = list(texts)

    def run(self, _command: str) -> Said:
        return Said(0, self._texts.pop(0).encode(), b"")


def counted(busy: int, up: str, *own: int) -> str:
    rest = "0 0 0 0 0 0 0 0 0 0"
    lines = [f"{n} (a (b) c) S {rest} {ticks} 0 0 0 20 0" for n, ticks in enumerate(own, 1)]
    return "\n".join([f"cpu  {busy} 0 0 500 0 0 0 0 0 0", f"{up} 9.0", *lines, ""])


def test_our_own_work_there_is_not_of_others() -> None:
    shell = Answers("100\n", counted(1000, "50.0", 10, 200), counted(1600, "52.0", 10, 400))
    others = RemoteOthers(cast("Shell", shell))
    first, second = others.mark(), others.mark()
    assert first
    assert second
    assert cpus_between(first, second) == pytest.approx((600 - 200) / 100 / 2)


@pytest.mark.parametrize("text", ["", "cpu  1 2\n", "cpu  1 0 0 500 0 0 0 0\n", "cpu  1 0 0 500 0 0 0 0\n1.0 2.0\n",
                                  "cpu  1 0 0 500 0 0 0 0\n1.0 2.0\nnonsense\n"])  # fmt: skip
def test_a_system_that_does_not_count_gives_no_mark(text: str) -> None:
    assert RemoteOthers(cast("Shell", Answers("", text))).mark() is None


def test_the_doctor_looks_there(far: Far, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    far.program("cat", f'case "$*" in *loadavg) echo 77.5 1 1 1/9 1; exit;; esac; exec {CAT} "$@"')
    monkeypatch.setattr("tierscope.core.topology", lambda *_: made_topology())
    assert main(["doctor", "--json", "--host", "ssh:far"]) == 0
    assert "77.5" in capfd.readouterr().out
    assert main(["doctor", "--host", "far"]) == 2


def test_a_host_is_here_or_by_ssh(far: Far) -> None:
    for word in (None, "here"):
        with connected(word) as host:
            assert host is HERE
    with connected("ssh:far") as host:
        assert host.word == "ssh:far"
    with pytest.raises(UsageError, match="write ssh:NAME"), connected("far"):
        pass


@pytest.mark.parametrize(
    ("word", "kind", "why"),
    [
        (Target(name="sim", where="ddr5"), UsageError, "is the same on every machine; leave --host out"),
        (Target(name="pool", where="/mnt/p"), MachineError, "needs libpmemobj"),
        (Target(name="storage", where="/mnt"), MachineError, "needs fio"),
        (Target(name="file", where="a/b"), UsageError, "begins with /; write the whole path"),
        (Target(name="devdax", where="/dev/dax0.0"), UsageError, "the content of a device of ssh:far is not checked"),
        (Target(name="devdax", where="../dev/dax0.0:overwrite"), UsageError, "is not checked"),
    ],
)
def test_requests_beyond_the_static_core_are_refused_there(
    remote: Remote, word: Target, kind: type[Exception], why: str
) -> None:
    held = {"file": "page cache", "devdax": "device", "node": "memory"}
    with pytest.raises(kind, match=why):
        There(remote).refuse([word], held)  # type: ignore[arg-type]
    There(remote).refuse([Target(name="node", where="0"), Target(name="file", where="/mnt/x"),
                          Target(name="devdax", where="/dev/dax0.0:overwrite")], held)  # type: ignore[arg-type] # fmt: skip
    HERE.refuse([word], held)  # type: ignore[arg-type]


def test_a_folder_without_a_run_names_no_host(tmp_path: Path) -> None:
    same_host(None, tmp_path, "resume")
