"""The input of the screen: the deviations of each machine from its peers, over the last days of one plan."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from tierscope.arrays import Floats, Integers
from tierscope.fleet.known import mean_of
from tierscope.fleet.store import DayRecord, Store, literal

DAYS = 7  # the mean of a week halves the suspects at equal power (docs/decisions/0047)
DECIMALS = 12  # of logarithms: the store adds with two threads, in any order, so digits beyond differ each time


@dataclass(frozen=True)
class Window:
    """One plan's machines on `day`, and their deviations; above 0 is faster than the peers.

    mean, last: (machines, metrics), over the days of the window and of its last day; count: days in the mean.
    noise: (metrics + 1,), standard deviation of one session around its machine's mean, the score last; NaN if unknown.
    """

    day: str
    days: int
    plan: str
    metrics: tuple[str, ...]
    host: tuple[str, ...]
    machine: tuple[str, ...]
    key: Integers
    group: npt.NDArray[np.object_]
    facts: tuple[dict[str, str], ...]
    efficiency: Floats
    mean: Floats
    last: Floats
    count: Floats
    noise: Floats
    metric_keys: Integers
    origins: frozenset[str] = field(default=frozenset())

    @property
    def score(self) -> Floats:
        """Return the mean deviation of each machine, over metrics and days."""
        return mean_of(self.mean)


def load(store: Store, records: dict[str, DayRecord], day: str, plan: str | None = None) -> Window | None:
    """Return the window that ends on a day; None if no host reported a first session of the plan on that day.

    plan: digest; by default that of the plan that most hosts ran.
    """
    own = plan or most_frequent(store, records[day])
    week = {one: records[one] for one in [one for one in sorted(records) if one <= day][-DAYS:]}
    used = [week[one] for one in days_of(store, week, own)]
    today = _today(store, records[day], own)
    if today is None:
        return None
    files = [path for record in used for path in record.files.get("rows", ())]
    where = f"WHERE session = 0 AND plan = {literal(today['plan'][0])}"
    found = store.query(
        "SELECT machine_key, metric_key, any_value(metric) AS metric, avg(deviation) AS mean, count(deviation) AS n, "
        f"var_samp(deviation) AS variance, max(CASE WHEN day = '{day}' THEN deviation END) AS last "
        f"FROM {{files}} {where} AND NOT isnan(deviation) GROUP BY machine_key, metric_key",
        files,
    )
    return _window(today, found, day, len(used), _score_noise(store, used, where))


def most_frequent(store: Store, record: DayRecord) -> str:
    """Return the plan that most hosts ran in their first sessions of a day, "" without any."""
    found = store.query(
        "SELECT plan FROM {files} WHERE session = 0 GROUP BY plan ORDER BY count(*) DESC, plan LIMIT 1",
        record.files.get("scores", ()),
    )
    return str(found["plan"][0]) if len(found["plan"]) else ""


def days_of(store: Store, records: Mapping[str, DayRecord], plan: str) -> list[str]:
    """Return the days on which a host ran a plan as its first session, in order."""
    files = [path for one in records.values() for path in one.files.get("scores", ())]
    ask = f"SELECT DISTINCT day FROM {{files}} WHERE plan = {literal(plan)} AND session = 0 ORDER BY day"
    return [str(day) for day in store.query(ask, files)["day"]] if files else []


def _today(store: Store, record: DayRecord, plan: str) -> dict[str, Any] | None:
    """Return the first sessions of a plan, in the order of their machines' keys."""
    found = store.query(
        f"SELECT * FROM {{files}} WHERE session = 0 AND plan = {literal(plan)} ORDER BY machine_key",
        record.files["scores"],
    )
    return found if len(found["host"]) else None


def _score_noise(store: Store, used: list[DayRecord], where: str) -> float:
    files = [path for record in used for path in record.files.get("scores", ())]
    found = store.query(
        "SELECT sqrt(avg(v)) AS noise FROM (SELECT var_samp(score) AS v FROM {files} "
        f"{where} AND NOT isnan(score) GROUP BY machine_key HAVING count(*) > 1)",
        files,
    )
    return round(_number(found["noise"][0]), DECIMALS)


def _number(value: Any) -> float:
    return float("nan") if value is None or np.ma.is_masked(value) else float(value)


def _window(today: dict[str, Any], found: dict[str, Any], day: str, days: int, score_noise: float) -> Window:
    key = np.asarray(today["machine_key"], dtype=np.int64)
    metric_keys, metric = np.unique(np.asarray(found["metric_key"], dtype=np.int64), return_inverse=True)
    row = np.searchsorted(key, np.asarray(found["machine_key"], dtype=np.int64))
    there = (row < len(key)) & (key[np.minimum(row, len(key) - 1)] == found["machine_key"])
    row, metric = row[there], metric[there]

    def table(name: str) -> Floats:
        values = np.round(np.ma.filled(np.ma.asarray(found[name], dtype=np.float64), np.nan)[there], DECIMALS)
        made = np.full((len(key), len(metric_keys)), np.nan)
        made[row, metric] = values
        return made

    names = dict(zip(found["metric_key"].tolist(), found["metric"].tolist(), strict=True))
    variance = table("variance")
    known = ~np.isnan(variance)
    pooled = np.where(known, variance, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    noise = np.where(known.any(axis=0), np.sqrt(pooled), np.nan)
    return Window(
        day=day, days=days, plan=str(today["plan"][0]),
        metrics=tuple(str(names[one]) for one in metric_keys.tolist()),
        host=tuple(today["host"].tolist()), machine=tuple(today["machine"].tolist()), key=key,
        group=np.asarray(today["grp"], dtype=object),
        facts=tuple(msgspec.json.decode(text, type=dict[str, str]) | {"tierscope": version}
                    for text, version in zip(today["facts"].tolist(), today["tierscope"].tolist(), strict=True)),
        efficiency=np.asarray(today["efficiency"], dtype=np.float64),
        mean=table("mean"), last=table("last"), count=np.nan_to_num(table("n")).max(axis=1, initial=0),
        noise=np.append(noise, score_noise), metric_keys=metric_keys,
        origins=frozenset(today["origin"].tolist()),
    )  # fmt: skip
