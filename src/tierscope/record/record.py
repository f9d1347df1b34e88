"""One finished experiment, or one more visit of it, in its stored form."""

from typing import Annotated

import msgspec
from msgspec import Meta

from tierscope.record.background import Background
from tierscope.record.counting import Counted
from tierscope.record.experiment import Experiment
from tierscope.record.facts import Clock, GroupFacts, Trial
from tierscope.record.program import Program
from tierscope.record.timing import Timing
from tierscope.record.warn import Warn


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One finished experiment."""

    number: Annotated[int, Meta(description="from 0")]
    experiment: Annotated[Experiment, Meta(description="the [`Experiment`](#experiment) as it was asked for")]
    groups: Annotated[tuple[GroupFacts, ...], Meta(description="list of [`GroupFacts`](#groupfacts): what really ran")]
    clock: Annotated[Clock, Meta(description="the [`Clock`](#clock)")]
    samples: Annotated[
        str,
        msgspec.Meta(pattern=r"^samples/[0-9]+(-[0-9]+(-again)?)?\.parquet(?!\n)$"),
        Meta(description="file of its blocks, below the run directory"),
    ]
    blocks: Annotated[int, Meta(description="how many they are")]
    started: Annotated[str, Meta(description="UTC, ISO 8601")]
    seconds: Annotated[float, Meta(description="wall time, set-up included")]
    largest_relative_error: Annotated[float, Meta(description="of the memory against scalar code, after the blocks")]
    warnings: Annotated[tuple[Warn, ...], Meta(description="list of [`Warn`](#warn)")] = ()
    calibration: Annotated[
        tuple[Trial, ...],
        Meta(
            description="list of [`Trial`](#trial), the chosen one first, then by rate; empty if the loop variant was "
            "chosen before"
        ),
    ] = ()
    variant_from: Annotated[
        str,
        Meta(
            description="where the loop variant came from: `searched: ...`, `kept since DATE: ...` or "
            '`not searched: ...`; "" where nothing was to be chosen, or in runs of versions that stated none'
        ),
    ] = ""
    takes: Annotated[
        tuple[int, ...],
        Meta(description="of each batch, which of the experiment's `takes` ran in it; empty where there is one take"),
    ] = ()
    counters: Annotated[
        dict[str, int],
        Meta(
            description="events that a simulated machine counted over the batches, by name: "
            "`L1d.load_misses`; empty on hardware"
        ),
    ] = {}
    timings: Annotated[
        tuple[tuple[Timing, ...], ...],
        Meta(description="of each group, of each batch, a [`Timing`](#timing); empty where no group runs a structure"),
    ] = ()
    program: Annotated[
        Program | None,
        Meta(description="the [`Program`](#program) that measured in place of the core; null where the core did"),
    ] = None
    counted: Annotated[
        tuple[Counted, ...],
        Meta(
            description="list of [`Counted`](#counted): performance events of `counters=`; empty where none "
            "were asked for"
        ),
    ] = ()
    samples_sha256: Annotated[
        str, Meta(description='SHA-256 of the rows of `samples`; "" in runs of versions that stated none')
    ] = ""
    bins: Annotated[
        Annotated[int, msgspec.Meta(ge=0)] | None,
        Meta(
            description="rows of the histogram of `program`; null where there is none, or in runs of versions "
            "that stated none"
        ),
    ] = None
    bins_sha256: Annotated[
        str, Meta(description='SHA-256 of these rows; "" if there are none, or in runs of versions that stated none')
    ] = ""
    background: Annotated[
        Background | None,
        Meta(
            description="the [`Background`](#background): what other programs did meanwhile; null where nobody "
            "watched, as in runs of versions that stated none"
        ),
    ] = None
    visit: Annotated[
        Annotated[int, msgspec.Meta(ge=0)],
        Meta(description="0; in `visits` of the result 1 for the second visit of the point, and so on"),
    ] = 0
    tour: Annotated[
        Annotated[int, msgspec.Meta(ge=0)] | None,
        Meta(
            description="tour through the plan in which it was measured, from 0: visits of one tour are of the same "
            "moment of the machine, and a tour may leave points out; null in runs of versions that stated none"
        ),
    ] = None

    @property
    def moment(self) -> int:
        """Return the tour; where none is stated, the visit, as if no tour had left the point out."""
        return self.visit if self.tour is None else self.tour

    @property
    def mark(self) -> tuple[object, ...]:
        """Return the key of its samples, for readers that remember what they read."""
        return self.number, self.samples, self.started, self.blocks, self.samples_sha256
