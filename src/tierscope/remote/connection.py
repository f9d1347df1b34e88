"""One connection of ssh, which every process there shares: keys, passwords and host keys are asked about once.

ssh itself checks host keys and asks; without a terminal it does not ask. The connection goes to the background once it
is open, so that Ctrl-C does not end it before the folder there is removed. A connection that is silent for ALIVE_S x
ALIVE_COUNT ends; ssh then ends every process that uses it.
Source: OpenSSH 9.2, ssh(1), ssh_config(5) (ControlMaster, ControlPersist, ServerAliveInterval, ConnectTimeout).
"""

import os
import re
import subprocess
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Protocol

from tierscope.errors import MachineError, reason
from tierscope.printable import printable
from tierscope.remote.address import destination

CONNECT_S = 15  # of the network and the first messages
LONGEST_S = 45  # until the connection is open, where nobody is asked
ASKED_S = 180  # where ssh may ask for a password
ALIVE_S, ALIVE_COUNT = 5, 3
UNUSED_S = 60  # after which a connection ends that a killed Tierscope left behind
LONGEST_PATH = 80  # of the socket: the system allows 107 bytes, and ssh adds 17 for a moment
LAST_BYTES = 1 << 14  # of what ssh prints
BATCH = ("-o", "BatchMode=yes")
PLAIN = (
    "-T", "-o", "RemoteCommand=none", "-o", "ForwardAgent=no", "-o", "ForwardX11=no", "-o", "ClearAllForwardings=yes",
    "-o", "PermitLocalCommand=no", "-o", "EscapeChar=none",
)  # fmt: skip


class Line(Protocol):
    """A way to another machine."""

    word: str

    def command(self) -> list[str]:
        """Return the command line of a process here whose standard streams are those of an `sh` there."""

    def close(self) -> None:
        """End the connection; more than once does no harm."""


class Connection:
    """An open connection. word: `ssh:NAME`; batch: nobody is asked for a password, even on a terminal."""

    def __init__(self, word: str, *, batch: bool = False) -> None:
        self.word = word
        self._batch = batch
        self._to = destination(word)
        self._files = ExitStack()
        self._socket = _folder(self._files) / "s"
        try:
            self._connect()
        except BaseException:
            self.close()
            raise

    def command(self) -> list[str]:
        """Return the command line of a process there. Without the connection it fails, and does not make another."""
        shared = ("-o", "ControlMaster=no", "-o", f"ControlPath={self._socket}", "-o", "ProxyCommand=false")
        return ["ssh", *PLAIN, *BATCH, *shared, "--", self._to, "exec sh"]

    def close(self) -> None:
        """End the connection; more than once does no harm."""
        with suppress(OSError, subprocess.TimeoutExpired):
            control = ["ssh", "-o", f"ControlPath={self._socket}", "-O", "exit", "--", self._to]
            subprocess.run(
                control, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                timeout=ALIVE_S, check=False,
            )  # fmt: skip
        self._files.close()

    def _connect(self) -> None:
        person = not self._batch and _somebody_there()
        alive = ("-o", f"ServerAliveInterval={ALIVE_S}", "-o", f"ServerAliveCountMax={ALIVE_COUNT}")
        shared = (
            "-o", "ControlMaster=yes", "-o", f"ControlPath={self._socket}", "-o", f"ControlPersist={UNUSED_S}",
            "-o", f"ConnectTimeout={CONNECT_S}",
        )  # fmt: skip
        command = ["ssh", "-f", "-N", *PLAIN, *alive, *shared, *(() if person else BATCH), "--", self._to]
        with tempfile.TemporaryFile() as printed:  # the background keeps it open, so that a pipe would not end
            status = self._status(command, printed.fileno(), ASKED_S if person else LONGEST_S)
            if status != 0:
                printed.seek(0)
                raise self._refused(last_line(printed.read(LAST_BYTES)))

    def _status(self, command: list[str], printed: int, longest_s: float) -> int:
        try:
            # in our process group, since one in the background cannot ask on the terminal
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=printed, stderr=printed)
        except OSError as error:
            step = "install it (sudo apt-get install -y openssh-client)"
            raise MachineError(f"{self.word}: ssh cannot be started: {reason(error)}; {step}") from error
        try:
            return process.wait(longest_s)
        except subprocess.TimeoutExpired as error:
            raise MachineError(
                f"{self.word}: no connection within {longest_s:g} s; try `ssh {self._to} true`, which must end "
                f"immediately"
            ) from error
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()

    def _refused(self, said: str) -> MachineError:
        step = f"try `ssh {self._to} true`, which must work first"
        if "Host key verification failed" in said:
            step = f"connect once with `ssh {self._to}`, which asks about its host key"
        return MachineError(f"{self.word}: ssh cannot connect: {said}; {step}")


def last_line(said: bytes) -> str:
    """Return the last line that ssh printed, or a program there."""
    lines = said.decode(errors="replace").strip().splitlines()
    return printable(lines[-1].strip()) if lines else "no message"


PLAIN_PATH = re.compile(r"[A-Za-z0-9/._-]+")
"""Return what ssh accepts unchanged: it cuts a path at a space, and reads %h as a host."""


def _folder(files: ExitStack) -> Path:
    """Return a folder of ours alone, with a path that is short enough for a socket."""
    usual = tempfile.gettempdir()
    short = len(os.fsencode(usual)) < LONGEST_PATH - 20 and PLAIN_PATH.fullmatch(usual)
    place = usual if short else "/tmp"  # noqa: S108 (the name in it is chosen at random)
    try:
        return Path(files.enter_context(tempfile.TemporaryDirectory(prefix="tierscope-", dir=place)))
    except OSError as error:
        raise MachineError(f"no folder for a socket in {place}: {reason(error)}; name another in TMPDIR") from error


def _somebody_there() -> bool:
    """Return whether ssh can ask somebody: it asks on the terminal of the process, not on its standard input."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC))
    except OSError:
        return False
    return True
