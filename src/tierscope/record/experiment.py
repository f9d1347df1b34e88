"""What is to be measured: Workload x Target x Team = Group; Groups under one Schedule = Experiment."""

import math
from typing import Annotated, Self, TypeVar

import msgspec
from msgspec import Meta

from tierscope.errors import ResultError, UnknownNameError, UsageError
from tierscope.record.possible import impossible, refuse_numbers
from tierscope.record.work import KINDS, Work, task_of
from tierscope.record.work.base import Bytes, OfTask
from tierscope.registry import unknown
from tierscope.units import GiB, KiB, MiB

PAGES = {
    "4k": 4 * KiB, "thp": 2 * MiB, "2m": 2 * MiB, "1g": GiB,
    "16k": 16 * KiB, "64k": 64 * KiB, "32m": 32 * MiB, "512m": 512 * MiB, "16g": 16 * GiB,
}  # fmt: skip
"""The words for page sizes, and the bytes of each. A machine has some of them; the core refuses the others.

thp: transparent large pages where the system finds them, else the smallest: 2 MiB with smallest pages of 4 KiB, and
`page_word_bytes` knows those of other machines.
"""


def page_word_bytes(word: str, large: int) -> int:
    """Return the bytes of the page that a word asks for. large: bytes of the machine's transparent large pages."""
    return large if word == "thp" else PAGES[word]


def word_of_page(size: int) -> str:
    """Return the word of a page size; UsageError for one without."""
    found = [word for word, own in PAGES.items() if own == size and word != "thp"]
    if not found:
        raise UsageError(f"pages of {size} bytes have no name;  known: {', '.join(PAGES)}")
    return found[0]


Label = str | int | float | bool | None
Share = Annotated[float, msgspec.Meta(gt=0, lt=1)]
Its = TypeVar("Its", bound=OfTask)
_LINKS = ", ".join(f"[`{kind.__name__}`](#{kind.__name__.lower()})" for kind in KINDS.values())


