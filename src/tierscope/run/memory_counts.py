"""Events of memory controllers: what they counted in each batch, with the program bytes of all blocks in it.

A controller counts for the whole machine, from the start of a batch to its end. So a batch gives one value of each
event, with all blocks of all groups in it, also those that find the size of a block.
Blind to who moved the bytes: other programs, devices and the kernel are part of every count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tierscope.metrics.controllers import ControllerEvent, Controllers
from tierscope.record.counting import LINES_MOVED, PERF_EVENT, Count, Counted, Counting, Counts, EventCount, EventFacts
from tierscope.record.experiment import Experiment
from tierscope.record.result import Blocks, GroupFacts
from tierscope.stats.takes import takes_of
from tierscope.units import LINE_BYTES


@dataclass
class MemoryCounts:
    """The counts of the controllers in one experiment. batches: (take, counts since the batch before)."""

    known: Controllers
    facts: tuple[EventFacts, ...] = ()
    pair_s: float = 0.0
    batches: list[tuple[int, tuple[Count, ...]]] = field(default_factory=list)
    _last: Counts | None = None

    def begin(self, counting: Counting) -> None:
        """Begin an experiment: counting is what the core answered."""
        self.facts, self.pair_s, self.batches, self._last = counting.machine, counting.pair_s, [], None

    def batch(self, take: int, counts: Counts) -> None:
        """Add a batch of that take. counts: since the experiment began."""
        before = self._last.events if self._last else (Count(value=0, enabled_ns=0, running_ns=0),) * len(counts.events)
        self.batches.append((take, tuple(map(_less, counts.events, before))))
        self._last = counts

    def end(
        self, experiment: Experiment, facts: Sequence[GroupFacts], blocks: Blocks, hz: float
    ) -> tuple[Counted, ...]:
        """Return the counts of each take, or why there are none."""
        if not self.known.events:
            return (Counted(origin=PERF_EVENT, reason="; ".join(self.known.reasons)),)
        several = len(takes_of(experiment)) > 1
        return tuple(
            self._of(take if several else None, facts, blocks, hz) for take in dict.fromkeys(t for t, _ in self.batches)
        )

    def _of(self, take: int | None, facts: Sequence[GroupFacts], blocks: Blocks, hz: float) -> Counted:
        numbers = [number for number, (of, _) in enumerate(self.batches) if take is None or of == take]
        ran = [blocks[blocks["batch"] == number] for number in numbers]
        events = tuple(
            _event(one, known, [self.batches[number][1][place] for number in numbers])
            for place, (one, known) in enumerate(zip(self.facts, self.known.events, strict=True))
        )
        absent = tuple(EventCount(event=why.partition(":")[0], reason=why) for why in self.known.reasons)
        every = np.concatenate(ran)
        return Counted(
            origin=PERF_EVENT,
            take=take,
            blocks=len(numbers),
            operations=int(every["operations"].sum()),
            seconds=int((every["stop_ticks"] - every["start_ticks"]).sum()) / hz,
            pair_s=self.pair_s,
            program_bytes=tuple(_program_bytes(facts, one) for one in ran),
            events=(*events, *_sums(events), *absent),
        )


def _less(one: Count, other: Count) -> Count:
    if reason := one.reason or other.reason:
        return Count(value=0, enabled_ns=0, running_ns=0, reason=reason)
    return Count(
        value=one.value - other.value,
        enabled_ns=one.enabled_ns - other.enabled_ns,
        running_ns=one.running_ns - other.running_ns,
    )


def _program_bytes(facts: Sequence[GroupFacts], blocks: Blocks) -> float:
    """Return what the blocks of one batch requested, of all groups."""
    return float(
        sum(
            one.program_bytes_per_operation * int(blocks["operations"][blocks["group"] == number].sum())
            for number, one in enumerate(facts)
        )
    )


def _event(facts: EventFacts, known: ControllerEvent, counts: Sequence[Count]) -> EventCount:
    reason = facts.reason or next((one.reason for one in counts if one.reason), "")
    return EventCount(
        event=known.name,
        scope="" if reason else facts.scope,
        reason=reason,
        group=facts.group,
        value=sum(one.value for one in counts),
        enabled_ns=sum(one.enabled_ns for one in counts),
        running_ns=sum(one.running_ns for one in counts),
        moves=known.moves,
        bytes=known.bytes,
        by_batch=() if reason else tuple(map(_estimate, counts)),
    )


def _estimate(count: Count) -> float:
    return count.value * count.enabled_ns / count.running_ns if count.running_ns else float(count.value)


def _sums(events: Sequence[EventCount]) -> tuple[EventCount, ...]:
    """Return all channels together in each direction, in lines; none of a direction that lacks a channel."""
    of: Mapping[str, list[EventCount]] = {moves: [e for e in events if e.moves == moves] for moves in LINES_MOVED}
    found = []
    for moves, parts in of.items():
        if not parts:
            continue
        lacking = [one.event for one in parts if not one.counted]
        if lacking:
            why = f"a sum needs every channel, and there are no counts of {', '.join(lacking)}"
            found.append(EventCount(event=LINES_MOVED[moves], reason=why))
            continue
        each = zip(*([count * one.bytes / LINE_BYTES for count in one.by_batch] for one in parts), strict=True)
        lines = tuple(map(sum, each))
        least = min(parts, key=lambda one: one.running_share)
        found.append(
            EventCount(
                event=LINES_MOVED[moves],
                scope=least.scope,
                value=round(sum(lines) * least.running_share),  # raw, as its times are those of the least counted part
                enabled_ns=least.enabled_ns,
                running_ns=least.running_ns,
                moves=moves,
                bytes=float(LINE_BYTES),
                by_batch=lines,
            )
        )
    return tuple(found)
