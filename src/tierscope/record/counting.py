"""Performance events that were counted in the timed blocks of a record: raw counts, as the kernel gave them."""

from collections.abc import Iterable

import msgspec

PERF_EVENT, SIMULATED = "perf_event", "simulated"


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


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """Of one event since then."""

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

    event: str
    scope: str = ""  # "user", "user+kernel"; "" where it was not counted, or is simulated
    reason: str = ""  # why it was not counted; "" where it was
    group: int = 0  # events with the same number were counted at the same time
    empty: int = 0  # counted in `Counted.empty_blocks` blocks without work
    value: int = 0
    enabled_ns: int = 0  # it was to be counted
    running_ns: int = 0  # it was counted: less where events took turns on the PMU

    @property
    def counted(self) -> bool:
        """Whether the value says something: an event that never had its turn says nothing. Simulated ones need none."""
        return not self.reason and (self.running_ns > 0 or not self.scope)

    @property
    def running_share(self) -> float:
        """Of the time for which it was to be counted."""
        return self.running_ns / self.enabled_ns if self.enabled_ns else 1.0

    @property
    def estimate(self) -> float:
        """value * enabled / running: exact where it had no turns to wait for."""
        return self.value / self.running_share if self.running_ns else float(self.value)


def mixed(events: Iterable[EventCount]) -> str:
    """Why no number follows from them together: some are of user mode alone, others of the kernel too. Else ""."""
    of: dict[str, list[str]] = {}
    for event in events:
        of.setdefault(event.scope, []).append(event.event)
    if len(of) < 2:
        return ""
    said = "; ".join(f"{', '.join(names)}: {scope}" for scope, names in sorted(of.items()))
    return f"it needs counts of the same mode ({said}); sudo sysctl kernel.perf_event_paranoid=1 lets both be counted"


class Counted(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was counted in one group, or of a whole simulated machine."""

    origin: str  # PERF_EVENT, SIMULATED
    group: int | None = None  # None: of all groups together
    take: int | None = None  # of several that ran in turns; None: of all blocks
    by: str = ""  # the simulated machine
    blocks: int = 0  # that were counted
    operations: int = 0  # done in them
    seconds: float = 0.0  # that they took, of all threads; simulated ones where the machine is
    empty_blocks: int = 0
    pair_s: float = 0.0  # of one start and stop, outside of the timed part
    events: tuple[EventCount, ...] = ()
    reason: str = ""  # why there are none: the simulator does not take this plan


def simulated_events(counters: dict[str, int]) -> tuple[EventCount, ...]:
    """What a simulated machine counted: lines, not loads.

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
