"""`fleet trend`: which hosts departed from their peers, since when, by how much, and what changed on them."""

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from tierscope.errors import ResultError
from tierscope.fleet.fold import collect
from tierscope.fleet.known import Floats
from tierscope.fleet.outliers_result import Listed, size_of
from tierscope.fleet.store import DayRecord, Store, literal
from tierscope.fleet.trend_cusum import BASELINE, Alarm, alarms
from tierscope.fleet.trend_result import FactChange, GroupChange, HostChange, Trend

FEW = 3  # repeats of one night that replace a week
NEAR = timedelta(days=3)  # a fact that changed so close to the date is named


def trend(directory: Path) -> Trend:
    """Return every change in the stored days; new reports are folded first. ResultError without any report."""
    collect(directory)
    return stored_trend(directory)


def stored_trend(directory: Path) -> Trend:
    """Return every change in the days that are folded. ResultError without any report."""
    with Store(directory) as store:
        records = {day: one for day, one in store.days().items() if "scores" in one.files}
        if not records:
            raise ResultError(f"{directory} has no usable reports; run tierscope fleet run or tierscope fleet imagine")
        return _trend(store, records)


def _trend(store: Store, records: dict[str, DayRecord]) -> Trend:
    days = [*records]
    files = [path for one in records.values() for path in one.files["scores"]]
    scores = store.query("SELECT day, machine, host, grp, plan, session, score, efficiency FROM {files}", files)
    plan = _common(scores["plan"])
    table = Table(scores, days, plan)
    found = alarms(table.residuals, table.repeats)
    listed = (
        []
        if len(days) > BASELINE
        else [Listed(f"{len(days)} days", f"a baseline needs {BASELINE} days; no change can be found before")]
    )
    other = int(np.sum(scores["plan"] != plan))
    if other:
        listed.append(Listed(f"{other} sessions", "of other plans than the most frequent one are left out"))
    changes = [_change(store, records, table, one) for one in found]
    return Trend(
        first=days[0], last=days[-1], days=len(days), machines=len(table.machines),
        changes=tuple(sorted(changes, key=lambda one: (one.state, -one.slower.value))),
        groups=tuple(_groups(table, scores, days)), listed=tuple(listed),
    )  # fmt: skip


def _common(values: Any) -> str:
    names, count = np.unique(values.astype(str), return_counts=True)
    return str(names[count.argmax()])


class Table:
    """Scores as (days, machines): first sessions, and the mean of a day's repeats where it has enough."""

    def __init__(self, scores: dict[str, Any], days: list[str], plan: str) -> None:
        use = scores["plan"].astype(str) == plan
        self.plan = plan
        self.machines, machine = np.unique(scores["machine"][use].astype(str), return_inverse=True)
        day = np.searchsorted(np.array(days), scores["day"][use].astype(str))
        session, score = scores["session"][use], np.asarray(scores["score"][use], dtype=np.float64)
        self.host = dict(zip(scores["machine"][use].tolist(), scores["host"][use].tolist(), strict=True))
        shape = (len(days), len(self.machines))
        self.residuals = np.full(shape, np.nan)
        first = session == 0
        self.residuals[day[first], machine[first]] = score[first]
        total, count = np.zeros(shape), np.zeros(shape)
        more = ~first & ~np.isnan(score)
        np.add.at(total, (day[more], machine[more]), score[more])
        np.add.at(count, (day[more], machine[more]), 1)
        self.repeats = np.where(count >= FEW, total / np.maximum(count, 1), np.nan)


def _change(store: Store, records: dict[str, DayRecord], table: Table, one: Alarm) -> HostChange:
    days, machine = [*records], str(table.machines[one.series])
    return HostChange(
        host=str(table.host[machine]),
        machine=machine,
        metric="all",
        day=days[one.day],
        seen=days[one.seen],
        slower=size_of(one.change, one.half),
        state="confirmed" if one.confirmed else "waiting",
        facts=tuple(changed_facts(store, records, machine, days[one.day])),
    )


def changed_facts(store: Store, records: dict[str, DayRecord], machine: str, day: str) -> Iterator[FactChange]:
    """Yield the facts of a machine that changed within three days of a date."""
    middle = date.fromisoformat(day)
    near = [one for one in records if abs(date.fromisoformat(one) - middle) <= NEAR]
    found = store.query(
        f"SELECT day, facts FROM {{files}} WHERE machine = {literal(machine)} AND session = 0 ORDER BY day",
        [path for one in near for path in records[one].files["scores"]],
    )
    decoded = [msgspec.json.decode(text, type=dict[str, str]) for text in found["facts"].tolist()]
    for before, after, when in zip(decoded, decoded[1:], found["day"].tolist()[1:], strict=False):
        for name in sorted({*before, *after}):
            if before.get(name, "") != after.get(name, ""):
                yield FactChange(name, before.get(name, ""), after.get(name, ""), str(when))


def _groups(table: Table, scores: dict[str, Any], days: list[str]) -> Iterator[GroupChange]:
    """Yield the groups whose efficiency, the median of all hosts, changed: what no peer can show."""
    use = (scores["session"] == 0) & (scores["plan"].astype(str) == table.plan) & (scores["efficiency"] > 0)
    names, day = scores["grp"][use].astype(str), scores["day"][use].astype(str)
    logs = np.log(np.asarray(scores["efficiency"][use], dtype=np.float64))
    for name in sorted(set(names.tolist()) - {""}):
        level: Floats = np.full((len(days), 1), np.nan)
        for place, one in enumerate(days):
            chosen = logs[(names == name) & (day == one)]
            if len(chosen):
                level[place, 0] = np.median(chosen)
        for alarm in alarms(level):
            yield GroupChange(group=name, metric="efficiency", day=days[alarm.day],
                              slower=size_of(alarm.change, alarm.half), facts=())  # fmt: skip
