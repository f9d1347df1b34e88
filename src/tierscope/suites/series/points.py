"""The blocks of a few chosen experiments over time, thinned so that no extreme is lost.

Every thread's time is cut into equal bins. Each bin keeps the median, the smallest and the largest rate of the clean
blocks. A block that was left out stays as a point of its own with its reason. If several in one bin have the same
reason, the one farthest from the median stays. Rates are shares of the median rate of the thread's group, so that
bandwidth and latency are read on one axis: 0.5 is half as fast.
Each table states which of its records are chosen (`OverTime`). If it shows all of them, each thread's dips
(`stats.flutter`) are points of their own. If these records are many, each has fewer threads and bins, so that the page
does not grow with the machine.
A point that was visited several times shows its first visit; takes that alternate show the last one.
Blind to everything within a block, and to the threads and experiments that were not chosen.
"""

from collections.abc import Callable, Iterator

import numpy as np

from tierscope.draw.words import short_word
from tierscope.plans.live import describe
from tierscope.record.result import DRIFTED, MIGRATED, PREEMPTED, STOLEN, Blocks, Record, Run
from tierscope.stats.flutter import Dip, flutter
from tierscope.stats.point import Point, steady_from
from tierscope.stats.takes import blocks_of, takes_of
from tierscope.stats.threads import ThreadSeries, thread_series
from tierscope.tables import Column, Flat, OverTime, tables
from tierscope.tables.measured import judged_once

EXPERIMENTS = 8  # a choice that fits one list box, and about 150 KiB of the page
THREADS = 12  # of one experiment: the slowest and the fastest six; more lines are hard to distinguish
POINTS = 360  # bins of one experiment, shared by its threads
MOST = 64  # of tables that show all records: more entries of a list box are not looked through
TOTAL = 16 * POINTS  # bins of all experiments, at most 900 KiB of the page
BINS = 20  # of one thread at least: fewer show no course
REASONS = {
    PREEMPTED: "preempted",
    STOLEN: "stolen by the host",
    DRIFTED: "clock drifted",
    MIGRATED: "moved to another CPU",
}

COLUMNS = (
    Column("experiment", "experiment", "1"),
    Column("what", "what", ""),
    Column("thread", "thread", ""),
    Column("kind", "kind", ""),
    Column("time_s", "time", "s"),
    Column("until_s", "until", "s"),
    Column("rate", "rate over the group's median", "1"),
    Column("rate_low", "slowest", "1"),
    Column("rate_high", "fastest", "1"),
    Column("blocks", "blocks", "1"),
)
"""`kind` is "kept", a reason, "dip", or "window": the time after the warm-up in which all threads worked together."""


