"""Bandwidth against clock and populated channels, and a group against its first days: peers cannot show either.

A fleet that is slow as a whole has normal peers. Its bandwidth per peak falls from one day to another, and it falls
behind groups of the same family. A fleet that was slow from its first day on, without another group, is not noticed.
"""

from collections.abc import Iterator
from typing import Any

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

    Only hosts of both times are compared, so a fleet that grew is not mistaken for one that changed. The noise is that
    of the group's level from day to day; two days at least are needed at the start.
    """
    early = [one for one in sorted(records) if "scores" in records[one].files and one < window.day][:FIRST_DAYS]
    if len(early) < 2:
        return {}
    files = [path for one in (*early, window.day) for path in records[one].files["scores"]]
    found = store.query(
        "SELECT grp, day, exp(median(ln(efficiency))) AS level FROM {files} WHERE session = 0 "
        f"AND plan = {literal(window.plan)} AND efficiency > 0 AND grp != '' GROUP BY grp, day ORDER BY grp, day",
        files,
    )
    levels: dict[str, list[tuple[str, float]]] = {}
    for group, day, level in zip(found["grp"], found["day"], found["level"], strict=True):
        levels.setdefault(str(group), []).append((str(day), float(np.log(level))))
    return {group: size for group, days in levels.items() if (size := _size(days, window.day)) is not None}


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
