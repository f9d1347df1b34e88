"""The level of each group by day, all of its hosts together: what no comparison with peers can show.

A group has the hosts of its last day, whatever their kernel or BIOS was before. So an update of all of them, from which
on the group has another name, cannot hide that they became slower. A fleet that was slow from its first day on,
without another group of its family, is not noticed.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tierscope.fleet import groups
from tierscope.fleet.outliers_result import Size, size_of
from tierscope.fleet.store import DayRecord, Store, literal
from tierscope.fleet.window import Window, days_of

FIRST_DAYS = 7
LEAST = 0.02
LEAST_HOSTS = groups.LEAST  # smaller groups are compared with hosts outside of them, one by one
MEMBERS = """
SELECT machine_key, grp FROM {last} WHERE session = 0 AND plan = {plan} AND grp != ''
QUALIFY count(*) OVER (PARTITION BY grp) >= {least}
"""
EFFICIENT = """
WITH members AS ({members})
SELECT members.grp AS grp, day, median(ln(efficiency)) AS level FROM {{files}} AS one JOIN members USING (machine_key)
WHERE session = 0 AND plan = {plan} AND efficiency > 0 AND NOT isnan(efficiency) GROUP BY members.grp, day
"""
MEAN = """
WITH members AS ({members}),
kinds AS (SELECT *, split_part(grp, ' dimms=', 1) AS kind FROM {peers} WHERE plan = {plan}),
total AS (SELECT kind, count(DISTINCT (grp, day)) AS days FROM kinds GROUP BY kind),
shared AS (SELECT kind, metric FROM kinds JOIN total USING (kind) GROUP BY kind, metric, days HAVING count(*) = days),
peer AS (SELECT grp, day, avg(median_log) AS level FROM kinds JOIN shared USING (kind, metric) GROUP BY grp, day)
SELECT members.grp AS grp, one.day AS day, median(score + level) AS level FROM {{files}} AS one
JOIN members USING (machine_key) JOIN peer ON one.grp = peer.grp AND one.day = peer.day
WHERE session = 0 AND one.plan = {plan} AND NOT isnan(score) GROUP BY members.grp, one.day
"""


class Level(NamedTuple):
    """Logarithm of a group's level by day, and what it is: its efficiency, or its metrics where no peak is known."""

    metric: str
    days: dict[str, float]


def levels(store: Store, records: Mapping[str, DayRecord], plan: str) -> dict[str, Level]:
    """Return the level of each group of the last of these days, of its hosts' first sessions; above 0 is faster.

    With a peak it is the median efficiency. Without one, as in virtual machines, it is the median over the hosts of
    the mean over those metrics that all of these days have for all groups of a SKU and family.
    """
    last = store.source(records[max(records)].files.get("scores", ()))
    words = {"plan": literal(plan), "members": MEMBERS.format(last=last, plan=literal(plan), least=LEAST_HOSTS)}
    scores = list(_files(records.values(), "scores"))
    found = {name: Level("efficiency", days) for name, days in _by_group(store, EFFICIENT.format(**words), scores)}
    if peers := list(_files(records.values(), "peers")):
        mean = MEAN.format(peers=store.source(peers), **words)
        for name, days in _by_group(store, mean, scores):
            found.setdefault(name, Level("mean of all metrics", days))
    return found


def against_first_days(store: Store, records: Mapping[str, DayRecord], window: Window) -> dict[str, Size]:
    """Return the groups that are surely slower than in the first seven days of the plan: group -> size.

    The noise is that of the group's level from day to day; two days at least are needed at the start.
    """
    before = {day: one for day, one in records.items() if "scores" in one.files and day < window.day}
    early = days_of(store, before, window.plan)[:FIRST_DAYS]
    if len(early) < 2:
        return {}
    found = levels(store, {one: records[one] for one in (*early, window.day)}, window.plan)
    sizes = {group: _size(level.days, window.day) for group, level in found.items()}
    return {group: size for group, size in sizes.items() if size is not None}


def _files(records: Iterable[DayRecord], table: str) -> Iterable[str]:
    for one in records:
        yield from one.files.get(table, ())


def _by_group(store: Store, ask: str, files: list[str]) -> Iterable[tuple[str, dict[str, float]]]:
    rows: dict[str, Any] = store.query(ask, files)
    found: dict[str, dict[str, float]] = {}
    for group, day, level in sorted(zip(*(rows[one].tolist() for one in ("grp", "day", "level")), strict=True)):
        found.setdefault(str(group), {})[str(day)] = float(level)
    return found.items()


def _size(days: Mapping[str, float], today: str) -> Size | None:
    before = np.array([level for day, level in days.items() if day != today])
    if len(before) < 2 or today not in days:
        return None
    half = 3 * max(float(before.std(ddof=1)), 1e-4) * np.sqrt(1 + 1 / len(before))
    change = days[today] - float(before.mean())
    if change + half > np.log1p(-LEAST):
        return None
    return size_of(change, half)
