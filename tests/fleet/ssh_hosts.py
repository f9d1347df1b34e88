"""Hosts for ssh: one sshd for each loopback address or network namespace, and faults by what their key may run."""

import os
import shutil
import signal
import socket
import subprocess
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from namespaces import Space

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
SEPARATE = Path("/run/sshd")
GARBAGE = "exec head -c 3000000 /dev/urandom"
CUT = "ip link set eth0 down; exec sleep 100"  # in a namespace: the host is lost after its connection stood
STRANGER = "a key that the host does not know"
FULL = "XDG_CACHE_HOME={full} TMPDIR={full} exec unshare -m sh -c 'mount --bind {full} /dev/shm && exec sh'"


def lacking() -> str:
    """Return why no server can be started here, with the command that enables it; "" if one can."""
    if SSHD is None:
        return "no sshd: sudo apt-get install -y --no-install-recommends openssh-server"
    if os.geteuid() == 0 and not SEPARATE.is_dir():
        return f"no {SEPARATE}: sudo mkdir {SEPARATE}"
    return ""


class Hosts:
    """Use as a context manager: `ssh` in `path` reaches h1 to hN on loopback addresses, s1 to sN in network
    namespaces, refused, hangs.

    commands: host -> what its key is forced to run, or STRANGER. `refused` has no server, and `hangs` accepts and is
    silent.
    """

    def __init__(self, folder: Path, count: int, commands: dict[str, str], spaces: int = 0) -> None:
        self.names = [f"h{number}" for number in range(1, count + 1)]
        self._spaces = {f"s{number}": Space(f"s{number}", number) for number in range(1, spaces + 1)}
        self._folder, self._commands = folder, commands
        self._servers: list[subprocess.Popen[bytes]] = []
        self._silent = socket.socket()
        for name in ("key", "host"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
        self._port = _free_port()

    @property
    def environment(self) -> dict[str, str]:
        """With an `ssh` that knows the hosts, and a cache of their own."""
        return {**os.environ, "PATH": f"{self._folder}/bin:{os.environ['PATH']}"}

    def __enter__(self) -> Self:
        self._silent.bind(("127.0.2.1", self._port))
        self._silent.listen(8)
        addresses = {name: f"127.0.1.{number}" for number, name in enumerate(self.names, 1)}
        for name, address in addresses.items():
            self._servers.append(self._server(name, address, []))
        for name, space in self._spaces.items():
            self._servers.append(self._server(name, space.address, space.inside))
            addresses[name] = space.address
        self.names += self._spaces
        self._configure({**addresses, "refused": "127.0.2.2", "hangs": "127.0.2.1"})
        return self

    def __exit__(self, _k: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None) -> None:
        self._silent.close()
        for one in self._servers:
            os.killpg(one.pid, signal.SIGKILL)
        for space in self._spaces.values():
            space.remove()  # and what a lost connection left running: it keeps the error stream open
        for one in self._servers:
            one.wait()
            assert one.stderr
            one.stderr.close()

    def freeze(self, name: str) -> None:
        """Stop the server of a host and all that it started: it hangs in the middle."""
        os.killpg(self._servers[self.names.index(name)].pid, signal.SIGSTOP)

    def _server(self, name: str, address: str, inside: list[str]) -> subprocess.Popen[bytes]:
        own = self._folder / name
        (own / "tmp").mkdir(parents=True)
        line = self._commands.get(name, "exec sh")
        forced = f'command="{line}" ' if line != "exec sh" else ""
        key = "" if line == STRANGER else (self._folder / "key.pub").read_text()
        (own / "authorized").write_text(forced + key if key else "")
        (own / "sshd_config").write_text(
            f"Port {self._port}\nListenAddress {address}\nHostKey {self._folder}/host\nPidFile none\n"
            f"AuthorizedKeysFile {own}/authorized\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
            f"PermitRootLogin yes\nMaxStartups 200\n"
            f"SetEnv TIERSCOPE_FLEET_SHARED=1 XDG_CACHE_HOME={own} TMPDIR={own}/tmp\n"
        )
        assert SSHD
        process = subprocess.Popen(
            [*inside, SSHD, "-D", "-e", "-f", str(own / "sshd_config")],
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stderr
        assert b"listening" in process.stderr.readline()
        threading.Thread(target=_drain, args=(process,), daemon=True).start()
        return process

    def _configure(self, addresses: dict[str, str]) -> None:
        known = (self._folder / "host.pub").read_text()
        lines = [f"[{address}]:{self._port} {known}" for address in addresses.values()]
        (self._folder / "known").write_text("".join(lines))
        entries = [f"Host {name}\n  HostName {address}\n" for name, address in addresses.items()]
        (self._folder / "config").write_text(
            "".join(entries) + f"Host *\n  Port {self._port}\n  IdentityFile {self._folder}/key\n"
            f"  IdentitiesOnly yes\n  UserKnownHostsFile {self._folder}/known\n"
        )
        (self._folder / "bin").mkdir()
        ssh = self._folder / "bin/ssh"
        ssh.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {self._folder}/config "$@"\n')
        ssh.chmod(0o755)


def _drain(process: subprocess.Popen[bytes]) -> None:
    assert process.stderr
    try:
        while process.stderr.read(4096):
            pass
    except ValueError:
        pass  # it was closed at the end


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
