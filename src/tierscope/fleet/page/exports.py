"""A fleet for other programs: an OpenMetrics text file for the node exporter's collector, and an SQLite file."""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from tierscope.files import write_atomically
from tierscope.fleet.page import Fleet
from tierscope.printable import printable

TABLES = {
    "machines": "host TEXT, machine TEXT, grp TEXT, score REAL, verdict TEXT, "
    "slower REAL, slower_low REAL, slower_high REAL",
    "history": "machine TEXT, day TEXT, score REAL",
    "failed": "host TEXT, reason TEXT",
}


def openmetrics(fleet: Fleet, path: Path) -> None:
    """Write a gauge per machine against its peers, one per verdict, and the coverage."""
    write_atomically(path, ("\n".join([*_gauges(fleet), "# EOF"]) + "\n").encode())


def _gauges(fleet: Fleet) -> Iterator[str]:
    found = fleet.outliers
    yield "# TYPE tierscope_fleet_deviation gauge"
    yield "# HELP tierscope_fleet_deviation Mean logarithm against the peers; below 0 is slower."
    for one in fleet.machines:
        if one.machine in found.scores:
            labels = f"{_label('host', one.host)},{_label('group', one.group)}"
            yield f"tierscope_fleet_deviation{{{labels}}} {found.scores[one.machine]!r}"
    yield "# TYPE tierscope_fleet_suspect gauge"
    yield "# HELP tierscope_fleet_suspect Share by which a suspect is slower, with its verdict."
    for suspect in found.suspects:
        labels = f"{_label('host', suspect.host)},{_label('verdict', suspect.verdict)}"
        yield f"tierscope_fleet_suspect{{{labels}}} {suspect.slower.value!r}"
    for name, text, value in (
        ("answered", "Machines that answered.", found.machines),
        ("unanswered", "Hosts of the last session that did not answer.", len(fleet.failed)),
        ("wrong_answers", "Machines whose kernels left wrong bytes.", len(found.wrong)),
    ):
        yield f"# TYPE tierscope_fleet_{name} gauge"
        yield f"# HELP tierscope_fleet_{name} {text}"
        yield f"tierscope_fleet_{name} {value}"


def _label(name: str, value: str) -> str:
    text = printable(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'{name}="{text}"'


def sqlite(fleet: Fleet, path: Path) -> None:
    """Write the tables `machines`, `history` and `failed`; a file of this name is replaced."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    known = {one.machine: one for one in fleet.outliers.suspects}
    with sqlite3.connect(part) as made:
        for name, columns in TABLES.items():
            made.execute(f"CREATE TABLE {name} ({columns})")
        for one in fleet.machines:
            suspect = known.get(one.machine)
            slower = (suspect.slower.value, suspect.slower.low, suspect.slower.high) if suspect else (None,) * 3
            row = (*one, fleet.outliers.scores.get(one.machine), suspect.verdict if suspect else "", *slower)
            made.execute("INSERT INTO machines VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        past = ((machine, day, score) for machine, rows in fleet.past.items() for day, score in rows)
        made.executemany("INSERT INTO history VALUES (?, ?, ?)", past)
        made.executemany("INSERT INTO failed VALUES (?, ?)", fleet.failed.items())
    made.close()
    part.replace(path)
