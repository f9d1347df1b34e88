"""An event that counts a part of another event does not count more.

    branch-misses <= branches <= instructions        cache-misses <= cache-references        minor + major = page-faults
    X:u <= X          instructions / cycles <= MOST_PER_CYCLE

It checks `count` of statements whose label `event` is a name of perf, if perf counted them all the time: scaled counts
are estimates. Misses of a first-level cache are left out, because some processors count lines that prefetchers load.
Blind to all events with names of one processor.
Source: Linux, tools/perf/Documentation/perf-list.txt; no core sold retires more than ten instructions a cycle.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.orders import broken
from tierscope.audit.shown import shown
from tierscope.audit.statement import Statement

ROOM = 0.01  # events of one program start and stop one after the other
FEW = 1000.0  # their counts may also differ by the kernel's work between them
MOST_PER_CYCLE = 16.0
NESTED = (
    ("branch-misses", "branches"),
    ("branches", "instructions"),
    ("branch-instructions", "instructions"),
    ("cache-misses", "cache-references"),
    ("major-faults", "page-faults"),
    ("minor-faults", "page-faults"),
)
NAME = "count"

Counts = dict[str, Statement]


class EventParts:
    """Check the pairs of events of one program."""

    name: ClassVar[str] = "event_parts"
    title: ClassVar[str] = "a part counts no more than its whole"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        counts = {
            one.words["event"]: one
            for one in statements
            if "event" in one.words and NAME in one.quantities and _sure(one)
        }
        pairs = [*NESTED, *((f"{event}:u", event) for event in counts if f"{event}:u" in counts)]
        for part, whole in pairs:
            if part in counts and whole in counts:
                yield _nested(counts[part], counts[whole])
        yield from _faults(counts)
        yield from _per_cycle(counts)


def _sure(one: Statement) -> bool:
    """Return whether the event was counted all the time, so that its count is not scaled."""
    return "counted_share" not in one.quantities


def _nested(part: Statement, whole: Statement) -> Failure | None:
    if part.quantities[NAME].low <= whole.quantities[NAME].high * (1 + ROOM) + _few(part):
        return None
    why = "a digit was lost in one of the two, or they were counted in two runs"
    return broken("event_parts", part, whole, NAME, why)


def _few(one: Statement) -> float:
    """Return by how many counts a hardware event may be off; faults are counted exactly."""
    return 0.0 if one.words["event"].endswith("-faults") else FEW


def _faults(counts: Counts) -> Iterator[Failure | None]:
    if {"minor-faults", "major-faults", "page-faults"} <= set(counts):
        minor, major, both = (counts[f"{kind}-faults"].quantities[NAME] for kind in ("minor", "major", "page"))
        one = counts["page-faults"]
        good = abs(minor.value + major.value - both.value) <= ROOM * both.value + 1
        found = f"minor and major faults are {minor.value + major.value:.0f}"
        why = "one of the three is of another run, or lost a digit"
        yield None if good else Failure("event_parts", one.label, one.table, NAME, shown(NAME, both), found, why)


def _per_cycle(counts: Counts) -> Iterator[Failure | None]:
    for end in ("", ":u"):
        one, cycles = counts.get(f"instructions{end}"), counts.get(f"cycles{end}") or counts.get(f"cpu-cycles{end}")
        if one is not None and cycles is not None:
            stated, most = one.quantities[NAME], MOST_PER_CYCLE * cycles.quantities[NAME].high
            found = f"in {shown(NAME, cycles.quantities[NAME])} cycles a core retires {most:.4g} at most"
            why = "a digit was lost in one of the two, or they were counted in two runs"
            good = stated.low <= most + FEW
            yield None if good else Failure("event_parts", one.label, one.table, NAME, shown(NAME, stated), found, why)


identities.add(EventParts())
