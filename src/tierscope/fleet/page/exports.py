"""A fleet for other programs: an OpenMetrics text file for the node exporter's collector, and an SQLite file."""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from tierscope.files import write_atomically
from tierscope.fleet.outliers_result import Size
from tierscope.fleet.page import Fleet
from tierscope.printable import printable

TABLES = {
    "machines": "host TEXT, machine TEXT, grp TEXT, score REAL, verdict TEXT, "
    "slower REAL, slower_low REAL, slower_high REAL",
    "metrics": "host TEXT, machine TEXT, metric TEXT, slower REAL, slower_low REAL, slower_high REAL, "
    "spreads REAL, confirmed INTEGER",
    "groups": "grp TEXT, machines INTEGER, spread REAL, sees REAL, sees_one REAL, efficiency REAL",
    "changes": "host TEXT, machine TEXT, day TEXT, state TEXT, slower REAL, slower_low REAL, slower_high REAL, "
    "facts TEXT",
    "history": "machine TEXT, day TEXT, score REAL",
    "failed": "host TEXT, reason TEXT",
}
Series = Iterable[tuple[dict[str, str], float]]


class Family(NamedTuple):
    """One metric of OpenMetrics: the end of its name, what it means, and its series."""

    name: str
    help: str
    series: Series


def openmetrics(fleet: Fleet, path: Path) -> None:
    """Write a gauge per machine against its peers, one per suspect and group, and the coverage.

    No series has a time stamp, as the collector asks: the day of the reports is a gauge of its own.
    """
    lines = [line for family in _families(fleet) for line in _lines(family)]
    write_atomically(path, ("\n".join([*lines, "# EOF"]) + "\n").encode())


def _families(fleet: Fleet) -> Iterator[Family]:
    found = fleet.outliers
    day = datetime.fromisoformat(found.day).replace(tzinfo=UTC).timestamp()
    yield Family("day_timestamp_seconds", "Day of the reports, its begin in UTC.", [({}, day)])
    yield Family("deviation", "Mean logarithm against the peers; below 0 is slower.",
                 [({"host": one.host, "group": one.group}, found.scores[one.machine])
                  for one in fleet.machines if one.machine in found.scores])  # fmt: skip
    suspects = [({"host": one.host, "verdict": one.verdict}, one.slower.value) for one in found.suspects]
    yield Family("suspect", "Share by which a suspect is slower, with its verdict.", suspects)
    changes = {one.host: (one.day, one.slower.value) for one in fleet.trend.changes if one.state == "confirmed"}
    yield Family("change", "Share by which a machine became slower against its peers, with the first slow day.",
                 [({"host": host, "since": since}, value) for host, (since, value) in changes.items()])  # fmt: skip
    yield Family("group_machines", "Machines of a group.", [({"group": g.name}, g.machines) for g in found.groups])
    yield Family("group_spread", "Spread of healthy machines of a group.",
                 [({"group": g.name}, g.spread) for g in found.groups])  # fmt: skip
    yield Family("group_detectable", "Smallest slowdown that this run can see, of all metrics or of one.",
                 [({"group": g.name, "metrics": word}, value) for g in found.groups
                  for word, value in (("all", g.sees), ("one", g.sees_one))])  # fmt: skip
    yield Family("group_efficiency", "Median of bandwidth / (populated channels x configured clock).",
                 [({"group": g.name}, g.efficiency) for g in found.groups if g.efficiency is not None])  # fmt: skip
    yield Family("answered", "Machines that answered.", [({}, found.machines)])
    yield Family("unanswered", "Hosts that did not answer in the first session of the day.", [({}, len(fleet.failed))])
    yield Family("wrong_answers", "Machines whose kernels left wrong bytes.", [({}, len(found.wrong))])


def _lines(family: Family) -> Iterator[str]:
    name = f"tierscope_fleet_{family.name}"
    yield f"# TYPE {name} gauge"
    yield f"# HELP {name} {family.help}"
    if name.endswith("_seconds"):
        yield f"# UNIT {name} seconds"
    seen = set()
    for labels, value in family.series:
        text = ",".join(map(_label, labels, labels.values()))
        if text not in seen:  # two machines of one name would be one series twice, which Prometheus refuses
            seen.add(text)
            yield f"{name}{{{text}}} {value!r}" if text else f"{name} {value!r}"


def _label(name: str, value: str) -> str:
    text = printable(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'{name}="{text}"'


def sqlite(fleet: Fleet, path: Path) -> None:
    """Write the tables of TABLES; a file of this name is replaced."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    with sqlite3.connect(part) as made:
        for name, columns in TABLES.items():
            made.execute(f"CREATE TABLE {name} ({columns})")
            marks = ", ".join("?" * (columns.count(",") + 1))
            made.executemany(f"INSERT INTO {name} VALUES ({marks})", _rows(fleet, name))
    made.close()
    part.replace(path)


def _rows(fleet: Fleet, table: str) -> Iterable[tuple[object, ...]]:
    found = fleet.outliers
    if table == "machines":
        return _machines(fleet)
    if table == "metrics":
        return ((one.host, one.machine, m.metric, *_size(m.slower), m.spreads, m.confirmed)
                for one in found.suspects for m in one.metrics)  # fmt: skip
    if table == "groups":
        return ((one.name, one.machines, one.spread, one.sees, one.sees_one, one.efficiency) for one in found.groups)
    if table == "changes":
        return ((one.host, one.machine, one.day, one.state, *_size(one.slower),
                 "; ".join(f"{fact.fact}: {fact.before} to {fact.after}" for fact in one.facts))
                for one in fleet.trend.changes)  # fmt: skip
    if table == "history":
        return ((machine, day, score) for machine, rows in fleet.past.items() for day, score in rows)
    return fleet.failed.items()


def _machines(fleet: Fleet) -> Iterator[tuple[object, ...]]:
    known = {one.machine: one for one in fleet.outliers.suspects}
    for one in fleet.machines:
        suspect = known.get(one.machine)
        score, verdict = fleet.outliers.scores.get(one.machine), suspect.verdict if suspect else ""
        yield (*one, score, verdict, *(_size(suspect.slower) if suspect else (None,) * 3))


def _size(size: Size) -> tuple[float, float, float]:
    return size.value, size.low, size.high