def real(value: object) -> float | None:
    """Return a number as a float, whole or not; None for words, for truth values and for what is absent.

    A whole number that was read from JSON is an int, so `isinstance(value, float)` alone would lose it.
    """
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def whole(value: object) -> int | None:
    """Return a whole number; None for words, for truth values, for fractions and for what is absent."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """A kernel, what every group takes, and the work of the kernel's task.

    Zero and "" mean: the simplest choice of the core, which the facts state. OutOfRangeError for a number below 0 and
    for one that is not finite.
    """

    kernel: Annotated[str, Meta(description="its name in the catalogue")]
    footprint_bytes: Annotated[Bytes, Meta(description="bytes touched by the whole team, all arrays together")]
    work: Annotated[Work, Meta(description=f"what its task takes: {_LINKS}")]
    isa: Annotated[str, Meta(description='"": the best that runs')] = ""
    pace_cycles: Annotated[int, Meta(description="delay after each burst, in core cycles")] = 0
    burst_bytes: Annotated[int, Meta(description="program bytes between two delays")] = 1024
    per_block: Annotated[int, Meta(description="operations of one timed block; 0: as many as fill it")] = 0
    seed: Annotated[int, Meta(description="of what is drawn; 0 is the core's own, 1995")] = 0

    def __post_init__(self) -> None:
        refuse_numbers("workload", self, {})

    def of(self, kind: type[Its]) -> Its:
        """Return its work, as that of the task that asks; ResultError for the work of another task."""
        if isinstance(self.work, kind):
            return self.work
        raise ResultError(
            f"kernel {self.kernel} does the work of {task_of(type(self.work))}, and that of {task_of(kind)} is needed "
            "here; name another run"
        )


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """The location of the bytes: `node:0`, `file:/mnt/x`, `null`."""

    name: Annotated[
        str, Meta(description="`node`, `file`, `null`; `storage`, a folder, and `blockdev`, of storage")
    ] = "node"
    where: Annotated[str, Meta(description="node number or path")] = "0"
    pages: Annotated[str, Meta(description="page size asked for")] = "thp"

    @classmethod
    def parse(cls, word: str, pages: str = "thp") -> Self:
        """Return the target of 'node:1'; raise UsageError without a name or with pages that do not exist."""
        name, _, where = word.partition(":")
        if not name:
            raise UsageError(f"target {word!r} has no name; try node:0, file:PATH or null")
        if pages not in PAGES:
            raise UnknownNameError(unknown("page size", pages, list(PAGES)))
        return cls(name=name, where=where or ("0" if name == "node" else ""), pages=pages)

    def on(self, pages: str) -> Self:
        """Return the same location with pages of another size."""
        return msgspec.structs.replace(self, pages=pages)

    @property
    def word(self) -> str:
        return f"{self.name}:{self.where}" if self.where else self.name

    @property
    def node(self) -> str:
        """Return the node whose memory it is, as "0"; "" where the word names none."""
        if self.name == "node":
            return self.where
        named = [part.removeprefix("node=") for part in self.where.split(",") if part.startswith("node=")]
        return (named or ["0"])[0] if self.name == "emu" else ""


class Team(msgspec.Struct, frozen=True, kw_only=True):
    """Threads, one pinned to each CPU."""

    cpus: Annotated[tuple[int, ...], Meta(description="one thread on each")]


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """One team doing one workload on one target."""

    workload: Annotated[Workload, Meta(description="the [`Workload`](#workload)")]
    target: Annotated[Target, Meta(description="the [`Target`](#target)")]
    team: Annotated[Team, Meta(description="the [`Team`](#team)")]
    role: Annotated[str, Meta(description="how tables and figures call it")] = ""
    source: Annotated[
        Target | None,
        Meta(description="the [`Target`](#target) of the operands that are only read; null: the same target"),
    ] = None
    shared: Annotated[
        bool, Meta(description="whether threads may share its CPUs, with each other or with other groups")
    ] = False

    @property
    def targets(self) -> tuple[Target, ...]:
        """Return all that it uses: the target and, where it has one, the source."""
        return (self.target,) if self.source is None else (self.target, self.source)


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """How long, and how sure; OutOfRangeError for times and shares that no measurement can have."""

    block_s: Annotated[float, Meta(description="length of a block")] = 1e-3
    precision: Annotated[Share, Meta(description="half of the interval over the median that is asked for")] = 0.02
    confidence: Annotated[Share, Meta(description="of the interval")] = 0.95
    minimum_s: Annotated[float, Meta(description="shortest timed duration")] = 0.2
    budget_s: Annotated[float, Meta(description="longest timed duration")] = 1.5
    repeats: Annotated[bool, Meta(description="whether each batch, of `minimum_s`, is one point: storage")] = False
    visits: Annotated[
        int,
        Meta(
            description="times that the point is visited, spread over the run, which share the times above; 0: once, "
            "and the interval contains the scatter within that visit only, as in all runs of versions that stated none"
        ),
    ] = 0
    piece_s: Annotated[
        float,
        Meta(description="shortest timed duration of a visit, in one piece; 0: a share of those above"),
    ] = 0.0

    def __post_init__(self) -> None:
        if self.visits < 0:
            raise impossible("schedule", self, "visits", "a number from 0")
        if not 0 <= self.piece_s < math.inf:
            raise impossible("schedule", self, "piece_s", "a time from 0")
        for name in ("precision", "confidence"):
            if not 0 < getattr(self, name) < 1:
                raise impossible("schedule", self, name, "a share above 0 and below 1")
        for name in ("block_s", "minimum_s", "budget_s"):
            if not 0 < getattr(self, name) < math.inf:
                raise impossible("schedule", self, name, "a time above 0")


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the running kernel, and the text that it has during a take. See `host.levers`."""

    path: Annotated[str, Meta(description="the file; `*` stands for all of them, such as those of all CPUs")]
    text: Annotated[str, Meta(description="what is written")]


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """One point of a table: the groups that run at the same time, and the labels that identify it."""

    table: Annotated[str, Meta(description="the table that reads it")]
    groups: Annotated[tuple[Group, ...], Meta(description="list of [`Group`](#group)")]
    schedule: Annotated[Schedule, Meta(description="the [`Schedule`](#schedule)")] = Schedule()
    labels: Annotated[dict[str, Label], Meta(description="how the table files it: kernel, threads, probe ...")] = {}
    calibrate: Annotated[bool, Meta(description="whether trials select the loop variant of the last group")] = False
    note: Annotated[str, Meta(description="why it is smaller or other than asked")] = ""
    takes: Annotated[
        tuple[tuple[int, ...], ...],
        Meta(
            description="sets of group numbers that run at the same time, one take after the other, in "
            "rounds; empty: all groups at the same time"
        ),
    ] = ()
    against: Annotated[
        tuple[int, ...],
        Meta(description="for each take the number of the take that it is compared with; empty: none is compared"),
    ] = ()
    settings: Annotated[
        tuple[tuple[Setting, ...], ...],
        Meta(
            description="for each take the [`Setting`](#setting)s of the machine while it runs, which are put back "
            "afterwards; empty: none is written"
        ),
    ] = ()
