"""A table that no other file knows is found by compare, history and all exports; no list elsewhere leaves one out."""

import ast
import csv
import io
from pathlib import Path
from typing import Annotated, ClassVar

import msgspec
import pytest

from made import Maker, Teamwork, one_group
from said import say
from tierscope.compare.comparison import compare_runs, named_point
from tierscope.compare.history import history
from tierscope.compare.measures import measures
from tierscope.compare.rounds import compare_rounds
from tierscope.doctor.check import EVERY
from tierscope.errors import Exit
from tierscope.plans import suites
from tierscope.record.labels import Labels
from tierscope.record.result import Finding, Record, Run
from tierscope.report.content import gather, touching
from tierscope.report.formats import formats
from tierscope.tables import Insight, JudgedRow, Main, Row, Tables, tables
from tierscope.tables.measured import closing, measured, records
from tierscope.tables.rows import Col, Count, Rate, unflat
from tierscope.units import MiB

Colour = Annotated[str, Col("colour")]
Depth = Annotated[Count, Col("depth")]
Seat = Annotated[str, Col("seat", tier=True)]
Lookups = Annotated[Rate | None, Col("lookups")]


class BareRow(Row, frozen=True, kw_only=True):
    """One without a verdict."""

    colour: Colour
    depth: Depth
    seat_target: Seat
    lookups: Lookups


class NewcomerLabels(Labels, frozen=True, kw_only=True):
    """The labels of a point."""

    colour: str
    depth: int


class NewcomerRow(JudgedRow, frozen=True, kw_only=True):
    """A depth."""

    colour: Colour
    depth: Depth
    seat_target: Seat
    lookups: Lookups


class Newcomer:
    """Lookups of one thread, a rate that is better the more there is of it."""

    name: ClassVar[str] = "newcomer"
    title: ClassVar[str] = "Lookups"
    keys: ClassVar[tuple[str, ...]] = ("colour", "depth", "seat_target")
    main: ClassVar[tuple[Main, ...]] = (Main("lookups_per_s"),)
    row: ClassVar[type[Row]] = NewcomerRow

    def rows(self, run: Run) -> list[NewcomerRow]:
        return [_row(run, record) for record in records(run, self.name)]

    def insights(self, run: Run, rows: list[NewcomerRow]) -> list[Insight]:
        del run, rows
        return []


def _row(run: Run, record: Record) -> NewcomerRow:
    point, labels = measured(run, record), NewcomerLabels.read(record.experiment)
    return NewcomerRow(
        colour=labels.colour,
        depth=labels.depth,
        seat_target=record.groups[0].target,
        lookups=point.groups[0].interval,
        **closing(record, point),
    )


@pytest.fixture
def newcomer(monkeypatch: pytest.MonkeyPatch) -> None:
    known = dict(tables._entries) if "stream" in tables else {}
    monkeypatch.setattr(tables, "_entries", known)
    tables.add(Newcomer())


def made(folder: Path, times: float = 1.0, seed: int = 1995) -> Run:
    maker = Maker(folder, seed)
    for depth in (1, 2, 4):
        labels = NewcomerLabels(colour="red", depth=depth).stored()
        work = Teamwork((times * 1e6 / depth,), noise=0.002)
        maker.add("newcomer", labels, (one_group("read", (0,), 64 * MiB),), (work,))
    return maker.save("newcomer")


@pytest.fixture
def pair(newcomer: None, tmp_path: Path) -> tuple[Run, Run]:
    del newcomer
    return made(tmp_path / "a"), made(tmp_path / "b", 0.8, 7)


POINT = "red, depth 2, node:0"


def test_compare_finds_its_points_and_knows_that_less_is_slower(pair: tuple[Run, Run]) -> None:
    rows = compare_runs(*pair, least=0.02)
    assert {row["verdict"] for row in rows} == {"slower"}
    assert [row["depth"] for row in rows] == [1, 2, 4]
    assert all(row["ratio"] == pytest.approx(0.8, rel=0.01) for row in rows)
    assert {(row["table"], row["value"], row["unit"]) for row in rows} == {("newcomer", "lookups_per_s", "1/s")}
    assert named_point(rows[1]) == f"newcomer: {POINT}"


