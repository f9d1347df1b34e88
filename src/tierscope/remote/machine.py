"""A machine that is reached by ssh, from the connection to its end."""

from contextlib import ExitStack
from types import TracebackType
from typing import Self

from tierscope.core.launch import Launcher
from tierscope.remote.connection import Connection, Line
from tierscope.remote.core import RemoteLauncher
from tierscope.remote.files import RemoteSystem
from tierscope.remote.folder import Folder
from tierscope.remote.others import RemoteOthers
from tierscope.remote.shell import Shell


class Remote:
    """Use as a context manager: leaving it removes the folder there and ends the connection. word: `ssh:NAME`.

    line: a connection of another kind than ssh.
    """

    def __init__(self, word: str, line: Line | None = None) -> None:
        self.word = word
        with ExitStack() as stack:
            connection = line or Connection(word)
            stack.callback(connection.close)
            self._shell = Shell(connection)
            stack.callback(self._shell.close)
            launcher = RemoteLauncher(connection, self._shell, Folder(connection, self._shell))
            stack.callback(launcher.close)
            self.launcher: Launcher = launcher
            self._open = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def system(self) -> RemoteSystem:
        """Return its present files."""
        return RemoteSystem(self._shell, self.word)

    def others(self) -> RemoteOthers:
        """Return who counts what other programs use there."""
        return RemoteOthers(self._shell)
