"""Performance events of a run: the counts of the PMU, the kernel, or simulated caches in each experiment.

`default` asks for the events of this processor's metrics. Where no PMU counts any of them, a second pass on simulated
caches (`run.second_pass`) replaces them. `perf` never simulates, and `simulated` never opens an event. Any other value
is a list of events by perf's names or those of the metrics' file. `memory` counts what the memory controllers moved
(`run.memory_counts`), for the whole machine and each batch.
"""

from tierscope.errors import MachineError
from tierscope.metrics import Metrics, metrics_for
from tierscope.metrics.controllers import Controllers
from tierscope.record.counting import PERF_EVENT, SIMULATED, Counted, Counting, EventCount, simulated_events
from tierscope.record.experiment import Experiment
from tierscope.record.result import Blocks, GroupFacts
from tierscope.run.measurer import Measurer
from tierscope.run.memory_counts import MemoryCounts
from tierscope.run.second_pass import SecondPass
from tierscope.run.take_counts import TakeCounts
from tierscope.stats.takes import takes_of

OFF, DEFAULT, PERF, EVERY, MEMORY = "off", "default", "perf", "every", "memory"
WORDS = (OFF, DEFAULT, PERF, SIMULATED)
SOFTWARE = {
    "cpu-clock", "task-clock", "page-faults", "minor-faults", "major-faults", "context-switches", "cpu-migrations",
    "alignment-faults",
}  # fmt: skip
PARTS = 8  # batches for an interval: the sign test of six has 95 %
PART_BLOCKS = 5  # of a batch, at least: what starts and ends it is then a small part
COMMAND = "kernel command runs in processes of its own, which the counters of a thread leave out"


