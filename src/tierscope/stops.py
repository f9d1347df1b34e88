"""Signals that ask this process to end: Ctrl-C, `kill`, and the terminal that goes away. All three end a command alike.

A signal that was ignored at the start, as `nohup` ignores SIGHUP and a shell SIGINT of a job in the background, stays
ignored. Python runs a handler between two of its own steps, so a native call is not interrupted, but it can observe the
signal. DuckDB, for example, reports an interruption as an error of the file. Such work is done under `held`.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop(KeyboardInterrupt):
    """A signal asks for the end; `number` is which."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


class _State:
    """The state of this process: the depth of `held`, and the first signal that came meanwhile."""

    held = 0
    waiting = 0


def status_of(error: BaseException | None) -> int:
    """Return 128 + n, as a shell does for a process that signal n ended; 130 for an interruption that names none."""
    while error is not None:
        if isinstance(error, Stop):
            return 128 + error.number
        error = error.__cause__ or error.__context__
    return 128 + signal.SIGINT


@contextmanager
def heard() -> Iterator[None]:
    """Let such signals raise Stop in the main thread within the block; afterwards they do what they did before."""
    ours = threading.current_thread() is threading.main_thread()
    numbers = [number for number in SIGNALS if ours and signal.getsignal(number) not in (signal.SIG_IGN, _hear, None)]
    before = {number: signal.signal(number, _hear) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def held() -> Iterator[None]:
    """Let a signal wait until the end of the block, within `heard`. For short work that waits for nobody."""
    _State.held += 1
    try:
        yield
    finally:
        _State.held -= 1
        if not _State.held and (number := _State.waiting):
            _State.waiting = 0
            raise Stop(number)


def _hear(number: int, _: FrameType | None) -> None:
    if not _State.held:
        raise Stop(number)
    _State.waiting = _State.waiting or number
