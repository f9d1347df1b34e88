"""When each visit of a run happened, on one axis of time that begins with the run.

Blocks have ticks of a clock, visits a wall time to the second. Ticks of one running clock place all visits exactly.
A simulated clock, and a counter that began again after a restart of the machine, contradict the wall time: such a visit
is placed at its wall time, after the visit before it.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tierscope.record.record import Record
from tierscope.record.result import Run
from tierscope.record.samples import Blocks

SLACK_S = 2.0  # the wall time is stated to the second, at both ends
RUNNING = ("tsc", "monotonic_raw")


class Span(NamedTuple):
    """One visit of a point: its blocks, and where tick 0 of their clock is on the axis.

    zero_ns: of its first tick, since the start of the run. exact: placed by its clock, not by its wall time.
    """

    record: Record
    blocks: Blocks
    first_ticks: int
    zero_ns: int
    exact: bool

    def at_ns(self, ticks: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """Return ns since the start of the run; shape as given, dtype uint64 -> int64."""
        since: npt.NDArray[np.int64] = ticks.astype(np.int64) - self.first_ticks
        ns: npt.NDArray[np.int64] = np.rint(since * (1e9 / self.record.clock.hz)).astype(np.int64)
        return ns + self.zero_ns

    @property
    def end_ns(self) -> int:
        """End of the last block; the start where there is none."""
        return int(self.at_ns(self.blocks["stop_ticks"]).max()) if self.blocks.size else self.zero_ns


def spans(run: Run) -> Iterator[Span]:
    """Yield all visits in the order of time; those without blocks have their start alone."""
    origin, clock, end = None, None, 0
    for record in sorted(
        (*run.result.records, *run.result.visits), key=lambda one: (_wall_s(one), one.visit, one.number)
    ):
        blocks = run.blocks(record)
        first = int(blocks["start_ticks"].min()) if blocks.size else 0
        origin = _wall_s(record) if origin is None else origin
        wall_s = _wall_s(record) - origin
        by_clock = _by_clock(record, first, clock, wall_s) if blocks.size else None
        zero = max(by_clock if by_clock is not None else round(wall_s * 1e9), end)
        exact = by_clock == zero
        span = Span(record, blocks, first, zero, exact)
        if clock is None and blocks.size and record.clock.source in RUNNING:
            clock = (first, record.clock.hz, zero, record.clock.source)
        end = span.end_ns
        yield span


def _by_clock(record: Record, first: int, clock: tuple[int, float, int, str] | None, wall_s: float) -> int | None:
    """Return ns on the axis by ticks of the run's first clock; None where another clock or the wall time objects."""
    if record.clock.source not in RUNNING:
        return None
    if clock is None:
        return round(wall_s * 1e9)
    since_ticks, hz, since_ns, source = clock
    found = since_ns + round((first - since_ticks) / hz * 1e9)
    fits = -SLACK_S <= found / 1e9 - wall_s <= record.seconds + SLACK_S
    return found if source == record.clock.source and fits else None


def _wall_s(record: Record) -> float:
    try:
        started = datetime.fromisoformat(record.started)
        return (started if started.tzinfo else started.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0
