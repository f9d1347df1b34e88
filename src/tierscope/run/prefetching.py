"""Prefetchers switched for the time of a run, and put back at its end: by the run, its guard, or the doctor.

The order: store what the registers contain, start the guard, wait until it is ready, and only then write. A kill at any
moment leaves either nothing changed, or a file and a guard that restore it.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tierscope import stops
from tierscope.errors import MachineError
from tierscope.host.prefetch_guard import READY
from tierscope.host.prefetchers import RESTORE, Registers, register_of
from tierscope.host.system import System
from tierscope.plans.prefetch import ON

ROOT = Path("/")
WAIT_S = 30.0  # for a guard: it only reads a file


@contextmanager
def prefetching(asked: str | None, root: Path = ROOT) -> Iterator[None]:
    """Switch the prefetchers of all CPUs `on` or `off`; None touches nothing. MachineError where it cannot be done."""
    if asked is None:
        yield
        return
    registers = Registers(root)
    refuse_left(registers)
    register = register_of(System(root))
    with stops.held():
        registers.forget_earlier()
        kept = registers.keep(register)
        guard = None
        try:
            guard = _guard(root)
            registers.switch(kept, on=asked == ON)
        except BaseException:
            _end(registers, guard)
            raise
    try:
        yield
    finally:
        with stops.held():
            _end(registers, guard)


def refuse_prefetching(asked: str | None, root: Path = ROOT) -> None:
    """Raise MachineError before anything is written if the prefetchers cannot be switched: no module, no permission."""
    if asked is None:
        return
    registers = Registers(root)
    refuse_left(registers)
    register = register_of(System(root))
    for cpu in registers.cpus():
        registers.write(cpu, register.address, registers.read(cpu, register.address))


def refuse_left(registers: Registers) -> None:
    """Raise MachineError where a run that was killed left its file, or another one is running."""
    kept = registers.kept()
    if kept is not None and not registers.is_earlier(kept):
        raise MachineError(f"a run has changed the prefetchers, and they were not put back; {RESTORE}")


def _guard(root: Path) -> "subprocess.Popen[bytes]":
    guard = subprocess.Popen(
        [sys.executable, "-m", "tierscope.host.prefetch_guard", str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    if guard.stdout is None or guard.stdout.readline() != READY:
        guard.kill()
        guard.wait()
        raise MachineError("the process that puts prefetchers back did not start; nothing was changed")
    return guard


def _end(registers: Registers, guard: "subprocess.Popen[bytes] | None") -> None:
    """Put them back here; the guard then finds nothing to do, and ends."""
    try:
        registers.restore()
    finally:
        if guard is not None:
            for pipe in (guard.stdin, guard.stdout):
                if pipe is not None:
                    pipe.close()
            guard.wait(WAIT_S)
