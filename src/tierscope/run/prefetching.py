"""Prefetchers switched for the time of a run, and put back at its end: by the run, its guard, or the doctor.

The order: store what the registers contain, start the guard, wait until it is ready, and only then write. A kill at any
moment leaves either nothing changed, or a file and a guard that restore it.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tierscope import stops
from tierscope.host import guard
from tierscope.host.prefetchers import Registers, register_of
from tierscope.host.system import System
from tierscope.plans.prefetch import ON

ROOT = Path("/")


@contextmanager
def prefetching(asked: str | None, root: Path = ROOT) -> Iterator[None]:
    """Switch the prefetchers of all CPUs `on` or `off`; None touches nothing. MachineError where it cannot be done."""
    if asked is None:
        yield
        return
    registers = Registers(root)
    registers.file.refuse_left()
    register = register_of(System(root))
    with stops.held():
        kept = registers.keep(register)
        process = None
        try:
            process = guard.start("tierscope.host.prefetch_guard", root, "prefetchers")
            registers.switch(kept, on=asked == ON)
        except BaseException:
            _end(registers, process)
            raise
    try:
        yield
    finally:
        with stops.held():
            _end(registers, process)


def refuse_prefetching(asked: str | None, root: Path = ROOT) -> None:
    """Raise MachineError before anything is written if the prefetchers cannot be switched: no module, no permission."""
    if asked is None:
        return
    registers = Registers(root)
    registers.file.refuse_left()
    register = register_of(System(root))
    for cpu in registers.cpus():
        registers.write(cpu, register.address, registers.read(cpu, register.address))


def _end(registers: Registers, process: "subprocess.Popen[bytes] | None") -> None:
    """Put them back here; the guard then finds nothing to do, and ends."""
    try:
        registers.restore()
    finally:
        if process is not None:
            guard.end(process)
