"""Another machine by ssh: whatever is at the other end, the answer is data or one typed error, and nothing stays."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fake_ssh import Far, far_machine
from tierscope import core
from tierscope.core.session import HEADER_BYTES
from tierscope.errors import CoreError, MachineError, UsageError
from tierscope.record.result import BLOCK
from tierscope.remote import Remote, connection, shell
from tierscope.remote.address import destination
from tierscope.run.hosts import connected

HELLO = (
    '{"fact":"hello","version":"0.1.0","compiler":"made",'
    '"clock":{"source":"tsc","hz":2e9,"resolution_s":1e-9,"read_cost_s":2e-8}}'
)
VERSION = '[ "$1" = --version ] && { echo 0.1.0; exit 0; }'
CLIENT = "openssh-client"  # of the user's system; no test needs it
SAMPLES = 'while [ "$1" != --samples ]; do shift; done'


@pytest.fixture
def far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Far:
    return far_machine(tmp_path, monkeypatch)


@pytest.fixture
def core_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Put a shell script in the core's place on this machine."""

    def put(script: str) -> Path:
        path = tmp_path / "tierscope-core"
        path.write_text(f"#!/bin/sh\n{VERSION}\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv("TIERSCOPE_CORE", str(path))
        return path

    return put


def said(act: Callable[[], object], kind: type[Exception] = MachineError) -> str:
    with pytest.raises(kind) as caught:
        act()
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("word", "name"),
    [("ssh:server", "server"), ("ssh:me@10.0.0.7", "me@10.0.0.7"), ("ssh://me@server:2222", "ssh://me@server:2222"),
     ("ssh:[::1]", "[::1]"), ("ssh:fe80::1%eth0", "fe80::1%eth0")],
)  # fmt: skip
def test_a_name_is_given_to_ssh_unchanged(word: str, name: str) -> None:
    assert destination(word) == name


@pytest.mark.parametrize(
    "word",
    ["", "server", "ssh:", "ssh:-oProxyCommand=reboot", "ssh:a b", "ssh:a;reboot", "ssh:$(reboot)", "ssh:a\nb",
     "ssh:me@-oProxyCommand=x", "ssh:`x`", "ssh:a'b", "rsh:server", "ssh:" + "a" * 400],
)  # fmt: skip
def test_a_host_that_could_be_an_option_or_a_command_is_refused(word: str) -> None:
    assert "write ssh:NAME" in said(lambda: destination(word), UsageError)


def test_answers_come_from_there_and_nothing_is_left(far: Far, core_of: Callable[[str], Path]) -> None:
    core_of('echo "{\\"here\\":\\"$HOME\\"}"')
    far.mode("greet")
    with Remote("ssh:far") as remote:
        assert core.topology(launcher=remote.launcher) == {"here": str(far.root / "home")}
        assert len(far.left()) == 1
    assert far.left() == []
    assert all(" -- far" in line for line in far.log())
    processes = [line for line in far.log() if not line.startswith("-f ") and " -O " not in line]
    assert len(processes) >= 2
    assert all(line.endswith("-- far exec sh") for line in processes)


def test_words_for_the_core_are_quoted(far: Far, core_of: Callable[[str], Path]) -> None:
    core_of('shift; printf \'["%s"]\' "$1"')
    odd = "sim:$(touch x) `touch y`; 'z"
    with Remote("ssh:far") as remote:
        assert core.ask._ask("topology", odd, launcher=remote.launcher) == f'["{odd}"]'.encode()


def test_a_session_reads_its_samples_there(far: Far, core_of: Callable[[str], Path]) -> None:
    size = HEADER_BYTES + 2 * BLOCK.itemsize
    second = '{"fact":"measured","first":1,"rows":1}'
    more = second.replace('rows":1', 'rows":2')
    core_of(f"{SAMPLES}; head -c {size} /dev/zero | tr '\\0' '\\1' >$2; echo '{HELLO}'; "
            f"read l; echo '{second}'; read l; echo '{more}'; cat")  # fmt: skip
    with Remote("ssh:far") as remote, core.Session(remote.launcher) as session:
        assert session.clock.hz == 2e9
        blocks = session.measure(0.1, 1e-3)
        assert blocks.shape == (1,)
        assert np.all(blocks["group"] == 0x0101)
        assert "announced 80 bytes of blocks, wrote 40" in said(lambda: session.measure(0.1, 1e-3), CoreError)
    assert far.left() == []