def test_compare_finds_a_table_without_a_verdict_and_a_number_of_blocks(
    pair: tuple[Run, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = [[unflat(BareRow, row) for row in tables["newcomer"].flat(run)] for run in pair]
    monkeypatch.setattr(Newcomer, "rows", lambda _table, run: bare[pair.index(run)])
    monkeypatch.setattr(Newcomer, "row", BareRow)
    assert {row["verdict"] for row in compare_runs(*pair, least=0.02)} == {"slower"}


def test_a_terminal_shows_it(pair: tuple[Run, Run], capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = say(capfd, "show", str(pair[0].path))
    assert status in (Exit.GOOD, Exit.INCONCLUSIVE)
    assert "Lookups" in out


def test_the_command_compares_it(pair: tuple[Run, Run], capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = say(capfd, "compare", str(pair[0].path), str(pair[1].path))
    assert status == Exit.FAILED
    assert "3 slower" in out


def test_rounds_find_it(pair: tuple[Run, Run]) -> None:
    rows = compare_rounds([pair, pair, pair], 0.02)
    assert {(row["table"], row["verdict"]) for row in rows} == {("newcomer", "slower")}


def test_history_finds_it(pair: tuple[Run, Run]) -> None:
    found = history(pair, 0.02)
    assert {(one.table, one.unit, one.less_is_better) for one in found.series} == {("newcomer", "1/s", False)}
    assert [one.point for one in found.series][1] == POINT


def test_the_command_reports_its_history(pair: tuple[Run, Run], capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = say(capfd, "history", *(str(run.path) for run in pair))
    assert status in (Exit.GOOD, Exit.INCONCLUSIVE)
    assert POINT in out


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_runs_side_by_side_show_it(form: str, pair: tuple[Run, Run]) -> None:
    text = formats.export(form).render(pair).decode()
    assert POINT in text
    assert "500 k/s" in text
    assert "400 k/s" in text


def test_csv_and_openmetrics_have_its_values(pair: tuple[Run, Run]) -> None:
    lines = list(csv.DictReader(io.StringIO(formats.export("csv").render(pair).decode())))
    told = [float(line["value"]) for line in lines if line["key"] == "lookups_per_s"]
    assert told == pytest.approx([1e6, 5e5, 2.5e5, 8e5, 4e5, 2e5], rel=0.01)
    samples = [
        line
        for line in formats.export("openmetrics").render(pair).decode().splitlines()
        if line.startswith("tierscope_newcomer_lookups_per_second{")
    ]
    assert len(samples) == 3  # of the newest run
    assert all('colour="red"' in line and 'depth="' in line and 'seat_target="node:0"' in line for line in samples)


def test_a_key_or_a_main_value_without_a_column_is_refused() -> None:
    class Wrong(Newcomer):
        keys: ClassVar[tuple[str, ...]] = ("color",)

    with pytest.raises(ValueError, match="table newcomer: color is not one of its columns"):
        Tables("table", "tierscope.tables").add(Wrong())


def test_every_table_has_the_labels_of_its_points() -> None:
    assert [name for name in tables if not tables[name].keys] == []
    assert {"stream", "imported bandwidth", "imported latency"} <= set(measures())


def test_a_report_shows_it_behind_what_is_asked_first(pair: tuple[Run, Run], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "newcomer" in gather(pair[0]).sections
    assert tables["stream"].place < tables["latency"].place < tables["newcomer"].place < tables["counters"].place
    monkeypatch.setattr(Newcomer, "place", 5, raising=False)
    assert tables["newcomer"].place < tables["stream"].place


NAMES = frozenset(name.replace(old, new) for name in (*tables, *suites) for old, new in ("-_", "_-"))
ALIKE = frozenset(
    {
        "threads",
        "latency",
        "imported",
        "policy",
        "blocks",
        "groups",
        "counters",
        "targets",
        "interleave",
        "storage",
        "sharing",
        "background",
        "check",
        "claims",
        "combining",
        "core",
        "cxl",
        "migration",
    }
)
"""Names of tables and suites that are also columns, origins, options, targets, parts of a method or programs; a list is
one of tables where it names others."""


def lists_of_tables(path: Path) -> list[tuple[str, set[str]]]:
    """(the name that a collection is given, its names of tables and suites) of each collection of a module.

    A word that is alone among others is not a name of a table.
    """
    found = []
    for statement in ast.parse(path.read_text()).body:
        target = getattr(statement, "target", None) or next(iter(getattr(statement, "targets", [])), None)
        for node in ast.walk(statement):
            parts = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
            words = {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
            named = words & NAMES
            if named - ALIKE and (len(named) > 1 or named == words):
                found.append((getattr(target, "id", getattr(statement, "name", "")), named))
    return found


def test_no_list_outside_the_suites_names_tables_or_suites(root: Path) -> None:
    package = root / "src/tierscope"
    files = [path for path in package.rglob("*.py") if path.relative_to(package).parts[0] != "suites"]
    assert len(files) > 400
    found = {
        (path.relative_to(package).as_posix(), name): named for path in files for name, named in lists_of_tables(path)
    }
    assert not found


def test_the_search_finds_a_list_of_tables(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        'KEYS = {"stream": ("kernel",), "latency": ()}\nMORE = ("flush",)\nAXES = ("threads", "blocks")\n'
        'SUITES = ["loaded-latency", "quick", 1]\nOPTIONS = ("stride", "size", "kernel")\n'
    )
    found = [("KEYS", {"stream", "latency"}), ("MORE", {"flush"}), ("SUITES", {"loaded-latency", "quick"})]
    assert lists_of_tables(path) == found


def test_findings_apply_to_every_table_that_does_not_state_otherwise(pair: tuple[Run, Run]) -> None:
    steal = Finding(name="steal", state="s", verdict="bad", touches=EVERY, effect="", remedy="")
    older = Finding(name="swap", state="s", verdict="bad", touches=("newcomer",), effect="", remedy="")
    other = Finding(name="thp", state="s", verdict="bad", touches=("stream",), effect="", remedy="")
    run = Run(path=pair[0].path, result=msgspec.structs.replace(pair[0].result, findings=(steal, older, other)))
    assert [finding.name for finding in touching(run, "newcomer")] == ["steal", "swap"]
    assert touching(run, "storage") == ()
