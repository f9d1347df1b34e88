"""One visit of a point as it was measured, and the record that is made of it."""

from dataclasses import dataclass
from datetime import datetime

import msgspec

from tierscope.record.background import Background
from tierscope.record.counting import Counted
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.record.program import Bins, Program
from tierscope.record.result import Blocks, Clock, GroupFacts, Record, digest
from tierscope.record.timing import Timing
from tierscope.run.doubts import doubts
from tierscope.run.interrupted import interrupted
from tierscope.run.late import late
from tierscope.run.siblings import hidden_siblings
from tierscope.run.walks import Choice
from tierscope.stats.judged import Judged


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a visit in a run. number: of the record; visit: 0 is the first one of the point; tour: of visits.

    again: whether it repeats that visit in memory that was mapped again.
    """

    number: int
    visit: int = 0
    tour: int = 0
    again: bool = False

    @property
    def samples(self) -> str:
        """Return the file of the blocks, below the directory of the run."""
        visit = f"-{self.visit}" if self.visit else ""
        return f"samples/{self.number:04}{visit}{'-again' if self.again else ''}.parquet"


@dataclass(frozen=True, slots=True)
class Taken:
    """The report of a session on one visit, and the judgement of its blocks.

    ran: the take of each batch. error: the largest difference from scalar code, relative. details: what each victim
    reports. counters: those of a simulated machine. mapped_s: seconds to map and fill the memory; searched_s: of a
    calibration.
    """

    facts: tuple[GroupFacts, ...]
    choice: Choice
    clock: Clock
    blocks: Blocks
    ran: tuple[int, ...]
    found: Judged
    error: float
    details: tuple[str, ...]
    counters: dict[str, int]
    counted: tuple[Counted, ...]
    timings: tuple[tuple[Timing, ...], ...]
    program: Program | None
    bins: Bins | None
    mapped_s: float
    searched_s: float


def record_of(
    taken: Taken, experiment: Experiment, place: Place, machine: Machine, began: datetime, seconds: float,
    background: Background | None,
) -> Record:  # fmt: skip
    """Return the record. seconds: since the visit began; background: what else the machine did meanwhile."""
    facts, blocks, hz, found = taken.facts, taken.blocks, taken.clock.hz, taken.found
    return Record(
        number=place.number,
        experiment=experiment,
        groups=tuple(msgspec.structs.replace(f, detail=d) for f, d in zip(facts, taken.details, strict=True)),
        clock=taken.clock,
        samples=place.samples,
        blocks=len(blocks),
        started=began.isoformat(timespec="seconds"),
        seconds=seconds,
        largest_relative_error=taken.error,
        warnings=(
            *doubts(experiment, facts, found.points, taken.program, machine.large_page_bytes()),
            *interrupted(experiment, blocks, hz, facts, taken.ran, machine.identity.caches, found),
            *late(experiment, facts, blocks, hz),
            *hidden_siblings(experiment, found, machine, began),
        ),
        calibration=taken.choice.trials,
        variant_from=taken.choice.source,
        takes=taken.ran,
        counters=taken.counters,
        timings=taken.timings,
        program=taken.program,
        counted=taken.counted,
        samples_sha256=digest(blocks),
        bins=None if taken.bins is None else len(taken.bins),
        bins_sha256="" if taken.bins is None else digest(taken.bins),
        visit=place.visit,
        tour=place.tour,
        background=background,
    )
