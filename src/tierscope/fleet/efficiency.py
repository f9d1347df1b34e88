"""Bandwidth against clock and populated channels, and a group against its first days: peers cannot show either.

A fleet that is slow as a whole has normal peers. Its bandwidth per peak falls from one day to another, and it falls
behind groups of the same family. A fleet that was slow from its first day on, without another group, is not noticed.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from tierscope.fleet.outliers_result import Inefficient, Size, size_of
from tierscope.fleet.store import DayRecord, Store, literal
from tierscope.fleet.window import Window

LOW = 0.75  # of the group's efficiency: missing channels, a lower clock
FIRST_DAYS = 7
LEAST = 0.02


def inefficient(window: Window) -> Iterator[Inefficient]:
    """Yield machines below three quarters of their group's efficiency, and groups as far below their family."""
    medians: dict[str, float] = {}
    family: dict[str, str] = {}
    for name in sorted(set(window.group.tolist())):
        places = np.flatnonzero(window.group == name)
        known = window.efficiency[places]
        if np.all(np.isnan(known)):
            continue
        middle = float(np.nanmedian(known))
        if name:
            medians[name], family[name] = middle, window.facts[places[0]].get("family", "")
            yield from _hosts(window, places, middle)
    for name, value in medians.items():
        best = max(other for group, other in medians.items() if family[group] == family[name])
        if value < LOW * best:
            yield Inefficient("", "", name, value, best)


def _hosts(window: Window, places: Any, middle: float) -> Iterator[Inefficient]:
    for place in places.tolist():
        if window.efficiency[place] < LOW * middle:
            yield Inefficient(window.host[place], window.machine[place], str(window.group[place]),
                              float(window.efficiency[place]), middle)  # fmt: skip


def against_first_days(store: Store, records: dict[str, DayRecord], window: Window) -> dict[str, Size]:
    """Return the groups that are surely slower than in their first seven days: group -> size, all hosts together.

    The noise is that of the group's level from day to day; two days at least are needed at the start.
    """
    early = [one for one in sorted(records) if "scores" in records[one].files and one < window.day][:FIRST_DAYS]
    if len(early) < 2:
        return {}
    found = levels(store, {one: records[one] for one in (*early, window.day)}, window.plan)
    sizes = {group: _size(list(level.days.items()), window.day) for group, level in found.items()}
    return {group: size for group, size in sizes.items() if size is not None}


class Level(NamedTuple):
    """Logarithm of a group's level by day, and what it is: its efficiency, or its metrics where no peak is known."""

    metric: str
    days: dict[str, float]


def levels(store: Store, records: Mapping[str, DayRecord], plan: str) -> dict[str, Level]:
    """Return the level of each group on these days, of its hosts' first sessions; above is faster.

    With a peak it is the median efficiency. Without one, as in virtual machines, it is the mean over the metrics that
    all of these days have, of the medians of the group.
    """
    found = {name: Level("efficiency", days) for name, days in _efficient(store, records, plan).items()}
    for name, days in _medians(store, records, plan).items():
        found.setdefault(name, Level("mean of all metrics", days))
    return found


def _efficient(store: Store, records: Mapping[str, DayRecord], plan: str) -> dict[str, dict[str, float]]:
    rows = store.query(
        "SELECT grp, day, median(ln(efficiency)) AS level FROM {files} WHERE session = 0 AND grp != '' "
        f"AND plan = {literal(plan)} AND efficiency > 0 AND NOT isnan(efficiency) GROUP BY grp, day ORDER BY grp, day",
        [path for one in records.values() for path in one.files.get("scores", ())],
    )
    found: dict[str, dict[str, float]] = {}
    for group, day, level in zip(rows["grp"], rows["day"], rows["level"], strict=True):
        found.setdefault(str(group), {})[str(day)] = float(level)
    return found


def _medians(store: Store, records: Mapping[str, DayRecord], plan: str) -> dict[str, dict[str, float]]:
    files = [path for one in records.values() for path in one.files.get("peers", ())]
    if not files:
        return {}
    rows = store.query(
        f"SELECT grp, day, metric, median_log AS level FROM {{files}} WHERE plan = {literal(plan)} ORDER BY grp, day",
        files,
    )
    values: dict[str, dict[str, dict[str, float]]] = {}
    for group, day, metric, level in zip(rows["grp"], rows["day"], rows["metric"], rows["level"], strict=True):
        values.setdefault(str(group), {}).setdefault(str(day), {})[str(metric)] = float(level)
    found = {}
    for group, days in values.items():
        same = set.intersection(*(set(metrics) for metrics in days.values()))
        if same:
            found[group] = {day: sum(metrics[one] for one in same) / len(same) for day, metrics in days.items()}
    return found


def _size(days: list[tuple[str, float]], today: str) -> Size | None:
    before = np.array([level for day, level in days if day != today])
    now = [level for day, level in days if day == today]
    if len(before) < 2 or not now:
        return None
    half = 3 * max(float(before.std(ddof=1)), 1e-4) * np.sqrt(1 + 1 / len(before))
    change = now[0] - float(before.mean())
    if change + half > np.log1p(-LEAST):
        return None
    return size_of(change, half)