class Counters:
    """The counters, called before the first batch of each experiment, after each batch, and after the last."""

    def __init__(
        self,
        asked: str = OFF,
        family: str = "",
        second_pass: SecondPass | None = None,
        available: tuple[str, ...] = (),
        controllers: Controllers | None = None,
    ) -> None:
        """Choose what is counted.

        family: of the processor, whose metrics name its events. second_pass: None simulates nothing.

        available: events that this machine counts by the kernel's own names, for EVERY. controllers: those of its
        memory, for MEMORY; None counts none.
        """
        self._asked = asked
        self._second_pass = second_pass
        self._counting: Counting | None = None
        self._takes = TakeCounts()
        self._memory = MemoryCounts(controllers) if controllers is not None else None
        self._words = "" if asked in (OFF, SIMULATED, MEMORY) else _words(asked, metrics_for(family), available)

    def begin(self, session: Measurer, facts: tuple[GroupFacts, ...]) -> None:
        """Raise MachineError where events were named and none of them is counted here."""
        self._counting, self._takes = None, TakeCounts()
        if self._asked in (OFF, SIMULATED) or _simulated(facts) or _commands(facts):
            return
        channels = self._memory.known.words if self._memory else ""
        words = ",".join(filter(None, (self._words, channels)))
        if not words:
            return
        counting = session.count(words)
        if self._memory and channels:
            self._memory.begin(counting)
        if not self._words:
            return
        self._counting = counting
        if self._asked not in WORDS and all(event.reason for event in self._counting.events):
            reasons = "; ".join(dict.fromkeys(f"{event.event}: {event.reason}" for event in self._counting.events))
            raise MachineError(
                f"counters={self._asked}: none of these is counted here ({reasons}); try counters=default, which takes "
                "what there is, or see `tierscope doctor` for pmu and perf_events"
            )

    def parts(self, experiment: Experiment, seconds: float, block_s: float) -> int:
        """Return how many batches replace one of `seconds`: several where each gives a count of the whole machine.

        Takes that are compared run in many batches anyway, and a batch of a repeat is a point.
        """
        if not (self._memory and self._memory.facts) or experiment.against or experiment.schedule.repeats:
            return 1
        return max(1, min(PARTS, int(seconds / (PART_BLOCKS * block_s))))

    def batch(self, session: Measurer, experiment: Experiment, take: int) -> None:
        """Read the counts after a batch of that take; where several takes alternate, each has its own counts."""
        if self._memory and self._memory.facts:
            self._memory.batch(take, session.machine_counts())
        if self._counting and len(takes_of(experiment)) > 1:
            self._takes.add(take, session.counts())

    def end(
        self, session: Measurer, experiment: Experiment, facts: tuple[GroupFacts, ...], blocks: Blocks,
        counters: dict[str, int],
    ) -> tuple[Counted, ...]:  # fmt: skip
        """Return the counts; counters: those of a simulated machine, of these blocks."""
        if self._asked == OFF:
            return ()
        if _simulated(facts):
            return (_of_machine(session, facts, blocks, counters),)
        if _commands(facts):
            return (Counted(origin=PERF_EVENT, reason=COMMAND),)
        counted = self._counted(session, experiment) if self._counting else ()
        if self._memory is not None:
            return (*counted, *self._memory.end(experiment, facts, blocks, session.clock.hz))
        wanted = self._asked == SIMULATED or (self._asked == DEFAULT and not _by_hardware(counted))
        return (*counted, *self._second_pass.count(experiment)) if self._second_pass and wanted else counted

    def close(self) -> None:
        if self._second_pass:
            self._second_pass.close()

    def _counted(self, session: Measurer, experiment: Experiment) -> tuple[Counted, ...]:
        """Return the counts of the groups of each take."""
        counting, takes = self._counting, takes_of(experiment)
        assert counting is not None
        every = session.counts()
        several = len(takes) > 1
        chosen = [
            (take if several else None, number, of[number])
            for take, groups in enumerate(takes)
            if (of := self._takes.of(take) if several else every)
            for number in groups
        ]
        found = []
        for take, number, counts in chosen:
            events = tuple(
                EventCount(
                    event=facts.event, scope=facts.scope, reason=facts.reason or count.reason, group=facts.group,
                    empty=facts.empty, value=count.value, enabled_ns=count.enabled_ns, running_ns=count.running_ns,
                )
                for facts, count in zip(counting.events, counts.events, strict=True)
            )  # fmt: skip
            found.append(
                Counted(
                    origin=PERF_EVENT, group=number, take=take, blocks=counts.blocks, operations=counts.operations,
                    seconds=counts.ticks / session.clock.hz, empty_blocks=counting.empty_blocks,
                    pair_s=counting.pair_s, events=events,
                )
            )  # fmt: skip
        return tuple(found)


def _words(asked: str, metrics: Metrics, available: tuple[str, ...]) -> str:
    """Return events for the core; those of EVERY each alone, so that they are counted whatever else is."""
    if asked == EVERY:
        return ",".join(dict.fromkeys((*available, *metrics.names.values())))
    return metrics.words("" if asked in WORDS else asked)


def _simulated(facts: tuple[GroupFacts, ...]) -> bool:
    return any(one.origin == SIMULATED for one in facts)


def _commands(facts: tuple[GroupFacts, ...]) -> bool:
    return any(one.waits_for == "processes" for one in facts)


def _by_hardware(counted: tuple[Counted, ...]) -> bool:
    return any(event.counted and event.event not in SOFTWARE for one in counted for event in one.events)


def _of_machine(session: Measurer, facts: tuple[GroupFacts, ...], blocks: Blocks, counters: dict[str, int]) -> Counted:
    ticks = int((blocks["stop_ticks"] - blocks["start_ticks"]).sum())
    return Counted(
        origin=SIMULATED,
        by=next(one.origin_by for one in facts if one.origin == SIMULATED),
        blocks=len(blocks),
        operations=int(blocks["operations"].sum()),
        seconds=ticks / session.clock.hz,
        events=simulated_events(counters),
    )
