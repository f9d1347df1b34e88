"""Ways to run something on many hosts: one file per engine, which adds itself.

An engine only starts the payload on hosts and returns its output. `session` judges the output.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tierscope.errors import MachineError
from tierscope.fleet.payload import Payload
from tierscope.registry import Registry

SPARE_S = 30.0  # beyond the limit of a host: to connect, copy and bring back

Answer = bytes | MachineError
Done = Callable[[str, Answer], None]
"""Takes a host and its bundle, or why there is none; called once for each host, from any thread."""


@dataclass(frozen=True)
class Job:
    """A payload and how to run it. folder: of the session; limit_s: of the core on one host."""

    payload: Payload
    folder: Path
    limit_s: float = 60.0
    at_once: int = 16
    together: bool = False


class Engine(Protocol):
    """A way to many hosts."""

    name: str
    summary: str

    def hosts(self, named: Sequence[str]) -> tuple[str, ...]:
        """Return the hosts to measure: those named, or all that the engine knows; UsageError for a wrong name."""

    def address(self, host: str) -> str:
        """Return the word by which `tierscope run --host` reaches the host."""

    def measure(self, job: Job, hosts: Sequence[str], done: Done) -> None:
        """Run the job on each host; what fails on one host is passed to `done`, and never raised."""


engines: Registry[Engine] = Registry("engine", "tierscope.fleet.engines")


@dataclass
class Gate:
    """A gate that opens when this number of hosts are ready or have failed.

    All hosts then begin together, whatever their clocks show.
    """

    left: int
    longest_s: float
    _open: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def arrive(self) -> None:
        """Count one host."""
        with self._lock:
            self.left -= 1
            if self.left <= 0:
                self._open.set()

    def wait(self) -> None:
        """Return when the gate is open, or after the longest time: a host that hangs does not stop the others."""
        self._open.wait(self.longest_s)


class Turn:
    """One host's way through the gate: it arrives once, also if it failed before."""

    def __init__(self, gate: Gate | None) -> None:
        self._gate = gate

    def ready(self) -> None:
        """Wait for the others where all begin together."""
        if gate := self._gate:
            self.gone()
            gate.wait()

    def gone(self) -> None:
        """Count this host, unless it was counted."""
        if self._gate:
            self._gate.arrive()
            self._gate = None


def in_threads(job: Job, hosts: Sequence[str], measure: Callable[[str, Turn], bytes], done: Done) -> None:
    """Call `measure` for each host, `at_once` of them at the same time; all of them where they begin together."""
    gate = Gate(len(hosts), SPARE_S) if job.together else None

    def one(host: str) -> None:
        turn = Turn(gate)
        answer: Answer
        try:
            answer = measure(host, turn)
        except MachineError as error:
            answer = error
        except Exception as error:  # noqa: BLE001 (a fault at one host is that host's alone)
            answer = MachineError(f"{type(error).__name__}: {error}")
        finally:
            turn.gone()
        done(host, answer)

    with ThreadPoolExecutor(max(1, len(hosts) if job.together else job.at_once)) as threads:
        list(threads.map(one, hosts))


def deadline(job: Job) -> float:
    """Return when a host that begins now has used up its time, on the monotonic clock."""
    return time.monotonic() + job.limit_s + SPARE_S
