"""Virtual machines for tests: those of the package, with a core inside that replaces the one here.

QEMU's TCG has neither caches nor distances between nodes: every number taken inside means nothing.
"""

import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import pytest

from tierscope.core import LINKED, find_core
from tierscope.errors import MachineError
from tierscope.host.system import System
from tierscope.vm import qemu
from tierscope.vm.shape import Node, Shape

__all__ = ["Node", "Shape", "VirtualMachine"]

BRING = "sudo apt-get install -y qemu-system-x86 busybox-static && packaging/vm-kernel"


@contextmanager
def skipped_without() -> Iterator[None]:
    """A missing part for virtual machines skips a test, with the line that installs it."""
    try:
        yield
    except MachineError as error:
        if " needs " in str(error) or " is not static" in str(error):
            pytest.skip(f"{error}; all of it: {BRING}")
        raise


class VirtualMachine(qemu.VirtualMachine):
    """A booted one, as a context manager. `core` is a program that stands for the core inside: for TIERSCOPE_CORE."""

    def __init__(self, shape: Shape, packed: Path | None = None) -> None:
        """`packed`: the core to copy, else the one that `tierscope` finds."""
        core = packed or find_core()
        linked = core.with_name(core.name + LINKED) if shape.pools else None
        if linked is not None and not linked.is_file():
            pytest.skip(f"no {linked} for the virtual machine: sudo apt-get install -y libpmemobj-dev")
        with skipped_without():
            super().__init__(shape, core, linked)
        self.core = self._stand_in()

    def _stand_in(self) -> Path:
        """With the one that serves pools next to it, as anywhere."""
        core = self.folder / "tierscope-core"
        for program in (core, core.with_name(core.name + LINKED)):
            words = (sys.executable, str(Path(__file__).with_name("core_inside.py")), str(self.port), program.name)
            program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
            program.chmod(0o755)
        return core

    def read(self, path: str) -> str:
        """A text file inside."""
        return self.do(f"cat {shlex.quote(path)}").strip()

    @cached_property
    def system(self) -> System:
        """The files inside that describe the machine, recorded for all readers other than the core."""
        tree = self.folder / "tree"
        links, *files = re.split(r"^==> (.*) <==\n", self.shell("/record")[1], flags=re.MULTILINE)
        for path, target in re.findall(r" (\S+) -> (.*)", links):
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).symlink_to(target)
        for path, content in zip(files[::2], files[1::2], strict=True):
            if not (tree / path).is_symlink():
                (tree / path).parent.mkdir(parents=True, exist_ok=True)
                (tree / path).write_text(content)
        return System(tree)

    def processes(self) -> list[str]:
        """Names of what runs inside, but for the kernel's own threads."""
        return self.shell("for p in /proc/[0-9]*; do [ ! -e $p/exe ] || sed -n s/^Name:.//p $p/status; done")[1].split()
