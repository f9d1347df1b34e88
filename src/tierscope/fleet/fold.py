"""`fleet collect`: the reports of each day become rows, scores and statistics of peers, in one atomic step per day.

deviation = log(value) - median over the peers of the first sessions of that day, signed so that above 0 is faster.
The score of a session is the mean deviation of its metrics.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from tierscope.errors import ResultError
from tierscope.fleet.fold_read import read_day
from tierscope.fleet.folder import BEGUN, REPORTS
from tierscope.fleet.groups import LEAST, grouped
from tierscope.fleet.host_report import HostReport
from tierscope.fleet.known import mean_and_count
from tierscope.fleet.outliers_result import Listed
from tierscope.fleet.store import SCHEMA, DayRecord, Store
from tierscope.printable import printable
from tierscope.stats.median import MAD_SIGMA

SHOWN = 10  # hosts that one line names
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True)
class Folded:
    """The result of a call of `collect`."""

    days: tuple[DayRecord, ...]
    new: int


def collect(directory: Path) -> Folded:
    """Fold every day whose reports are new or changed; ResultError without a whole directory of reports."""
    folder = directory / REPORTS
    if not folder.is_dir():
        raise ResultError(f"{folder} is missing; run tierscope fleet run or tierscope fleet imagine first")
    if (directory / BEGUN).exists():
        raise ResultError(f"{directory} is an imagined fleet that was not finished; remove it, and imagine it again")
    with Store(directory) as store:
        before, new = store.days(), 0
        for one in sorted(entry.name for entry in os.scandir(folder) if is_day(entry.name) and entry.is_dir()):
            digest = _digest(folder / one)
            if one in before and before[one].digest == digest and before[one].schema == SCHEMA:
                continue
            last = max((day for day in before if day < one), default="")
            record = _fold(store, folder / one, digest, before.get(last))
            if one in before:
                kept = {path for paths in record.files.values() for path in paths}
                store.forget(path for paths in before[one].files.values() for path in paths if path not in kept)
            before[one], new = record, new + 1
        return Folded(tuple(before[day] for day in sorted(before)), new)


def is_day(name: str) -> bool:
    """Return whether a name is a date of the calendar, as `2026-01-09`."""
    try:
        return DAY.fullmatch(name) is not None and date.fromisoformat(name).isoformat() == name
    except ValueError:
        return False


def _digest(folder: Path) -> str:
    """Return the digest of the names, sizes and times of the reports: a day that is as it was is not read again."""
    found = hashlib.sha256(f"schema {SCHEMA}".encode())
    for entry in sorted(os.scandir(folder), key=lambda one: one.name):
        if entry.name.endswith(".json"):
            facts = entry.stat(follow_symlinks=False)
            found.update(f"{entry.name}\0{facts.st_size}\0{facts.st_mtime_ns}\n".encode(errors="surrogateescape"))
    return found.hexdigest()[:24]


def _fold(store: Store, folder: Path, digest: str, last: DayRecord | None) -> DayRecord:
    cloned = set(last.cloned if last else ())
    reports, listed = read_day(folder, cloned)
    listed += _against(store, reports, last)
    if not reports:
        listed.append(Listed(folder.name, "no usable report"))
    files: dict[str, tuple[str, ...]] = {}
    if reports:
        table = Table(reports)
        listed += table.alone()
        files["rows"] = tuple(_write_rows(store, table, folder.name, digest))
        files["scores"] = (f"scores/day={folder.name}/part-{digest}.parquet",)
        store.write(files["scores"][0], table.scores(), "machine, session")
        if peers := table.peers():
            files["peers"] = (f"peers/day={folder.name}/part-{digest}.parquet",)
            store.write(files["peers"][0], peers, "grp, metric")
    record = DayRecord(schema=SCHEMA, day=folder.name, digest=digest, reports=len(reports), files=files,
                       listed=tuple(listed), cloned=tuple(sorted(cloned)))  # fmt: skip
    store.keep(record)
    return record


def _write_rows(store: Store, table: "Table", day: str, digest: str) -> Iterator[str]:
    columns, sku = table.rows()
    for name in sorted(set(sku.tolist())):
        folder = re.sub(r"[^A-Za-z0-9_.-]", "_", name)[:80] + "-" + hashlib.sha256(name.encode()).hexdigest()[:8]
        path = f"rows/day={day}/sku={folder}/part-{digest}.parquet"
        store.write(path, {key: column[sku == name] for key, column in columns.items()}, "metric, machine, session")
        yield path


def _against(store: Store, reports: list[HostReport], last: DayRecord | None) -> Iterator[Listed]:
    """Yield what changed since the day before: renamed hosts, another plan, hosts that do not answer."""
    if last is None or "scores" not in last.files:
        return
    old = store.query("SELECT host, machine, plan FROM {files} WHERE session = 0", last.files["scores"])
    names = dict(zip(old["machine"].tolist(), old["host"].tolist(), strict=True))
    for report in reports:
        before = names.get(report.machine, report.host)
        if before != report.host and report.session == 0:
            yield Listed(printable(report.host), f"was named {printable(before)} on {last.day}; the same machine")
    hosts = {
        report.host for report in reports
    }  # by name too: a machine has another identity once it is known as a clone
    silent = sorted(set(names) - {report.machine for report in reports})
    for machine in silent:
        if names[machine] in hosts:
            continue
        yield Listed(printable(names[machine]), f"answered on {last.day}, and not on this day")
    plans = {report.plan for report in reports}
    if reports and not plans & set(old["plan"].tolist()):
        yield Listed(reports[0].day, f"the plan changed since {last.day}; numbers of two plans are not compared")


def key64(text: str) -> int:
    """Return a number of 63 bits for a name, by which queries group faster than by text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


