"""A lever: a part of this machine that slows memory for the victim, in steps.

Each file `lever_NAME.py` of this folder adds one. A step is other work at the same time, other memory, or settings of
the machine that are written for a take and put back after it.
"""

from dataclasses import dataclass
from typing import Protocol

from tierscope.record.experiment import Group, Setting, Target
from tierscope.record.machine import Machine
from tierscope.registry import Registry
from tierscope.suites.response.options import ResponseOptions


@dataclass(frozen=True)
class Place:
    """CPUs of the victim, those that may load, and bytes of an array. The victim's first CPU also runs the probes."""

    victims: tuple[int, ...]
    loads: tuple[int, ...]
    array_bytes: int = 0


@dataclass(frozen=True)
class Slower:
    """A step. load: works at the same time; memory: of victim and probes, None: that without a lever."""

    name: str
    load: Group | None = None
    memory: Target | None = None
    settings: tuple[Setting, ...] = ()


class Lever(Protocol):
    """A lever that a file here registers. cycles: the clock of the core changes, so times are counted in cycles."""

    name: str
    summary: str
    cycles: bool

    def why_not(self, machine: Machine, chosen: ResponseOptions, place: Place) -> str:
        """Return why this machine does not have it, with what to try; "" if it does."""

    def steps(self, machine: Machine, chosen: ResponseOptions, place: Place) -> tuple[Slower, ...]:
        """Return its steps, the weakest first, without the one that changes nothing."""


levers: Registry[Lever] = Registry("lever", "tierscope.suites", part="lever_", group="tierscope.levers")
