"""The common part of all tables: a record's blocks judged once per process, and the keys that every row ends with."""

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NotRequired, TypedDict, TypeVar

from tierscope.record.experiment import real
from tierscope.record.origin import strongest
from tierscope.record.result import GroupFacts, Record, Result, Run
from tierscope.stats.compare import compare
from tierscope.stats.judged import Judged, judge_record
from tierscope.stats.median import Interval
from tierscope.stats.point import Point
from tierscope.tables import Flat, JudgedRow, columns_of
from tierscope.tables.background import doubted
from tierscope.tables.visited import Visited, is_visited
from tierscope.units import KiB

R = TypeVar("R", bound=JudgedRow)

CLOSING = columns_of(JudgedRow)
"""The columns of `closing`."""


MOST = 4096  # points remembered, some 10 KB each; a quick run has 200

SMALL_PAGES = 64 * KiB  # the smallest of a kernel are 4, 16 or 64 KiB; large ones have 2 MiB or more

MOST_RUNS = 16  # whose visits are put together

_known: dict[tuple[object, ...], Judged] = {}
_visited: dict[Path, tuple[Result, Visited]] = {}


def measured(run: Run, record: Record) -> Point:
    """Return the judged blocks of a record of one take."""
    return judged(run, record).points[0]


def judged(run: Run, record: Record) -> Judged:
    """Return all takes of a record, of all visits if the plan has visits; remembered, since live rows ask
    repeatedly.
    """
    if record.visit or not is_visited(record):
        return judged_once(run, record)
    return _visits(run, record).judged(record)


def visits_of(run: Run, record: Record) -> list[Record]:
    """Return the visits of a point that its numbers are made of; the point itself where it was visited once."""
    return [record] if record.visit or not is_visited(record) else _visits(run, record).visits(record)


def over_visits(run: Run, record: Record, what: str, of: Callable[[Record], Interval | None]) -> Interval | None:
    """Return a number that a table makes of the samples of a visit, of all visits; see `Visited.measured`."""
    if record.visit or not is_visited(record):
        return of(record)
    return _visits(run, record).measured(record, what, of)


def _visits(run: Run, record: Record) -> Visited:
    path = run.path.absolute()
    known = _visited.get(path)
    if known is None or known[0] is not run.result or record not in known[1]:
        _visited.pop(path, None)
        while len(_visited) >= MOST_RUNS:
            del _visited[next(iter(_visited))]
        known = run.result, Visited(run, lambda one: judged_once(run, one))
        _visited[path] = known
    return known[1]


def judged_once(run: Run, record: Record) -> Judged:
    """Return all takes of one visit alone."""
    key = _key(run.path, record)
    if key not in _known:
        caches = run.result.machine.identity.caches
        blocks, hz = run.blocks(record), record.clock.hz
        found = judge_record(blocks, hz, record.experiment, record.groups, record.takes, caches)
        remember(run.path, record, found)
    return doubted(run, record, _known[key])


def remember(path: Path, record: Record, found: Judged) -> None:
    """Store a judgement that was just made, so that `judged` need not read the blocks. path: of the run directory."""
    while len(_known) >= MOST:
        del _known[next(iter(_known))]
    _known[_key(path, record)] = found


def _key(path: Path, record: Record) -> tuple[object, ...]:
    """Return the key of a record. A rerun in the same directory starts at another time, so it is another record."""
    return path.absolute(), record.mark, record.experiment.schedule


def records(run: Run, table: str) -> list[Record]:
    """Return the records that this table reads."""
    return [record for record in run.result.records if record.experiment.table == table]


class Closing(TypedDict):
    """The fields of `JudgedRow`."""

    conclusive: bool
    reasons: tuple[str, ...]
    blocks: int
    left_out_share: float
    origin: str
    visits: NotRequired[int | None]
    between_share: NotRequired[float | None]
    slow_share: NotRequired[float | None]
    mapping_share: NotRequired[float | None]
    degrees: NotRequired[float | None]


def closing(record: Record, point: Point) -> Closing:
    """Return verdict, share left out and origin, the strongest of the groups: what every judged row ends with."""
    seen = point.seen
    return {
        "conclusive": point.conclusive,
        "reasons": tuple(point.reasons),
        "blocks": record.blocks + (seen.more_blocks if seen else 0),
        "left_out_share": point.left_out_share,
        "origin": strongest(facts.origin for facts in record.groups),
        "visits": seen.visits if seen else None,
        "between_share": seen.between_share if seen else None,
        "slow_share": seen.slow_share if seen else None,
        "mapping_share": seen.mapping_share if seen else None,
        "degrees": seen.degrees if seen else None,
    }


def weighed(found: Interval | None) -> Interval | None:
    """Return an interval that is positive and narrower than its value: what a fit weighs by its error."""
    if found is None or not all(map(math.isfinite, (found.low, found.middle, found.high))):
        return None
    return found if found.low > 0 and found.relative < 1 else None


def sure(row: JudgedRow, found: Interval | None) -> Interval | None:
    """Return the same of a conclusive row: what a sentence may rest on."""
    return weighed(found) if row.conclusive else None


def sure_rows(rows: Iterable[R], of: Callable[[R], Interval | None]) -> list[tuple[R, Interval]]:
    """Return each row with its interval, those alone that `sure` knows."""
    return [(row, found) for row in rows if (found := sure(row, of(row)))]


def page_bytes(facts: GroupFacts) -> int | None:
    """Return the page size of most of the bytes; None where the target has no pages."""
    return int(max(facts.pages, key=lambda size: facts.pages[size])) if facts.pages else None


def span_of(row: Flat, stem: str) -> tuple[float, float] | None:
    """Return (low, high) of the value whose name begins with `stem`; None where a bound is missing."""
    low, high = (real(row.get(f"{stem}_{end}")) for end in ("low", "high"))
    return None if low is None or high is None else (low, high)


def of_all(count: int, total: int, what: str) -> str:
    """Return 'all 7 sizes', '3 of 7 sizes': how many of a kind a sentence really compared."""
    return f"all {total} {what}" if count == total else f"{count} of {total} {what}"


def left_out(count: int, total: int, what: str) -> str:
    """Return '; 4 of 7 sizes are inconclusive and left out'; "" where all count."""
    rest = total - count
    return f"; {rest} of {total} {what} {'is' if rest == 1 else 'are'} inconclusive and left out" if rest > 0 else ""


def percent(share: float) -> str:
    """Return '63 %'."""
    return f"{share * 100:.0f} %"


def median_of(shares: dict[str, float], what: str) -> str:
    """Return how many of a kind a median is of, and its two ends where they print differently.

    'triad alone', 'median of 8 kernels; write_nt 51 %, memset 80 %'.
    """
    if len(shares) == 1:
        return f"{next(iter(shares))} alone"
    worst, best = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
    low, high = percent(shares[worst]), percent(shares[best])
    return f"median of {len(shares)} {what}{f'; {worst} {low}, {best} {high}' if low != high else ''}"


def ratio_word(value: float) -> str:
    """Return two decimals, or three digits of what these would show as zero: '1.25', '0.00312'."""
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.3g}"


def quotient(before: Interval, after: Interval) -> Interval:
    """Return after / before with the interval of `stats.compare`; NaN where there is no ratio."""
    one = compare(before, after)
    return Interval(one.low, one.middle, one.high, min(before.count, after.count))
