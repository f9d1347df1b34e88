"""What is to be measured: Workload x Target x Team = Group; Groups under one Schedule = Experiment."""

import math
from typing import Annotated, Self

import msgspec

from tierscope.errors import OutOfRangeError, UnknownNameError, UsageError
from tierscope.registry import unknown
from tierscope.units import GiB, KiB, MiB

PAGES = {"4k": 4 * KiB, "thp": 2 * MiB, "2m": 2 * MiB, "1g": GiB}
"""The words for page sizes, and the bytes of each; thp is 2 MiB where the system finds them, else 4 KiB."""

Label = str | int | float | bool | None
Share = Annotated[float, msgspec.Meta(gt=0, lt=1)]
Bytes = Annotated[int, msgspec.Meta(ge=0)]


def real(value: object) -> float | None:
    """Return a number as a float, whole or not; None for words, for truth values and for what is absent.

    A whole number that was read from JSON is an int, so `isinstance(value, float)` alone would lose it.
    """
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _impossible(what: str, made: msgspec.Struct, name: str, needed: str) -> OutOfRangeError:
    """Return the error for a field that has an impossible number; the default is what it proposes."""
    default = next(field.default for field in msgspec.structs.fields(made) if field.name == name)
    hint = "" if default is msgspec.NODEFAULT else f"; try {name}={default!r}"
    return OutOfRangeError(f"{what}: {name}={getattr(made, name)!r} is not {needed}{hint}")


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """A kernel and how it walks. Zero and "" mean: the core's plainest choice, stated in the facts.

    OutOfRangeError for a number below 0, for one that is not finite, and for less than one stream or step.
    """

    kernel: str
    footprint_bytes: Bytes  # touched by the whole team, all operands together
    isa: str = ""
    streams: int = 1  # walked side by side by one thread
    unroll: int = 1  # cache lines of each stream in one step
    prefetch_bytes: int = 0  # distance of software prefetch for loads; 0 is none
    prefetchw_bytes: int = 0  # the same for stores
    interleave_bytes: int = 0  # distance of the streams; 0 spreads them over the block
    element_bytes: int = 64  # chase: distance of two nodes
    access_bytes: int = 0  # read_blocks, flush_...: bytes used of each element, from its start; 0 is all of it
    locality_bytes: int = 0  # chase: window that is finished before the next; order once: region; 0 is the footprint
    pace_cycles: int = 0  # delay injected after each burst, in core cycles
    burst_bytes: int = 1024  # program bytes between two delays
    per_block: int = 0  # operations of one timed block; 0: as many as fill the schedule's block_s
    fence: str = ""  # of flush_...: chunk, line, never, region; of read_blocks: never, region; "" is the first of them
    order: str = ""  # flush_..., read_blocks: sequential, random, once; chase: random, sequential; "" is the first
    size: str = ""  # of a victim's instance: test, train, ref
    command: str = ""  # of the victim `command`: a line for the shell
    limit_s: float = 0.0  # of a command: it hangs if it takes longer; 0 is the core's own limit
    operation: str = ""  # of a structure: get, insert, remove, or shares as get:8+insert:1+remove:1; "" is get
    keys: str = ""  # likewise: how keys are drawn, uniform or zipf:EXPONENT; "" is uniform
    sharing: str = ""  # likewise: own, one for each thread, or one for all; "" is own
    count: int = 0  # likewise: keys of the whole team
    value_bytes: Bytes = 0  # likewise: of each value; 0 is 16
    seed: int = 0  # of what is drawn; 0 is the core's own

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            least = 1 if name in ("streams", "unroll") else 0
            if isinstance(value, int | float) and not least <= value < math.inf:
                raise _impossible("workload", self, name, f"a number from {least}")


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Where the bytes live: `node:0`, `file:/mnt/x`, `null`."""

    name: str = "node"
    where: str = "0"
    pages: str = "thp"  # a word of PAGES

    @classmethod
    def parse(cls, word: str, pages: str = "thp") -> Self:
        """'node:1' -> Target; UsageError without a name or with pages that do not exist."""
        name, _, where = word.partition(":")
        if not name:
            raise UsageError(f"target {word!r} has no name; try node:0, file:PATH or null")
        if pages not in PAGES:
            raise UnknownNameError(unknown("page size", pages, list(PAGES)))
        return cls(name=name, where=where or ("0" if name == "node" else ""), pages=pages)

    @property
    def word(self) -> str:
        return f"{self.name}:{self.where}" if self.where else self.name

    @property
    def node(self) -> str:
        """The node whose memory it is, as "0"; "" where the word names none."""
        if self.name == "node":
            return self.where
        named = [part.removeprefix("node=") for part in self.where.split(",") if part.startswith("node=")]
        return (named or ["0"])[0] if self.name == "emu" else ""


class Team(msgspec.Struct, frozen=True, kw_only=True):
    """Threads, one pinned to each CPU."""

    cpus: tuple[int, ...]


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """One team doing one workload on one target."""

    workload: Workload
    target: Target
    team: Team
    role: str = ""  # "chaser", "load", ... : how tables and figures call it
    source: Target | None = None  # where operands lie that are only read; None: beside the others
    shared: bool = False  # its CPUs may be named twice, or be those of other groups that run at the same time


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """How long, and how sure; OutOfRangeError for times and shares that no measurement can have."""

    block_s: float = 1e-3
    precision: Share = 0.02  # half-width of the interval over the median
    confidence: Share = 0.95
    minimum_s: float = 0.2  # timed at least so long
    budget_s: float = 1.5  # and at most so long
    repeats: bool = False  # each batch, of minimum_s, is one point: a program that measures by itself gives none finer

    def __post_init__(self) -> None:
        for name in ("precision", "confidence"):
            if not 0 < getattr(self, name) < 1:
                raise _impossible("schedule", self, name, "a share above 0 and below 1")
        for name in ("block_s", "minimum_s", "budget_s"):
            if not 0 < getattr(self, name) < math.inf:
                raise _impossible("schedule", self, name, "a time above 0")


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """One point of a table: the groups that run at once, and the labels under which it is filed."""

    table: str  # the table that reads it: stream, latency, loaded_latency, groups; none reads sizing
    groups: tuple[Group, ...]
    schedule: Schedule = Schedule()
    labels: dict[str, Label] = {}
    calibrate: bool = False  # pick the walk of the last group by a short calibration
    note: str = ""  # why it is smaller or other than asked
    takes: tuple[tuple[int, ...], ...] = ()  # groups that run at once, take after take, in turns; (): all in one
    against: tuple[int, ...] = ()  # for each take the one that it is compared with, round by round; () compares none
