"""A run over a real ssh server of this test alone: on a free port of this machine, with keys of its own."""

import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tierscope import core
from tierscope.errors import MachineError
from tierscope.plans import suites
from tierscope.record.result import load
from tierscope.remote import Remote
from tierscope.run import start
from tierscope.run.hosts import connected

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
SEPARATE = Path("/run/sshd")  # a folder that a server of root wants
pytestmark = pytest.mark.skipif(
    SSHD is None or (os.geteuid() == 0 and not SEPARATE.is_dir()),
    reason="no sshd: the package openssh-server has it, and also starts a server, so no set-up installs it",
)
WORDS = {"kernels": "triad", "threads": "1", "array": "16MiB", "budget": "0.2", "visits": "1"}


def key(path: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield the folder of a server that runs; `ssh` on the PATH knows it as `far`, and knows its host key."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own, host = key(tmp_path / "key"), key(tmp_path / "host")
    (tmp_path / "authorized").write_text((tmp_path / "key.pub").read_text())
    (tmp_path / "known").write_text(f"[127.0.0.1]:{port} {(tmp_path / 'host.pub').read_text()}")
    (tmp_path / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {host}\nAuthorizedKeysFile {tmp_path}/authorized\n"
        f"PidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n"
    )
    (tmp_path / "config").write_text(
        f"Host far\n  HostName 127.0.0.1\n  Port {port}\n  User {getpass.getuser()}\n  IdentityFile {own}\n"
        f"  IdentitiesOnly yes\n  UserKnownHostsFile {tmp_path}/known\n"
    )
    (tmp_path / "bin").mkdir()
    ssh = tmp_path / "bin/ssh"
    ssh.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {tmp_path}/config "$@"\n')
    ssh.chmod(0o755)
    assert SSHD
    process = subprocess.Popen([SSHD, "-D", "-e", "-f", str(tmp_path / "sshd_config")], stderr=subprocess.PIPE)
    assert process.stderr is not None
    assert b"listening" in process.stderr.readline()
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield tmp_path
    process.terminate()
    process.wait()
    process.stderr.close()


def test_a_run_over_a_real_server(server: Path) -> None:
    with connected("ssh:far") as host:
        directory, manifest = start.begin("stream", suites["stream"].read(WORDS), "", (), server / "run", host=host)
        start.execute(directory, manifest, None, host)
    run = load(directory)
    assert run.result.complete
    assert run.result.machine.reached == "ssh:far"
    assert run.result.records[0].background is not None


def test_files_there_are_removed_with_the_connection(server: Path) -> None:
    with Remote("ssh:far") as remote:
        session = core.Session(remote.launcher)
        server_pid = int(remote._shell.run("echo $PPID").out)
        samples = Path(session._core._samples)  # type: ignore[attr-defined]
        core_pid = session._core._channel.pid  # type: ignore[attr-defined]
        assert samples.exists()
        os.kill(server_pid, signal.SIGKILL)  # the server's process of this connection
        with pytest.raises(MachineError, match="ssh:far: the connection was lost"):
            session.check()
        for _ in range(200):
            if not samples.parent.exists() and not Path(f"/proc/{core_pid}").exists():
                break
            time.sleep(0.05)
        assert not samples.parent.exists()
        assert not Path(f"/proc/{core_pid}").exists()


def test_a_host_key_that_is_not_known_is_not_accepted(server: Path) -> None:
    (server / "known").write_text("")
    with pytest.raises(MachineError, match="connect once with `ssh far`, which asks about its host key"):
        Remote("ssh:far")
