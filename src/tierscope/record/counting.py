"""Performance events that were counted in the timed blocks of a record: raw counts, as the kernel gave them."""

from collections.abc import Iterable
from typing import Annotated

import msgspec
from msgspec import Meta

PERF_EVENT, SIMULATED = "perf_event", "simulated"
MACHINE = "machine"  # scope of an event that belongs to no thread
LINES_MOVED = {"read": "memory-reads", "written": "memory-writes", "both": "memory-lines"}
"""Events of all channels of the memory together, by what they move: lines of 64 bytes."""


class EventFacts(msgspec.Struct, frozen=True, kw_only=True):
    """How the core counts an event."""

    event: str
    scope: str
    reason: str
    group: int
    empty: int


class Counting(msgspec.Struct, frozen=True, kw_only=True):
    """The core's answer to `count`."""

    events: tuple[EventFacts, ...]
    empty_blocks: int
    pair_s: float
    machine: tuple[EventFacts, ...] = ()  # those of the whole machine


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of one event since then."""

    value: int
    enabled_ns: int
    running_ns: int
    reason: str = ""  # why it could not be read


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """The core's answer to `counts`, of one group."""

    blocks: int
    operations: int
    ticks: int
    events: tuple[Count, ...]


class EventCount(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One event, all threads together. Times are of the threads within their blocks."""

    event: Annotated[str, Meta(description="name of the event, as perf names it")]
    scope: Annotated[
        str, Meta(description='`user`, `user+kernel`, `machine`; "" where it was not counted, or is simulated')
    ] = ""
    reason: Annotated[str, Meta(description="why it was not counted")] = ""
    group: Annotated[int, Meta(description="events with the same number were counted at the same time")] = 0
    empty: Annotated[int, Meta(description="counted in the empty blocks")] = 0
    value: Annotated[int, Meta(description="raw: times `enabled_ns / running_ns` it is an estimate of the whole")] = 0
    enabled_ns: Annotated[int, Meta(description="for which it was to be counted")] = 0
    running_ns: Annotated[int, Meta(description="for which it was counted; less if events shared the PMU")] = 0
    moves: Annotated[
        str, Meta(description='of a memory controller: `read`, `written`, `both`; "" for other events')
    ] = ""
    bytes: Annotated[float, Meta(description="of a memory controller: that one count stands for; 0 for others")] = 0.0
    by_batch: Annotated[
        tuple[float, ...], Meta(description="of a memory controller: estimate of the whole in each batch")
    ] = ()

    @property
    def counted(self) -> bool:
        """Return whether the value is valid: that of an event that never ran is not. Simulated ones need none."""
        return not self.reason and (self.running_ns > 0 or not self.scope)

    @property
    def running_share(self) -> float:
        """The share of the requested time in which it was counted."""
        return self.running_ns / self.enabled_ns if self.enabled_ns else 1.0

    @property
    def estimate(self) -> float:
        """value * enabled / running: exact where it had no turns to wait for."""
        return self.value / self.running_share if self.running_ns else float(self.value)


def mixed(events: Iterable[EventCount]) -> str:
    """Return why no number follows from them together, or "": some are of user mode alone, others of the kernel too."""
    of: dict[str, list[str]] = {}
    for event in events:
        of.setdefault(event.scope, []).append(event.event)
    if len(of) < 2:
        return ""
    said = "; ".join(f"{', '.join(names)}: {scope}" for scope, names in sorted(of.items()))
    return f"it needs counts of the same mode ({said}); sudo sysctl kernel.perf_event_paranoid=1 lets both be counted"


class Counted(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Performance events in the timed blocks of one group, all threads together, or of a whole simulated machine.

    Keys whose value is 0 or empty are left out.
    """

    origin: Annotated[str, Meta(description="`perf_event`, `simulated`")]
    group: Annotated[int | None, Meta(description="its number; null: of all groups together")] = None
    take: Annotated[
        int | None,
        Meta(
            description="number of the experiment's take that was counted, where there are several; null: of all blocks"
        ),
    ] = None
    by: Annotated[str, Meta(description="the simulated machine")] = ""
    blocks: Annotated[int, Meta(description="that were counted")] = 0
    operations: Annotated[int, Meta(description="done in them")] = 0
    seconds: Annotated[
        float, Meta(description="that they took, of all threads; simulated if the machine is simulated")
    ] = 0.0
    empty_blocks: Annotated[int, Meta(description="without work, counted before the first one")] = 0
    pair_s: Annotated[float, Meta(description="of starting and stopping the counters once")] = 0.0
    events: Annotated[tuple[EventCount, ...], Meta(description="list of [`EventCount`](#eventcount)")] = ()
    program_bytes: Annotated[
        tuple[float, ...],
        Meta(description="of events of memory controllers: program bytes of all blocks in each batch"),
    ] = ()
    reason: Annotated[str, Meta(description="why there are none")] = ""


def simulated_events(counters: dict[str, int]) -> tuple[EventCount, ...]:
    """Return what a simulated machine counted: lines, not loads.

    The nearest cache and the TLB have names of their own, since a PMU counts each load there (eight of a line, or one
    of a vector). The last cache is asked for lines on both.
    """
    caches = [name.removesuffix(".load_misses") for name in counters if name.endswith(".load_misses")]
    caches.sort(key=lambda name: (-counters[f"{name}.loads"], name))  # nearest first
    named: dict[str, int] = {}
    for of in ("load", "store") if caches else ():
        named[f"L1d-{of}-lines"] = counters[f"{caches[0]}.{of}s"]
        named[f"L1d-{of}-line-misses"] = counters[f"{caches[0]}.{of}_misses"]
    for of in ("load", "store") if caches else ():
        named[f"LLC-{of}s"] = counters[f"{caches[-1]}.{of}s"]
        named[f"LLC-{of}-misses"] = counters[f"{caches[-1]}.{of}_misses"]
    translated = {name: counters[name] for name in ("DTLB.hits", "DTLB.misses") if name in counters}
    if translated:
        named["dTLB-lines"], named["dTLB-line-misses"] = sum(translated.values()), translated.get("DTLB.misses", 0)
    for word in ("reads", "writes"):
        ends = [value for name, value in counters.items() if name.count(".") == 1 and name.endswith(f".{word}")]
        named[f"memory-{word}"] = sum(ends)
    return tuple(EventCount(event=name, value=value) for name, value in named.items())
