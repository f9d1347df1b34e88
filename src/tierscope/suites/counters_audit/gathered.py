"""The counts of an audit's records: for each event and kernel, every repeat."""

from collections import defaultdict
from dataclasses import dataclass, field

from tierscope.metrics import metrics_for
from tierscope.record.counting import EventCount
from tierscope.record.result import Run
from tierscope.suites.counters_audit.known import Known, known, per_operation
from tierscope.suites.counters_audit.labels import EventLabels
from tierscope.tables.measured import records

TABLE = "event_counts"


@dataclass
class Gathered:
    """One event. counts: kernel -> count of one operation, of each repeat."""

    event: str
    origin: str
    scope: str = ""
    reason: str = ""  # why it is not counted; then there are no counts
    share: float = 1.0  # share of the time for which it was counted, the least of all records
    counts: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    known: dict[str, Known] = field(default_factory=dict)
    target: str = ""
    moves: str = ""  # of a memory controller


def gathered(run: Run) -> list[Gathered]:
    """Return all events in their first order; kernels whose bytes on the bus are unknown are left out."""
    metrics = metrics_for(run.result.machine.identity.family)
    cache_bytes, line_bytes = run.result.machine.last_level_cache_bytes(), run.result.machine.line_bytes()
    found: dict[tuple[str, str], Gathered] = {}
    times: dict[str, list[Known]] = defaultdict(list)
    for record in records(run, TABLE):
        kernel = EventLabels.read(record.experiment).kernel
        for counted in record.counted:
            did = known(record, counted, cache_bytes, line_bytes)
            if did is None:
                continue
            times[kernel].append(did)
            for event in counted.events:
                name = metrics.called(event.event)
                one = found.setdefault((counted.origin, name), Gathered(name, counted.origin))
                _add(one, event)
                if event.counted:
                    one.counts[kernel].append(per_operation(event, counted))
                    one.known[kernel] = did
                    one.target = record.groups[0].target
    for one in found.values():
        one.known = {kernel: _mean(times[kernel]) for kernel in one.known}
    return list(found.values())


def _add(one: Gathered, event: EventCount) -> None:
    one.scope, one.moves = one.scope or event.scope, one.moves or event.moves
    one.share = min(one.share, event.running_share)
    if not event.counted:
        one.reason = event.reason or "the PMU never counted it; audit fewer events at the same time"


def _mean(every: list[Known]) -> Known:
    """Return the lines, which are the same in each repeat, and the mean time."""
    return every[0]._replace(time=sum(one.time for one in every) / len(every))