def series_rows(run: Run, chosen: list[Record]) -> list[Flat]:
    """Return all points of the chosen records, in their order; ResultError if samples are damaged."""
    points = min(POINTS, TOTAL // max(1, len(chosen)))
    return [row for record in chosen for row in _record(run, record, points)]


def choose(run: Run, rows: dict[str, list[Flat]]) -> list[Record]:
    """Return at most EXPERIMENTS records of tables that show some, then those of tables that show all.

    At most MOST of them are returned, at equal steps. rows: those of each table, in the order of its records.
    """
    records = run.result.records
    few = {
        name: [record for record in records if record.experiment.table == name]
        for name in sorted(tables, key=lambda name: tables[name].place)
        if tables[name].over_time is OverTime.FEW
    }
    first = [record for record in records if _over_time(record) is OverTime.FIRST]
    wanted = [_most(rank, few[name], rows.get(name, [])) for rank in _RANKS for name in few]
    numbered = {record.number: record for record in [*first, *wanted] if record is not None}
    every = [record for record in records if _over_time(record) is OverTime.ALL]
    return [*list(numbered.values())[:EXPERIMENTS], *every[:: -(-len(every) // MOST) or 1]]


def _over_time(record: Record) -> OverTime | None:
    name = record.experiment.table
    return tables[name].over_time if name in tables else None


def _most(rank: "Callable[[Flat], float]", records: list[Record], rows: list[Flat]) -> Record | None:
    """Return the record whose row ranks highest and above zero."""
    ranked = [(rank(row), -record.number, record) for record, row in zip(records, rows, strict=False)]
    highest = max(ranked, default=None, key=lambda entry: entry[:2])
    return highest[2] if highest and highest[0] > 0 else None


def _speed(row: Flat) -> float:
    """Return bandwidth if there is one, else the footprint: the slowest level is the most interesting."""
    return float(row.get("bandwidth_bytes_per_s") or row.get("footprint_bytes") or 0)


def _disturbed(row: Flat) -> float:
    return float(row.get("left_out_share") or 0)


def _doubtful(row: Flat) -> float:
    return 0.0 if row.get("conclusive") else 1.0


_RANKS: tuple[Callable[[Flat], float], ...] = (_speed, _disturbed, _doubtful)


def record_name(record: Record) -> str:
    """Return '#12 triad_nt, 2 threads', as the live line has it, short enough for a list box."""
    return short_word(f"#{record.number} {describe(record.experiment)}", 72)


def _record(run: Run, record: Record, points: int) -> Iterator[Flat]:
    common: Flat = {"experiment": record.number, "what": record_name(record)}
    for start, stop in _windows(run, record):
        yield common | {"thread": None, "kind": "window", "time_s": round(start, 5), "until_s": round(stop, 5)}
    series = thread_series(_blocks(run, record), record.clock.hz)
    medians = {one.group: _group_median(series, one.group) for one in series}
    kept = _extremes(series, min(THREADS, points // BINS))
    bins = max(BINS, points // max(1, len(kept)))
    begin = steady_from(_point(run, record))
    for one in kept:
        name = _thread_name(record, one)
        dips = flutter(one, begin).dips if _over_time(record) is OverTime.ALL else ()
        for row in (*_thread(one, medians[one.group], bins), *_dips(dips, medians[one.group], bins)):
            yield common | {"thread": name} | row


def _blocks(run: Run, record: Record) -> Blocks:
    """Return all groups of the last take, or of all."""
    last = len(takes_of(record.experiment)) - 1
    return blocks_of(run.blocks(record), record.experiment, record.takes, last)


def _point(run: Run, record: Record) -> Point:
    return judged_once(run, record).points[-1]


def _windows(run: Run, record: Record) -> list[tuple[float, float]]:
    """Return what counts, in s: the common windows of all batches after the warm-up."""
    point = _point(run, record)
    begin = steady_from(point)
    return [(max(first, begin), last) for first, last in point.together.windows if last > begin]


def _thread_name(record: Record, one: ThreadSeries) -> str:
    group = record.experiment.groups[one.group]
    cpus = record.groups[one.group].cpus
    cpu = cpus[one.thread] if one.thread < len(cpus) else "?"
    return f"{short_word(group.role or group.workload.kernel, 24)} on CPU {cpu}"


def _group_median(series: tuple[ThreadSeries, ...], group: int) -> float:
    """Return the median rate of the clean blocks of all threads of the group; of all blocks if none is clean."""
    rates = np.concatenate([one.rate for one in series if one.group == group])
    clean = np.concatenate([one.flags == 0 for one in series if one.group == group])
    return float(np.median(rates[clean] if clean.any() else rates))


def _extremes(series: tuple[ThreadSeries, ...], most: int) -> list[ThreadSeries]:
    if len(series) <= most:
        return list(series)
    ranked = sorted(series, key=lambda one: (float(np.median(one.rate)), one.group, one.thread))
    half = most // 2
    return sorted(ranked[:half] + ranked[-half:], key=lambda one: (one.group, one.thread))


def _thread(one: ThreadSeries, median: float, bins: int) -> Iterator[Flat]:
    """Yield the rows of one thread: bins of clean blocks in order of time, then the points of those left out."""
    share = one.rate / median if median > 0 else one.rate
    edges = np.linspace(one.time_s[0], one.time_s[-1], bins + 1)[1:-1]
    place = np.searchsorted(edges, one.time_s, side="right")
    for number in np.unique(place[one.flags == 0]):
        members = (place == number) & (one.flags == 0)
        yield _row("kept", float(np.median(one.time_s[members])), share[members], float(np.median(share[members])))
    for flag, reason in REASONS.items():
        hit = (one.flags & flag) != 0
        for number in np.unique(place[hit]):
            members = np.flatnonzero((place == number) & hit)
            far = members[np.argmax(np.abs(share[members] - 1))]
            yield _row(reason, float(one.time_s[far]), share[members], float(share[far]))


def _dips(dips: tuple[Dip, ...], median: float, bins: int) -> Iterator[Flat]:
    """Yield the deepest dip of each bin, as a point; its rate is the median of its blocks."""
    if not dips:
        return
    places = np.linspace(dips[0].start_s, dips[-1].stop_s, bins + 1)[1:-1]
    deepest: dict[int, Dip] = {}
    for dip in sorted(dips, key=lambda one: -one.rate):
        deepest[int(np.searchsorted(places, dip.start_s, side="right"))] = dip
    for dip in sorted(deepest.values(), key=lambda one: one.start_s):
        share = np.array([dip.rate / median if median > 0 else dip.rate])
        yield _row("dip", (dip.start_s + dip.stop_s) / 2, share, float(share[0])) | {"blocks": dip.blocks}


def _row(kind: str, time_s: float, share: "np.ndarray[tuple[int], np.dtype[np.float64]]", shown: float) -> Flat:
    return {
        "kind": kind,
        "time_s": round(time_s, 5),
        "rate": round(shown, 4),
        "rate_low": round(float(share.min()), 4),
        "rate_high": round(float(share.max()), 4),
        "blocks": int(share.size),
    }
