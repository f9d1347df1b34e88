"""The numbers of a host from a run of a suite: each main value of each point of its tables."""

import math
from collections.abc import Iterator

from tierscope.compare.measures import Measure, measures
from tierscope.fleet.host_report import Number
from tierscope.fleet.payload.numbers import Found
from tierscope.record.result import Run
from tierscope.tables import Flat

MOST, LONGEST = 4096, 160  # numbers of a report, and letters of a metric's name


def numbers_of(run: Run) -> Found:
    """Return the numbers of a run; real: whether all of its memory was real."""
    found: dict[str, Number] = {}
    for measure in measures().values():
        for row in measure.rows(run):
            if (number := _number(measure, row)) is not None and len(found) < MOST:
                found.setdefault(number.metric, number)
    return Found(tuple(found.values()), real=run.result.origin == "real")


def _number(measure: Measure, row: Flat) -> Number | None:
    """Return a point as a number; None without an interval, or with a value that is not above 0."""
    interval = measure.interval(row)
    if interval is None or not 0 < interval.low <= interval.middle <= interval.high < math.inf:
        return None
    return Number(
        metric=_name(measure, row), unit=measure.unit, better="lower" if measure.main.less_is_better else "higher",
        value=interval.middle, low=interval.low, high=interval.high, blocks=max(1, interval.count),
        conclusive=row.get("conclusive") is not False,
    )  # fmt: skip


def _name(measure: Measure, row: Flat) -> str:
    """Return 'stream.kernel=triad.threads=2'; a key that is empty means the same as none."""
    words = (f"{key}={row[key]}" for key in measure.table.keys if row.get(key) not in (None, ""))
    return ".".join((measure.name.replace(" ", "-"), *_plain(words)))[:LONGEST]


def _plain(words: Iterator[str]) -> Iterator[str]:
    for word in words:
        yield "".join(letter if letter.isascii() and letter.isprintable() else "_" for letter in word).replace(" ", "_")
