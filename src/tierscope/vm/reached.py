"""A virtual machine as the machine that a run measures: booted for one command, reached as one by ssh is.

All of it but the connection is that of the folder `remote`: the core is copied, started and asked in the same way.
"""

import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tierscope.core.find import find_core
from tierscope.errors import MachineError, UsageError
from tierscope.host.system import System
from tierscope.remote.machine import Remote
from tierscope.units import MiB
from tierscope.vm.machine import Emulated, machines
from tierscope.vm.qemu import VirtualMachine
from tierscope.vm.shape import Shape

SCHEME = "vm:"
ACCELERATORS = ("", "kvm", "tcg")
OWN_MIB = 300  # that QEMU uses beyond the memory of its machine
IMAGE_MIB = 64  # of the RAM disk and the files that it is made of
CLIENT = Path(__file__).with_name("client.py")


class Line:
    """The connection with a machine, for `remote`: each process inside is one of `client.py` here."""

    def __init__(self, word: str, port: int) -> None:
        self.word, self._port = word, port

    def command(self) -> list[str]:
        """Return the command line of a process there."""
        return [sys.executable, "-I", str(CLIENT), str(self._port)]

    def close(self) -> None:
        """Do nothing: each process has its own connection."""


def named(word: str) -> tuple[Emulated, str]:
    """Return the machine of `vm:NAME` or `vm:NAME:ACCELERATOR`, and the accelerator; UsageError for another word."""
    name, _, accelerator = word.removeprefix(SCHEME).partition(":")
    if accelerator not in ACCELERATORS:
        raise UsageError(f"{word}: unknown accelerator {accelerator!r}; write {SCHEME}{name}:kvm, or :tcg, or neither")
    return machines[name], accelerator


@contextmanager
def booted(word: str, tell: Callable[[str], None] = lambda _: None) -> Iterator[tuple[Remote, str]]:
    """Yield the machine and what emulates it, as `QEMU (TCG), machine cxl`; it ends with the block.

    `tell` receives a line when it is ready. MachineError for what is missing.
    """
    machine, accelerator = named(word)
    with tempfile.TemporaryDirectory(prefix="tierscope-vm-") as folder:
        shape = machine.shape(Path(folder))
        refuse_shortage(shape, Path(folder), System())
        with VirtualMachine(shape, find_core(), accelerator=accelerator, name=f"vm-{machine.name}") as begun:
            targets = machine.prepare(begun)
            by = f"QEMU ({begun.accelerator.upper()}), machine {machine.name}"
            tell(f"{by} is ready{': ' if targets else ''}{', '.join(targets)}")
            with Remote(word, Line(word, begun.port)) as remote:
                yield remote, by


def refuse_shortage(shape: Shape, folder: Path, system: System) -> None:
    """Raise MachineError where memory or the temporary folder have too little space for a machine."""
    needed = shape.memory_mib + OWN_MIB
    found = re.search(r"^MemAvailable:\s+(\d+) kB", system.read("/proc/meminfo") or "", re.MULTILINE)
    if found and int(found[1]) // 1024 < needed + (shape.media_mib if in_memory(folder, system) else 0):
        raise MachineError(
            f"this virtual machine needs {needed} MiB of memory, and {int(found[1]) // 1024} MiB are available; "
            "end other programs"
        )
    free = shutil.disk_usage(folder).free // MiB
    if free < shape.media_mib + IMAGE_MIB:
        raise MachineError(
            f"this virtual machine needs {shape.media_mib + IMAGE_MIB} MiB below {folder.parent}, and {free} MiB are "
            "free; name another folder in TMPDIR"
        )


def in_memory(folder: Path, system: System) -> bool:
    """Return whether files in a folder are in memory: on tmpfs."""
    mounts = [line.split() for line in (system.read("/proc/mounts") or "").splitlines()]
    holds = [one for one in mounts if len(one) > 2 and folder.is_relative_to(one[1])]
    return max(holds, key=lambda one: len(one[1]), default=["", "", ""])[2] == "tmpfs"
