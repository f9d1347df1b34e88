"""`fleet trend`: which hosts departed from their peers, since when, by how much, and what changed on them."""

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import msgspec
import numpy as np

from tierscope.errors import ResultError
from tierscope.fleet.efficiency import levels
from tierscope.fleet.fold import collect
from tierscope.fleet.outliers_result import Listed, size_of
from tierscope.fleet.store import DayRecord, Store, literal
from tierscope.fleet.trend_cusum import BASELINE, Alarm, alarms
from tierscope.fleet.trend_result import FactChange, GroupChange, HostChange, Trend

FEW = 3  # repeats of one night that replace a week
MOMENTARY = {"load_1min", "steal", "clock_offset_s"}  # different on each day: no change of the host
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
    plans = store.query("SELECT plan, count(*) AS n FROM {files} GROUP BY plan ORDER BY n DESC, plan", files)
    plan = str(plans["plan"][0])
    table = Table(store, files, days, plan)
    found = alarms(table.residuals, table.repeats)
    listed = (
        []
        if len(days) > BASELINE
        else [Listed(f"{len(days)} days", f"a baseline needs {BASELINE} days; no change can be found before")]
    )
    if other := int(plans["n"][1:].sum()):
        listed.append(Listed(f"{other} sessions", "of other plans than the most frequent one are left out"))
    changes = [_change(store, records, table, one) for one in found]
    return Trend(
        first=days[0], last=days[-1], days=len(days), machines=len(table.machines),
        changes=tuple(sorted(changes, key=lambda one: (one.state, -one.slower.value))),
        groups=tuple(_groups(store, records, plan)), listed=tuple(listed),
    )  # fmt: skip


class Table:
    """Scores as (days, machines): first sessions, and the mean of a day's repeats where it has enough.

    A year of many hosts has millions of sessions, so texts stay in the store, and numbers alone are read.
    """

    def __init__(self, store: Store, files: list[str], days: list[str], plan: str) -> None:
        where = f"FROM {{files}} WHERE plan = {literal(plan)}"
        names = store.query(
            "SELECT machine_key, arg_max(machine, day) AS machine, arg_max(host, day) AS host "
            f"{where} GROUP BY machine_key ORDER BY machine_key",
            files,
        )
        self.machines, self.host = names["machine"], names["host"]
        found = store.query(
            f"SELECT machine_key, date_diff('day', DATE '{days[0]}', day::DATE)::INTEGER AS at, session, score {where}",
            files,
        )
        begin = date.fromisoformat(days[0])
        offsets = np.array([(date.fromisoformat(day) - begin).days for day in days])
        day = np.searchsorted(offsets, found["at"])
        machine = np.searchsorted(names["machine_key"], found["machine_key"])
        score, first = np.ma.filled(np.ma.asarray(found["score"], dtype=np.float64), np.nan), found["session"] == 0
        shape = (len(days), len(self.machines))
        self.residuals = np.full(shape, np.nan)
        self.residuals[day[first], machine[first]] = score[first]
        total, count = np.zeros(shape), np.zeros(shape)
        more = ~first & ~np.isnan(score)
        np.add.at(total, (day[more], machine[more]), score[more])
        np.add.at(count, (day[more], machine[more]), 1)
        self.repeats = np.where(count >= FEW, total / np.maximum(count, 1), np.nan)


def _change(store: Store, records: dict[str, DayRecord], table: Table, one: Alarm) -> HostChange:
    days, machine = [*records], str(table.machines[one.series])
    return HostChange(
        host=str(table.host[one.series]),
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
        for name in sorted({*before, *after} - MOMENTARY):
            if before.get(name, "") != after.get(name, ""):
                yield FactChange(name, before.get(name, ""), after.get(name, ""), str(when))


def _groups(store: Store, records: dict[str, DayRecord], plan: str) -> Iterator[GroupChange]:
    """Yield the groups whose level, the median of all hosts, changed: what no peer can show."""
    days = [*records]
    for name, found in sorted(levels(store, records, plan).items()):
        level = np.array([[found.days.get(day, np.nan)] for day in days])
        for alarm in alarms(level):
            yield GroupChange(group=name, metric=found.metric, day=days[alarm.day],
                              slower=size_of(alarm.change, alarm.half), facts=())  # fmt: skip