def test_samples_are_read_where_dd_cannot_skip_bytes(far: Far, core_of: Callable[[str], Path]) -> None:
    far.program("dd", "exit 1")
    core_of(f"{SAMPLES}; printf '%{HEADER_BYTES}s%40s%40s' '' a b >$2; echo '{HELLO}'; cat >/dev/null")
    with Remote("ssh:far") as remote, core.Session(remote.launcher) as session:
        assert session._core.samples(40, HEADER_BYTES + 40) == f"{'b':>40}".encode()


def test_a_core_ends_with_its_session(far: Far, core_of: Callable[[str], Path], tmp_path: Path) -> None:
    core_of(f"echo $$ >{tmp_path}/pid; {SAMPLES}; : >$2; echo '{HELLO}'; while :; do read l; done")
    with Remote("ssh:far") as remote:
        session = core.Session(remote.launcher)
        folder = far.left()[0]
        assert len(list(folder.iterdir())) == 2
        session.close()
        session.close()
        assert len(list(folder.iterdir())) == 1
    assert far.left() == []


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("refuse", "ssh cannot connect: me@far: Permission denied (publickey).; try `ssh far true`"),
        ("unknown", "connect once with `ssh far`, which asks about its host key"),
        ("hang", "no connection within 0.5 s; try `ssh far true`"),
        ("no-shell", "the connection was lost"),
    ],
)
def test_a_host_that_does_not_let_us_in(far: Far, mode: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LONGEST_S", 0.5)
    monkeypatch.setattr(connection, "ASKED_S", 0.5)
    far.mode(mode)
    message = said(lambda: Remote("ssh:far"))
    assert message.startswith("ssh:far: ")
    assert why in message


def test_without_ssh_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert f"install it (sudo apt-get install -y {CLIENT})" in said(lambda: Remote("ssh:far"))


def test_nobody_is_asked_without_a_terminal(far: Far, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_somebody_there", lambda: False)
    Remote("ssh:far").__exit__(None, None, None)
    assert "BatchMode=yes" in far.log()[0]
    monkeypatch.setattr(connection, "_somebody_there", lambda: True)
    before = len(far.log())
    Remote("ssh:far").__exit__(None, None, None)
    assert "BatchMode=yes" not in far.log()[before]


@pytest.mark.parametrize(
    ("programs", "why"),
    [
        ({"uname": "echo Darwin"}, "does not run Linux (Darwin)"),
        ({"mktemp": "echo 'No space left on device' >&2; exit 1"}, "no temporary space for the core"),
        ({"sha256sum": "echo 0 -"}, "no temporary space for the core"),
        ({"cat": "echo 'cat: write error: No space left on device' >&2; exit 1"}, "No space left on device"),
    ],
)
def test_a_machine_that_cannot_take_the_core(
    far: Far, core_of: Callable[[str], Path], programs: dict[str, str], why: str
) -> None:
    core_of("echo '{}'")
    for name, script in programs.items():
        far.program(name, script)

    def ask() -> None:
        with Remote("ssh:far") as remote:
            core.topology(launcher=remote.launcher)

    assert why in said(ask)
    assert far.left() == []


def test_the_next_place_is_tried_where_one_is_full(far: Far, core_of: Callable[[str], Path]) -> None:
    core_of("echo '{}'")
    far.program("mktemp", f'case "$2" in {far.root}/home/*) exec /usr/bin/mktemp "$@";; esac; echo full >&2; exit 1')
    with Remote("ssh:far") as remote:
        assert core.topology(launcher=remote.launcher) == {}
        assert list((far.root / "home").iterdir()) != []
    assert list((far.root / "home").iterdir()) == []


def elf(path: Path, machine: int) -> None:
    path.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00" + machine.to_bytes(2, "little") + bytes(100))


def test_another_kind_of_machine_needs_a_core_of_its_kind(
    far: Far, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tierscope-core"
    elf(path, 62)
    monkeypatch.setenv("TIERSCOPE_CORE", str(path))
    far.program("uname", '[ "$1" = -s ] && echo Linux || echo aarch64')

    def ask() -> object:
        with Remote("ssh:far") as remote:
            return core.topology(launcher=remote.launcher)

    message = said(ask)
    assert "ssh:far is aarch64" in message
    assert "is for x86_64" in message
    assert f"cmake --preset aarch64 && cmake --build --preset aarch64), as {path}-aarch64" in message
    elf(tmp_path / "tierscope-core-aarch64", 183)
    assert "tierscope-core-aarch64 does not start there" in said(ask)  # it is used, and cannot run here


@pytest.mark.parametrize("words", ["version `GLIBC_2.38' not found", "FATAL: kernel too old"])
def test_a_core_that_does_not_start_there_states_why(far: Far, tmp_path: Path, words: str,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    path = tmp_path / "tierscope-core"
    path.write_text(f'#!/bin/sh\necho "core: {words.replace("`", chr(92) + "`")}" >&2\nexit 1\n')
    monkeypatch.setenv("TIERSCOPE_CORE", str(path))

    def ask() -> None:
        with Remote("ssh:far") as remote:
            core.topology(launcher=remote.launcher)

    message = said(ask)
    assert words in message
    assert "the static core that ./tierscope builds needs no library of that machine" in message
    assert far.left() == []


def test_a_lost_connection_is_distinguished_from_a_core_that_died(far: Far, core_of: Callable[[str], Path]) -> None:
    core_of(f"{SAMPLES}; : >$2; echo '{HELLO}'; read l; exit 255")
    with Remote("ssh:far") as remote, core.Session(remote.launcher) as session:
        assert "was ended there by a signal, usually because memory ran out" in said(session.check)
    with Remote("ssh:far") as remote, core.Session(remote.launcher) as session:
        remote._shell._process.kill()
        assert "ssh:far: the connection was lost" in said(session.check)
        assert "ssh:far: the connection was lost" in said(lambda: remote._shell.run("true"))


def test_a_core_that_reports_its_own_fault_is_heard(far: Far, core_of: Callable[[str], Path]) -> None:
    core_of(f"{SAMPLES}; : >$2; echo '{HELLO}'; read l; echo 'oh no' >&2; exit 7")
    with Remote("ssh:far") as remote, core.Session(remote.launcher) as session:
        assert "ended with status 7: oh no" in said(session.check, CoreError)


def test_a_machine_that_falls_silent(far: Far, core_of: Callable[[str], Path]) -> None:
    core_of("echo '{}'")
    with Remote("ssh:far") as remote:
        assert "did not answer for 0.3 s" in said(lambda: remote._shell.run("sleep 60", 0.3))
        assert "did not answer for 0.3 s" in said(lambda: remote._shell.run("true"))


def test_output_may_be_any_bytes(far: Far) -> None:
    with Remote("ssh:far") as remote:
        found = remote._shell.run(r"printf '\000\377\n\n%s' no-line-feed; echo oh >&2; (exit 3)")
        assert found == shell.Said(3, b"\0\xff\n\nno-line-feed", b"oh\n")
        assert found.why() == "oh"


def test_the_folder_goes_when_this_process_is_killed(far: Far, core_of: Callable[[str], Path]) -> None:
    core_of("echo '{}'")
    child = os.fork()
    if child == 0:
        remote = Remote("ssh:far")
        core.topology(launcher=remote.launcher)
        (far.root / "socket").write_text(str(remote.launcher._connection._socket.parent))  # type: ignore[attr-defined]
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    Path((far.root / "socket").read_text()).rmdir()  # all that stays on this machine: a folder for a socket
    for _ in range(100):
        if not far.left():
            break
        time.sleep(0.05)
    assert far.left() == []


@pytest.mark.parametrize("word", ["ssh", "server", "nonsense:x", ""])
def test_a_word_of_no_kind_of_host_is_refused_with_all_kinds(word: str) -> None:
    with pytest.raises(UsageError, match="write ssh:NAME, slurm:NODE, vm:NAME or here"), connected(word):
        pass
