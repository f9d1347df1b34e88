"""Maps: operations on structures, with the latency of single ones and the time between them.

    operations/s = threads / seconds of one operation, rehash and waits for a lock included    [1/s]
    seconds      = operations of one round / operations/s                                      [s]
    latency      = ticks of the operations alone / operations                                  [s]

`rehash_share` is the share of a round's time, of the same rounds, that rehashes take (`suites.maps.keyed`).
A round is a sequence of operations that every thread has drawn before it. Batches of whole rounds give one value each.
Their Hodges-Lehmann estimate is the value of the row, with its interval. Percentiles come from histograms whose steps
are at most 1/64 of a time. Each operation contains one read of the clock, `clock_s`, in all of these numbers.
On simulated memory the lines of each operation are counted, too: distinct lines that are read and written, each flush
of a line, and fences. More flushes than written lines mean that lines are flushed again and again.
Blind to what the first touch of new memory costs by itself: it is part of an insert, as in any program.
Source: document 004 (pmembench's map_insert, map_get, map_remove); statistics: `stats.contrast`, `suites.maps.keyed`.
"""

from typing import ClassVar

from tierscope.record.result import Record, Run
from tierscope.record.work.key import KeyedWork
from tierscope.stats.judged import Judged
from tierscope.stats.median import Interval
from tierscope.suites.maps.findings import sentences
from tierscope.suites.maps.keyed import keyed
from tierscope.suites.maps.row import MapsRow
from tierscope.tables import Asked, Insight, Main, tables
from tierscope.tables.measured import Closing, closing, judged, over_visits, records, visits_of

SHARES = (0.5, 0.99, 0.999)  # of the operations, which take no longer than p50, p99, p99.9


class Maps:
    """One row for each structure, operation, number of keys, size of a value and number of threads."""

    name: ClassVar[str] = "maps"
    title: ClassVar[str] = "Operations on structures"
    asked: ClassVar[Asked] = Asked(
        question="Which map is the fastest?",
        answers=("fastest", "alone", "rehash", "flushed"),
        keys={
            "fastest": "time of the second map over the fastest",
            "alone": "latency of one operation",
            "rehash": "time in rehashes",
        },
    )
    keys: ClassVar[tuple[str, ...]] = (
        "structure",
        "operation",
        "keys",
        "count",
        "operations",
        "value_bytes",
        "threads",
        "sharing",
        "target",
    )
    main: ClassVar[tuple[Main, ...]] = (Main("seconds", less_is_better=True),)
    row: ClassVar[type[MapsRow]] = MapsRow
    says: ClassVar[dict[str, str]] = {
        "fastest WHAT": "time of the second structure over that of the fastest; 1 is between low and high if "
        "they are not distinguished",
        "alone OPERATION": "latency among the fewest keys, of a run of one structure; its text has that of the most",
        "flushed WHAT": "flushed over written lines, of the structure where it is most",
        "rehash WHAT": "share of the time that rehashes take, of the structure where it is most",
    }

    def rows(self, run: Run) -> list[MapsRow]:
        return [_row(run, record) for record in records(run, self.name) if record.timings]

    def insights(self, run: Run, rows: list[MapsRow]) -> list[Insight]:
        del run
        return sentences(rows)


def _row(run: Run, record: Record) -> MapsRow:
    """Return the row of a record; rehashes are per round of all threads; lines are None except on simulated memory."""
    judgement, facts, work = judged(run, record), record.groups[0], record.experiment.groups[0].workload.of(KeyedWork)
    found, threads = judgement.contrasts[0], len(facts.cpus)
    timings = [one for visit in visits_of(run, record) for one in visit.timings[0]]
    operations = round(sum(one.operations for one in timings) / max(sum(one.rounds for one in timings), 1) * threads)
    measured = keyed(timings, record.clock.hz, SHARES)
    p50, p99, p999 = measured.percentiles
    lines = measured.lines
    return MapsRow(
        structure=facts.kernel,
        target=facts.target,
        operation=work.operation or "get",
        keys=work.keys or "uniform",
        count=work.count,
        value_bytes=work.value_bytes,
        threads=threads,
        sharing=work.sharing or "own",
        operations=operations,
        seconds=found.seconds.times(operations / threads),
        ops=found.seconds.times(1 / threads).inverse(),
        latency=over_visits(run, record, "latency", _latency) or measured.latency,
        latency_p50=p50,
        latency_p99=p99,
        latency_p999=p999,
        latency_min_s=measured.least_s,
        latency_max_s=measured.most_s,
        init_s=measured.init_s,
        rehashes=measured.rehashes * threads,
        moved=measured.moved * threads,
        rehash_s=measured.rehash_s * threads,
        rehash_share=measured.rehash_share,
        lock_s=measured.lock_s,
        clock_s=measured.clock_s,
        done_share=measured.done_share,
        lines_read=lines.read if lines else None,
        lines_written=lines.written if lines else None,
        lines_flushed=lines.flushed if lines else None,
        fences=lines.fences if lines else None,
        flushed_per_written=lines.flushed_per_written if lines else None,
        delayed_loads=measured.delayed_loads,
        batches=found.seconds.count,
        persistence=facts.persistence or None,
        **_closing(record, judgement),
    )


def _closing(record: Record, judgement: Judged) -> Closing:
    """Return what the row ends with; the rounds judge it, not the blocks."""
    found = judgement.contrasts[0]
    return {
        **closing(record, judgement.points[0]),
        "conclusive": found.conclusive,
        "reasons": found.reasons,
        "left_out_share": found.left_out_share,
    }


def _latency(visit: Record) -> Interval | None:
    return keyed(visit.timings[0], visit.clock.hz, ()).latency if visit.timings else None


tables.add(Maps())
