"""Sentences from own groups: the speed of a group over that of the same group in an earlier experiment.

Groups of two experiments are the same if the file asks for the same, except for their CPUs. Then the other groups of
the experiment make the difference. A group that exists once has no comparison. A chase is compared by its latency,
others by their bandwidth.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from tierscope.record.experiment import Group, Team
from tierscope.stats.compare import Comparison, compare
from tierscope.suites.groups.row import GroupsRow
from tierscope.tables import Insight, Number
from tierscope.tables.measured import ratio_word, sure
from tierscope.units import show_rate, show_seconds

NOBODY = Team(cpus=())


def said(rows: list[GroupsRow], asked: Sequence[Group], names: Mapping[int, str]) -> list[Insight]:
    """Return the comparisons, the largest difference first.

    asked: what the file asks for, of each row; names: of each experiment, as the file has them.
    """
    alike: dict[tuple[object, ...], list[GroupsRow]] = {}
    for row, group in zip(rows, asked, strict=True):
        same = alike.setdefault((row.threads, msgspec.structs.replace(group, team=NOBODY)), [])
        if all(row.experiment != other.experiment for other in same):
            same.append(row)
    found = [one for same in alike.values() for one in _over_first(same, names)]
    return [insight for _, insight in sorted(found, key=lambda one: -one[0])]


def _over_first(same: list[GroupsRow], names: Mapping[int, str]) -> Iterator[tuple[float, Insight]]:
    """Yield (distance from 1, sentence) for each further experiment with a conclusive number."""
    first, *others = same
    for row in others:
        if ratio := _ratio(first, row):
            yield abs(math.log(ratio.middle)), _insight(first, row, ratio, names)


def _ratio(first: GroupsRow, row: GroupsRow) -> Comparison | None:
    """Return the ratio of what `_speed` shows."""
    numbers = (first.latency, row.latency) if first.latency and row.latency else (first.bandwidth, row.bandwidth)
    before, after = sure(first, numbers[0]), sure(row, numbers[1])
    return compare(before, after) if before and after else None


def _insight(first: GroupsRow, row: GroupsRow, ratio: Comparison, names: Mapping[int, str]) -> Insight:
    here, there = names.get(row.experiment, ""), names.get(first.experiment, "")
    low, middle, high = map(ratio_word, (ratio.low, ratio.middle, ratio.high))
    return Insight.of(
        ratio,
        name=f"group_ratio {row.role or row.kernel} {row.experiment}",
        text=f'{row.role or row.kernel} in "{here}": {_speed(row)}, {middle}x that in "{there}" ({low} to {high})',
        unit="1",
        others=(Number.of(ratio),),
    )


def _speed(row: GroupsRow) -> str:
    if row.latency:
        return show_seconds(row.latency.middle)
    return show_rate(row.bandwidth.middle) if row.bandwidth else "unknown"
