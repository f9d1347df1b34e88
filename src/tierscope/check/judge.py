"""Whether the points of a run keep the thresholds of a file.

    passed      the whole interval is within the bounds
    failed      the whole interval is outside of them, and the point is conclusive
    not known   all else, with the reasons

The causes of an inconclusive point, such as other programs, make memory look slower. So an inconclusive point may pass
a bound on the slow side, such as at_least of a bandwidth; on the other side it is not known.

Each point that a threshold matches is judged. The intervals are those of single points: of 40 points that are exactly
at their threshold, one fails by chance.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote

from tierscope.check.threshold import Threshold, column_of, key_word, matches, value_name
from tierscope.compare.comparison import point
from tierscope.errors import Exit, ResultError, UnknownNameError
from tierscope.record.experiment import Label, real
from tierscope.record.result import Run
from tierscope.registry import unknown
from tierscope.sound import reads
from tierscope.tables import Column, Flat, Row, flat
from tierscope.tables.measured import span_of
from tierscope.units import show_bytes, show_digits

PASSED, FAILED, NOT_KNOWN = "passed", "failed", "not known"


WIDE = "interval "
SLOWED = ("the machine is busy", "others use the memory")
"""Parts of the reasons of inconclusive points: see `stats.summary` and `stats.background`."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One point, judged by one threshold. reasons: why its verdict is not known."""

    threshold: Threshold
    point: str
    value: float | None
    low: float | None
    high: float | None
    conclusive: bool
    verdict: str
    reasons: tuple[str, ...]

    @property
    def said(self) -> str:
        """Return '17.2 GB/s (16.9 GB/s to 17.4 GB/s)'; "no number" where there is none."""
        unit = self.threshold.measure.unit
        if self.value is None:
            return "no number"
        if self.low is None or self.high is None or self.low == self.high:
            return show_digits(self.value, unit)
        return f"{show_digits(self.value, unit)} ({show_digits(self.low, unit)} to {show_digits(self.high, unit)})"


@dataclass(frozen=True, slots=True)
class Checked:
    """All points of a run that the thresholds of a file match."""

    run: Run
    points: tuple[Judged, ...]

    def count(self, verdict: str) -> int:
        """Return how many points have this verdict."""
        return Counter(one.verdict for one in self.points)[verdict]

    @property
    def verdict(self) -> str:
        """Return the verdict on the whole: failed if one point is, else not known if one point is."""
        return next((word for word in (FAILED, NOT_KNOWN) if self.count(word)), PASSED)

    @property
    def status(self) -> Exit:
        return {PASSED: Exit.GOOD, FAILED: Exit.FAILED, NOT_KNOWN: Exit.INCONCLUSIVE}[self.verdict]


def judge(run: Run, thresholds: Sequence[Threshold]) -> Checked:
    """Return the verdict on each point; ResultError or UnknownNameError for what the run does not have, or not yet."""
    if not run.result.complete:
        raise ResultError(f"{run.path} is not complete; finish it with `tierscope resume {quote(str(run.path))}`")
    return Checked(run, tuple(_judged(threshold, row) for threshold in thresholds for row in selected(run, threshold)))


@reads("the check")
def selected(run: Run, threshold: Threshold) -> list[Row]:
    """Return the rows that a threshold matches; an error that names what the run has where there are none."""
    table = threshold.measure.table
    rows = [(flat(row), row) for row in table.rows(run)]
    if not rows:
        has = sorted({record.experiment.table for record in run.result.records})
        raise ResultError(
            f"{threshold.place}: {run.path} has no points of {table.name}; it has {', '.join(has) or 'none'}"
        )
    for key, value in threshold.where.items():
        kept = [one for one in rows if matches(one[0], key, value)]
        if not kept:
            absent = _absent([values for values, _ in rows], threshold, key)
            raise UnknownNameError(f"{threshold.place}: {run.path} has no such point: {absent}")
        rows = kept
    return [row for _, row in rows]


def _absent(rows: list[Flat], threshold: Threshold, key: str) -> str:
    """Return what was asked of a key, and what the rows have: 'unknown threads 4 (known: 1, 2)'."""
    table = threshold.measure.table
    column = column_of(table, key)
    known = list(dict.fromkeys(_word(column, row.get(key)) or "none" for row in rows))
    before = [f"{key_word(table, one)} {_word(column_of(table, one), value)}" for one, value in threshold.where.items()]
    rest = before[: list(threshold.where).index(key)]
    where = f" of {table.name}" + (f" with {', '.join(rest)}" if rest else "")
    return unknown(f"{key_word(table, key)}{where}", _word(column, threshold.where[key]), known)


def _word(column: Column, value: Label) -> str:
    if column.unit == "B" and isinstance(value, int | float):
        return show_bytes(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:g}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _judged(threshold: Threshold, row: Row) -> Judged:
    measure, values = threshold.measure, flat(row)
    value, span = real(values.get(measure.main.name)), span_of(values, measure.main.stem)
    low, high = span if value is not None and span else (None, None)
    sure = values.get("conclusive") is not False
    doubts: tuple[str, ...] = getattr(row, "reasons", ())
    verdict, why = _verdict(threshold, low, high, doubts, sure=sure)
    reasons = (*([why] if why else []), *doubts) or ("the point is inconclusive",)
    words = point(measure.table.name, values)
    name = f"{value_name(measure)}{f': {words}' if words else ''}"
    return Judged(threshold, name, value, low, high, sure, verdict, reasons if verdict == NOT_KNOWN else ())


def _verdict(
    threshold: Threshold, low: float | None, high: float | None, doubts: Sequence[str], *, sure: bool
) -> tuple[str, str]:
    """Return the verdict, and why it is not known where the doubts of the point itself do not state it."""
    if low is None or high is None:
        return NOT_KNOWN, "it has no interval"
    if high < threshold.low or low > threshold.high:
        return FAILED if sure else NOT_KNOWN, ""
    if threshold.low <= low and high <= threshold.high:
        return PASSED if sure or _harmless(threshold, doubts) else NOT_KNOWN, ""
    return NOT_KNOWN, "its interval contains the threshold"


def _harmless(threshold: Threshold, doubts: Sequence[str]) -> bool:
    """Return whether no doubt may hide a number beyond the threshold.

    A wide interval is within it as a whole. Time that others take makes memory look slower than it is, so it matters
    only where too fast is wrong.
    """
    slowed = SLOWED if threshold.slow_side else ()
    return bool(doubts) and all(doubt.startswith(WIDE) or any(word in doubt for word in slowed) for doubt in doubts)
