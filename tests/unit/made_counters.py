"""Performance events that were made: what the core answers, and what is in a record."""

import msgspec

from tierscope.metrics.read import WORD
from tierscope.record.counting import PERF_EVENT, SIMULATED, Count, Counted, Counting, Counts, EventCount, EventFacts

OPERATIONS, BLOCKS, BLOCK_S = 1_000_000, 1000, 1e-3
NO_PMU = "no PMU counts it here (No such file or directory)"
TRUTH = {
    "cycles": 3_000_000_000, "instructions": 6_000_000_000, "LLC-loads": 4_000_000, "LLC-load-misses": 1_000_000,
    "LLC-store-misses": 500_000, "task-clock": 990_000_000, "page-faults": 0,
}  # fmt: skip
ENABLED_NS, RUNNING_NS = 1_000_000_000, 500_000_000


def event(name: str, value: int, share: float = 1.0, scope: str = "user+kernel") -> EventCount:
    """Counted for `share` of the time."""
    return EventCount(
        event=name, scope=scope, value=round(value * share), enabled_ns=ENABLED_NS,
        running_ns=round(ENABLED_NS * share), empty=640,
    )  # fmt: skip


def made_counted(group: int = 0, scale: int = 1, share: float = 1.0, scope: str = "user+kernel") -> Counted:
    """The counts of a PMU with all events of TRUTH, `scale` times as many, and without branches."""
    events = tuple(event(name, value * scale, share, scope) for name, value in TRUTH.items())
    lacking = EventCount(event="branches", reason=NO_PMU)
    return Counted(
        origin=PERF_EVENT, group=group, blocks=BLOCKS, operations=OPERATIONS, seconds=BLOCKS * BLOCK_S, empty_blocks=64,
        pair_s=2e-6, events=(*events, lacking),
    )  # fmt: skip


def made_second_pass(misses: int = 10) -> Counted:
    """The counts of simulated caches."""
    events = {"LLC-loads": 20, "LLC-load-misses": misses, "memory-reads": misses, "memory-writes": 0}
    counts = tuple(EventCount(event=name, value=value) for name, value in events.items())
    return Counted(origin=SIMULATED, by="sim:flat", blocks=10, operations=20, seconds=1e-3, events=counts)


def answered(words: str, counted: frozenset[str]) -> Counting:
    """The answers of a core whose system has the events `counted`; groups are flat."""
    names = [found[0] for found in WORD.finditer(words) if "@" not in found[0]]
    machine = tuple(
        EventFacts(event=found[0], scope="machine", reason="", group=place, empty=0)
        for place, found in enumerate(WORD.finditer(words))
        if "@" in found[0]
    )
    events = tuple(
        EventFacts(
            event=name, scope="user+kernel" if name in counted else "", reason="" if name in counted else NO_PMU,
            group=0, empty=0,
        )
        for name in names
    )  # fmt: skip
    return Counting(events=events, empty_blocks=64, pair_s=2e-6, machine=machine)


def machine_counts_of(counting: Counting, batches: int) -> Counts:
    """In each batch a thousand lines of each event of the machine, and one percent more in every second batch."""
    total = sum(1000 + 10 * (batch % 2) for batch in range(batches))
    count = Count(value=total, enabled_ns=100 * batches, running_ns=100 * batches)
    return Counts(blocks=batches, operations=0, ticks=100 * batches, events=(count,) * len(counting.machine))


def counts_of(counting: Counting, unread: frozenset[str] = frozenset(), batches: int = 1) -> Counts:
    """In each batch a hundred of each event that is counted, in ten operations; those of `unread` cannot be read."""
    none, unreadable = Count(value=0, enabled_ns=0, running_ns=0), "its count cannot be read (0 bytes came)"
    events = tuple(
        none
        if one.reason
        else msgspec.structs.replace(none, reason=unreadable)
        if one.event in unread
        else Count(value=100 * batches, enabled_ns=50 * batches, running_ns=50 * batches)
        for one in counting.events
    )
    return Counts(blocks=5 * batches, operations=10 * batches, ticks=2_000 * batches, events=events)