class Table:
    """The reports of one day as columns. A group is of one plan: plans are never compared."""

    def __init__(self, reports: list[HostReport]) -> None:
        self.reports = reports
        self._metrics = sorted({one.metric for report in reports for one in report.numbers})
        place = {name: number for number, name in enumerate(self._metrics)}
        self._logs = np.full((len(reports), len(self._metrics)), np.nan)
        for row, report in enumerate(reports):
            for one in report.numbers:
                self._logs[row, place[one.metric]] = np.log(one.value) * (1 if one.better == "higher" else -1)
        self.group = [""] * len(reports)
        self._median: dict[str, Any] = {}
        for plan in sorted({report.plan for report in reports}):
            self._of_plan(plan)
        none = np.full(len(self._metrics), np.nan)
        centre = np.array([self._median[name][0] if name else none for name in self.group])
        self.deviation = self._logs - centre

    def _of_plan(self, plan: str) -> None:
        """Group the hosts by their first session; further sessions belong to the group of their machine."""
        first = [place for place, one in enumerate(self.reports) if one.plan == plan and one.session == 0]
        names, members = grouped([self.reports[place].facts for place in first])
        for name, places in members.items():
            logs = self._logs[[first[place] for place in places]]
            known = ~np.all(np.isnan(logs), axis=0)
            median, mad = np.full((2, logs.shape[1]), np.nan)
            median[known] = np.nanmedian(logs[:, known], axis=0)
            mad[known] = MAD_SIGMA * np.nanmedian(np.abs(logs[:, known] - median[known]), axis=0)
            self._median[f"{plan} {name}"] = (median, mad, np.sum(~np.isnan(logs), axis=0), plan)
        own = {self.reports[place].machine: name for place, name in zip(first, names, strict=True)}
        for place, report in enumerate(self.reports):
            if report.plan == plan and own.get(report.machine):
                self.group[place] = f"{plan} {own[report.machine]}"

    def alone(self) -> Iterator[Listed]:
        """Yield one line for the machines without enough peers."""
        grouped = zip(self.reports, self.group, strict=True)
        hosts = sorted({report.host for report, group in grouped if not group and report.session == 0})
        if hosts:
            shown = ", ".join(map(printable, hosts[:SHOWN])) + (", ..." if len(hosts) > SHOWN else "")
            every = len({one.host for one in self.reports})
            yield Listed(f"{len(hosts)} of {every} hosts", f"fewer than {LEAST} machines are like each; "
                         f"fleet trend compares each with its own past: {shown}")  # fmt: skip

    def rows(self) -> tuple[dict[str, Any], Any]:
        """Return the columns of all numbers, and the SKU of each."""
        many = [(place, one) for place, report in enumerate(self.reports) for one in report.numbers]
        host = np.array([place for place, _ in many], dtype=np.intp)
        place_of = {name: number for number, name in enumerate(self._metrics)}
        metric = np.array([place_of[one.metric] for _, one in many], dtype=np.intp)

        def of_host(values: list[Any], kind: Any = object) -> Any:
            return np.array(values, dtype=kind)[host]

        columns = {
            "day": of_host([one.day for one in self.reports]),
            "host": of_host([one.host for one in self.reports]),
            "machine": of_host([one.machine for one in self.reports]),
            "machine_key": of_host([key64(one.machine) for one in self.reports], np.int64),
            "plan": of_host([one.plan for one in self.reports]),
            "session": of_host([one.session for one in self.reports], np.int8),
            "metric": np.array(self._metrics, dtype=object)[metric],
            "metric_key": np.array([key64(name) for name in self._metrics], dtype=np.int64)[metric],
            "unit": np.array([one.unit for _, one in many], dtype=object),
            "lower_is_better": np.array([one.better == "lower" for _, one in many]),
            "value": np.array([one.value for _, one in many], dtype=np.float32),
            "low": np.array([one.low for _, one in many], dtype=np.float32),
            "high": np.array([one.high for _, one in many], dtype=np.float32),
            "blocks": np.array([one.blocks for _, one in many], dtype=np.int64),
            "conclusive": np.array([one.conclusive for _, one in many]),
            "deviation": self.deviation[host, metric].astype(np.float32),
        }
        return columns, of_host([one.facts.get("sku", "unknown") for one in self.reports])

    def scores(self) -> dict[str, Any]:
        """Return one line for each session of each host."""
        mean, count = mean_and_count(self.deviation, 1)
        reports = self.reports
        return {
            "day": np.array([one.day for one in reports], dtype=object),
            "host": np.array([one.host for one in reports], dtype=object),
            "machine": np.array([one.machine for one in reports], dtype=object),
            "machine_key": np.array([key64(one.machine) for one in reports], dtype=np.int64),
            "plan": np.array([one.plan for one in reports], dtype=object),
            "session": np.array([one.session for one in reports], dtype=np.int8),
            "at": np.array([one.at for one in reports]),
            "grp": np.array(self.group, dtype=object),
            "score": mean,
            "metrics": count.astype(np.int32),
            "efficiency": np.array([efficiency(one) for one in reports]),
            "wrong": np.array([one.wrong_answers for one in reports], dtype=np.int64),
            "tierscope": np.array([one.tierscope for one in reports], dtype=object),
            "origin": np.array([one.origin for one in reports], dtype=object),
            "facts": np.array([msgspec.json.encode(one.facts).decode() for one in reports], dtype=object),
        }

    def peers(self) -> dict[str, Any]:
        """Return one line for each group and metric; empty without groups."""
        found = [
            (name, plan, metric, *line)
            for name, (median, mad, count, plan) in self._median.items()
            for metric, *line in zip(self._metrics, median, mad, count, strict=True)
            if count[self._metrics.index(metric)]
        ]
        kinds = (object, object, object, np.float64, np.float64, np.int64)
        names = ("grp", "plan", "metric", "median_log", "spread", "machines")
        columns = list(zip(*found, strict=True))
        day = np.full(len(found), self.reports[0].day, dtype=object)
        return (
            {"day": day}
            | {name: np.array(column, dtype=kind) for name, column, kind in zip(names, columns, kinds, strict=False)}
            if found
            else {}
        )


def efficiency(report: HostReport) -> float:
    """Return the highest bandwidth / (populated channels x configured clock x 8 B); NaN where either is unknown."""
    rates = [one.value for one in report.numbers if one.unit == "B/s"]
    return max(rates) / report.peak_bytes_per_s if rates and report.peak_bytes_per_s else float("nan")
