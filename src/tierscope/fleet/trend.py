"""`fleet trend`: which hosts departed from their peers, since when, by how much, and what changed on them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tierscope.errors import ResultError
from tierscope.fleet.fold import collect
from tierscope.fleet.levels import levels
from tierscope.fleet.outliers_result import Listed, size_of
from tierscope.fleet.outliers_text import many
from tierscope.fleet.own_past import own_past
from tierscope.fleet.plan_choice import chosen
from tierscope.fleet.store import DayRecord, Store, literal
from tierscope.fleet.trend_cusum import BASELINE, Alarm, alarms, followed
from tierscope.fleet.trend_facts import changed_facts, facts_of_most
from tierscope.fleet.trend_result import GroupChange, HostChange, Trend
from tierscope.fleet.window import days_of, most_frequent

FEW = 3  # repeats of one night that replace a week


def trend(directory: Path, plan: str | None = None) -> Trend:
    """Return every change in the stored days; new reports are folded first. ResultError without any report.

    plan: the name of a plan that was run, or its digest; by default the one that most hosts ran on the last day.
    """
    collect(directory)
    return stored_trend(directory, chosen(directory, plan) if plan else None)


def stored_trend(directory: Path, plan: str | None = None) -> Trend:
    """Return every change in the days that are folded. ResultError without any report. plan: the digest of one."""
    with Store(directory) as store:
        records = {day: one for day, one in store.days().items() if "scores" in one.files}
        if not records:
            raise ResultError(f"{directory} has no usable reports; run tierscope fleet run or tierscope fleet imagine")
        own = plan or most_frequent(store, records[max(records)])
        days = days_of(store, records, own)
        if not days:
            raise ResultError(f"{directory} has no first session of the plan {plan or own}; name another with --plan")
        return _trend(store, {day: records[day] for day in days}, own, others=len(records) - len(days))


def _trend(store: Store, records: dict[str, DayRecord], plan: str, others: int) -> Trend:
    days = [*records]
    table = Table(store, records, plan)
    known = int(followed(table.residuals).sum())
    changes = [_change(store, records, table, one) for one in alarms(table.residuals, table.repeats)]
    return Trend(
        first=days[0], last=days[-1], days=len(days), plan=plan, machines=len(table.machines), followed=known,
        changes=tuple(sorted(changes, key=lambda one: (one.state, -one.slower.value))),
        groups=tuple(_groups(store, records, plan)), listed=tuple(_listed(table, known, others)),
    )  # fmt: skip


def _listed(table: "Table", known: int, others: int) -> Iterator[Listed]:
    """Yield what limits the answer."""
    every = len(table.machines)
    if known < every:
        yield Listed(f"{every - known} of {every} hosts",
                     f"a baseline needs {BASELINE} days; no change can be found before")  # fmt: skip
    if alone := int(table.alone.sum()):
        yield Listed(f"{alone} of {every} hosts", "too few hosts are like them: each is compared with its own past")
    if others:
        yield Listed(many(others, "day"), "with reports of other plans alone; --plan names another plan")


class Table:
    """Scores as (days, machines): first sessions, and the mean of a day's repeats where it has enough.

    A year of many hosts has millions of sessions, so texts stay in the store, and numbers alone are read. alone:
    machines that had too few peers in their last session; their scores are against their own past.
    """

    def __init__(self, store: Store, records: dict[str, DayRecord], plan: str) -> None:
        files = [path for one in records.values() for path in one.files["scores"]]
        where = f"FROM {{files}} WHERE plan = {literal(plan)}"
        names = store.query(
            "SELECT machine_key, arg_max(machine, day) AS machine, arg_max(host, day) AS host, "
            f"arg_max(grp, day) = '' AS alone {where} AND session = 0 GROUP BY machine_key ORDER BY machine_key",
            files,
        )
        self.machines, self.host = names["machine"], names["host"]
        self.alone = np.asarray(names["alone"], dtype=bool)
        self._keys, self._days = names["machine_key"], np.array([*records], dtype="datetime64[D]")
        shape = (len(records), len(self.machines))
        self.residuals, self._total, self._count = np.full(shape, np.nan), np.zeros(shape), np.zeros(shape)
        self._fill(store.query(f"SELECT machine_key, day::DATE AS day, session, score {where}", files), ~self.alone)
        if self.alone.any():
            self._fill(own_past(store, plan, self._keys[self.alone].tolist()), self.alone)
        self.repeats = np.where(self._count >= FEW, self._total / np.maximum(self._count, 1), np.nan)

    def _fill(self, found: dict[str, Any], wanted: npt.NDArray[np.bool_]) -> None:
        """Place the sessions of the machines that are wanted."""
        machine = np.searchsorted(self._keys, found["machine_key"]).clip(max=len(self._keys) - 1)
        day = np.searchsorted(self._days, found["day"].astype("datetime64[D]")).clip(max=len(self._days) - 1)
        score = np.ma.filled(np.ma.asarray(found["score"], dtype=np.float64), np.nan)
        there = (self._keys[machine] == found["machine_key"]) & wanted[machine] & ~np.isnan(score)
        first, more = there & (found["session"] == 0), there & (found["session"] > 0)
        self.residuals[day[first], machine[first]] = score[first]
        np.add.at(self._total, (day[more], machine[more]), score[more])
        np.add.at(self._count, (day[more], machine[more]), 1)


def _change(store: Store, records: dict[str, DayRecord], table: Table, one: Alarm) -> HostChange:
    days, machine = [*records], str(table.machines[one.series])
    return HostChange(
        host=str(table.host[one.series]),
        machine=machine,
        metric="all",
        against="its own past" if table.alone[one.series] else "its peers",
        day=days[one.day],
        seen=days[one.seen],
        slower=size_of(one.change, one.half),
        state="confirmed" if one.confirmed else "waiting",
        facts=tuple(changed_facts(store, records, machine, days[one.day])),
    )


def _groups(store: Store, records: dict[str, DayRecord], plan: str) -> Iterator[GroupChange]:
    """Yield the groups whose level, the median of all hosts, changed: what no peer can show."""
    days = [*records]
    for name, found in sorted(levels(store, records, plan).items()):
        level = np.array([[found.days.get(day, np.nan)] for day in days])
        for alarm in alarms(level):
            day = days[alarm.day]
            yield GroupChange(group=name, metric=found.metric, day=day, slower=size_of(alarm.change, alarm.half),
                              facts=tuple(facts_of_most(store, records, name, day)))  # fmt: skip
