"""The machine that a run measures: this one, another by ssh or Slurm, or a virtual one. A run asks it by one of these.

So nothing of this machine can enter a run of another one: its CPUs, its free memory, what its other programs do.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import Any, Protocol

import msgspec

from tierscope import core
from tierscope.core.launch import Launcher
from tierscope.doctor import examine
from tierscope.errors import MachineError, UsageError
from tierscope.host import blocks
from tierscope.host.blocks import Memory
from tierscope.host.others import Mark, Marks, Others
from tierscope.host.system import System
from tierscope.record.catalogue import Catalogue, HeldIn
from tierscope.record.experiment import Group, Target
from tierscope.record.origin import strongest
from tierscope.record.result import GroupFacts, load_manifest
from tierscope.remote import Remote, address, slurm
from tierscope.run.commands import OVERWRITE
from tierscope.run.inspect import inspect
from tierscope.run.known import PLACES
from tierscope.run.measurer import Measurer
from tierscope.run.owned import is_begun
from tierscope.vm import reached as vm

HERE_WORD = "here"
PATHS = ("page cache", "file system", "device")  # what limits targets that are paths
DEVICE = re.compile(rf"/dev/dax[0-9.]+{OVERWRITE}")
OTHER_PROGRAMS = ("pool", *PLACES)  # targets that the static core does not serve
THERE = "measure that with a Tierscope on that machine"


class Host(Protocol):
    """A machine to measure. word: "" is this one, `ssh:NAME` and `slurm:NODE` others, `vm:NAME` an emulated one."""

    word: str

    def catalogue(self, *, pools: bool = True) -> Catalogue:
        """Return what the core contains, and what of it runs there."""

    def topology(self, simulated: str = "") -> dict[str, Any]:
        """Return its CPUs, caches and nodes."""

    def session(self) -> Measurer:
        """Begin a core process there."""

    def system(self) -> System:
        """Return the files of its system."""

    def memory(self) -> Memory:
        """Return what its kernel manages now."""

    def others(self) -> Marks:
        """Return who counts what its other programs use."""

    def refuse(self, targets: Iterable[Target], held: Mapping[str, HeldIn]) -> None:
        """Raise where it cannot serve one of the targets."""

    def refuse_program(self, program: str) -> None:
        """Raise where it cannot run a program that measures in place of the core."""


class Here:
    """This machine."""

    word = ""

    def catalogue(self, *, pools: bool = True) -> Catalogue:
        return core.catalogue(pools=pools)

    def topology(self, simulated: str = "") -> dict[str, Any]:
        return core.topology(simulated) if simulated else core.topology()

    def session(self) -> Measurer:
        return core.Session()

    def system(self) -> System:
        return System()

    def memory(self) -> Memory:
        return blocks.look(System())

    def others(self) -> Marks:
        return Others(System())

    def refuse(self, targets: Iterable[Target], held: Mapping[str, HeldIn]) -> None:
        """Serve all of them."""

    def refuse_program(self, program: str) -> None:
        """Run all of them."""


HERE = Here()


class There:
    """Another machine, while it is connected. Its files are read once, but for those that count time."""

    def __init__(self, remote: Remote) -> None:
        self.word = remote.word
        self._remote = remote
        self._catalogue: Catalogue | None = None
        self._system: System | None = None

    def catalogue(self, *, pools: bool = True) -> Catalogue:
        """Return that of the static core; the core that is linked with libpmemobj stays here."""
        if self._catalogue is None:
            self._catalogue = core.catalogue(pools=pools, launcher=self._remote.launcher)
        return self._catalogue

    def topology(self, simulated: str = "") -> dict[str, Any]:
        return core.topology(simulated, self._remote.launcher)

    def session(self) -> Measurer:
        return core.Session(self._remote.launcher)

    def system(self) -> System:
        if self._system is None:
            system, topology = self._remote.system(), self.topology()
            system.gather(examine, lambda files: inspect(topology, files, None))
            self._system = system
        return self._system

    def memory(self) -> Memory:
        system = self._remote.system()
        system.gather(blocks.look)
        return blocks.look(system)

    def others(self) -> Marks:
        return self._remote.others()

    def refuse(self, targets: Iterable[Target], held: Mapping[str, HeldIn]) -> None:
        for target in targets:
            if target.name == "sim":
                raise UsageError(f"target {target.word} is the same on every machine; leave --host out")
            if target.name in OTHER_PROGRAMS:
                what = "libpmemobj" if target.name == "pool" else "fio"
                raise MachineError(f"target {target.word} needs {what}, and only the static core is copied; {THERE}")
            if held.get(target.name, "nothing") in PATHS and target.where:
                _refuse_path(target, self.word)

    def refuse_program(self, program: str) -> None:
        raise MachineError(f"{program} is not copied to {self.word}, only the static core is; {THERE}")


class Virtual(There):
    """An emulated machine, while it runs. All that is measured on it is marked so, whatever its core can see."""

    def __init__(self, remote: Remote, by: str) -> None:
        """Take the connection to the machine.

        by: what emulates it.
        """
        super().__init__(remote)
        self._by = by

    def session(self) -> Measurer:
        return EmulatedSession(self._remote.launcher, self._by)

    def others(self) -> Marks:
        return Nobody()


class EmulatedSession(core.Session):
    """A session whose groups are emulated: under KVM a core cannot know it."""

    def __init__(self, launcher: Launcher, by: str) -> None:
        self._by = by
        super().__init__(launcher)

    def prepare(self, groups: Sequence[Group]) -> tuple[GroupFacts, ...]:
        return tuple(self._marked(facts) for facts in super().prepare(groups))

    def set(self, number: int, group: Group) -> GroupFacts:
        return self._marked(super().set(number, group))

    def _marked(self, facts: GroupFacts) -> GroupFacts:
        return msgspec.structs.replace(facts, origin=strongest((facts.origin, "emulated")), origin_by=self._by)


class Nobody:
    """Nobody else uses a virtual machine; that its host is busy changes nothing that is learned on it."""

    def mark(self) -> Mark | None:
        """Return None: it is not counted."""
        return None


@contextmanager
def connected(word: str | None, tell: Callable[[str], None] = lambda _: None) -> Iterator[Host]:
    """Yield the host; None and `here` are this machine. UsageError for a wrong value, MachineError without it.

    `tell` receives a line on what was started.
    """
    if word is None or word == HERE_WORD:
        yield HERE
        return
    if word.startswith(vm.SCHEME):
        with vm.booted(word, tell) as (remote, by):
            yield Virtual(remote, by)
        return
    if not word.startswith((address.SCHEME, slurm.SCHEME)):
        raise UsageError(
            f"--host {word!r} is not a host; write {address.SCHEME}NAME, {slurm.SCHEME}NODE, {vm.SCHEME}NAME or "
            f"{HERE_WORD}, as in --host {address.SCHEME}server"
        )
    line = slurm.Allocation(word) if word.startswith(slurm.SCHEME) else None
    with Remote(word, line) as remote:
        yield There(remote)


def same_host(given: str | None, directory: Path, command: str) -> None:
    """Refuse to measure a run of one machine on another by mistake, or to connect to where a file of others directs.

    given: the option --host. UsageError where the run in `directory` was measured by ssh and no host is given.
    """
    reached = "" if is_begun(directory) else load_manifest(directory).machine.reached
    if given is None and reached:
        raise UsageError(
            f"the run was measured over {reached}; name the machine: "
            f"`tierscope {command} {quote(str(directory))} --host {quote(reached)}`, or --host {HERE_WORD} for this one"
        )


def _refuse_path(target: Target, word: str) -> None:
    """Keep paths of that machine without a folder before them. The content of devices is not checked."""
    if target.name == "devdax":
        if not DEVICE.fullmatch(target.where):
            raise UsageError(
                f"target {target.word}: the content of a device of {word} is not checked; if all of it may be "
                f"lost, write devdax:/dev/daxN.M{OVERWRITE}"
            )
    elif not target.where.startswith("/"):
        raise UsageError(f"target {target.word}: a path on {word} begins with /; write the whole path")
