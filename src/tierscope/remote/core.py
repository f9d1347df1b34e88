"""Cores on the other machine. A core there ends with the connection, however that ends.

Samples stay in a file there until they are asked for; each batch is read after its end, so nothing is sent while blocks
run.
"""

import subprocess
from contextlib import suppress
from shlex import quote

from tierscope.core.launch import Asked, Find, Running
from tierscope.errors import MachineError
from tierscope.remote.channel import ENDS_S, LOST, Channel
from tierscope.remote.connection import Line
from tierscope.remote.folder import Folder
from tierscope.remote.shell import Shell

CHUNK = "65536"
OWNER = "TIERSCOPE_PARENT=$PPID"  # the server's process of this connection: the kernel ends the core with it


class RemoteLauncher:
    """Starts cores there, each after it was copied."""

    def __init__(self, connection: Line, shell: Shell, folder: Folder) -> None:
        self._connection, self._shell, self._folder = connection, shell, folder
        self._running: list[RemoteCore] = []

    def ask(self, find: Find, words: tuple[str, ...]) -> Asked:
        core = self._folder.copy(find())
        return Asked(*self._shell.run(" ".join(map(quote, (core, *words)))))

    def start(self, find: Find) -> Running:
        core = self._folder.copy(find())
        samples = self._folder.new_name()
        line = f"exec env {OWNER} {quote(core)} run - --samples {quote(samples)}"
        self._running = [one for one in self._running if not one.ended]
        begun = RemoteCore(Channel(self._connection, line), self._shell, samples, self._connection.word)
        self._running.append(begun)
        return begun

    def close(self) -> None:
        """End the cores that still run."""
        for one in self._running:
            one.end()


class RemoteCore:
    """One core process there. samples: the path of its file. `ended`: whether it was ended by its owner."""

    def __init__(self, channel: Channel, shell: Shell, samples: str, word: str) -> None:
        self._channel, self._shell, self._samples, self._word = channel, shell, samples, word
        self.ended = False

    def send(self, line: bytes) -> None:
        self._channel.send(line)

    def line(self) -> bytes:
        return self._channel.line()

    def samples(self, size: int, offset: int) -> bytes:
        """Read by `dd` where it can skip bytes, else by `tail`, which reads all before."""
        path = quote(self._samples)
        fast = f"dd if={path} bs={CHUNK} iflag=skip_bytes,count_bytes,fullblock skip={offset} count={size} 2>/dev/null"
        return self._shell.run(f"{fast} || tail -c +{offset + 1} {path} | head -c {size}").out

    def death(self) -> tuple[int, bytes]:
        """Return status and last output; raise MachineError if the connection was lost, or a signal ended the core.

        ssh does not report which of both.
        """
        status = self._channel.process.wait()
        if status != LOST:
            return status, self._channel.last_words()
        self._shell.run(":")  # raises where the connection is lost
        raise MachineError(
            f"{self._word}: tierscope-core was ended there by a signal, usually because memory ran out; ask for less "
            "of it, and report it if much memory is free there"
        )

    def end(self) -> None:
        if self.ended:
            return
        self.ended = True
        with suppress(MachineError):  # the connection is gone, and with it the core
            if self._channel.process.poll() is None:
                self._shell.run(self._kill())
                with suppress(subprocess.TimeoutExpired):
                    self._channel.process.wait(ENDS_S)
            self._shell.run(f"rm -f -- {quote(self._samples)}")
        self._channel.close()

    def _kill(self) -> str:
        """Return the command that ends this process, and no other one that has its number by now."""
        pid = self._channel.pid
        return f"case $(tr '\\0' ' ' </proc/{pid}/cmdline) in *{quote(self._samples)}*) kill -9 {pid} ;; esac"
