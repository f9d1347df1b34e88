"""The two figures and the lines in a terminal for flushes."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from made import Maker
from made_flush import CHUNKS, LINES, add_flush, line_s
from tierscope.draw import cells
from tierscope.draw.forms import form
from tierscope.record.result import Run
from tierscope.report.content import Content, gather
from tierscope.suites.flush.points import foreign
from tierscope.tables import Column, tables


def run_of(directory: Path, *kinds: tuple[str, str], persistence: str = "none", rounds: int = 8) -> Run:
    maker = Maker(directory)
    for fence, order in kinds:
        add_flush(maker, fence=fence, order=order, persistence=persistence, rounds=rounds)
    return maker.save("flush")


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    return gather(run_of(tmp_path_factory.mktemp("run"), ("chunk", "sequential")))


def spec_of(content: Content, name: str) -> dict[str, Any]:
    (spec,) = (drawing.spec for drawing in content.drawings if drawing.figure.name == name)
    return spec


def points_of(content: Content, name: str) -> dict[tuple[str, int], dict[str, Any]]:
    values = spec_of(content, name)["data"]["values"]
    return {(point["instruction"], point["bytes"]): point for point in values}


def hues(spec: dict[str, Any]) -> dict[str, str]:
    marks = [layer["encoding"]["color"] for layer in spec["layer"] if "scale" in layer["encoding"].get("color", {})]
    (scale,) = (mark["scale"] for mark in marks)
    return dict(zip(scale["domain"], scale["range"], strict=True))


def test_a_line_for_each_instruction_over_chunk_sizes_on_logarithmic_axes(content: Content) -> None:
    points = points_of(content, "flush")
    assert points.keys() == {(name, chunk) for name in LINES for chunk in CHUNKS}
    for (name, chunk), point in points.items():
        assert point["ns"] == pytest.approx(1e9 * line_s(name, chunk), rel=0.01)
        assert point["low"] <= point["ns"] <= point["high"]
    line = next(layer for layer in spec_of(content, "flush")["layer"] if layer["mark"]["type"] == "line")
    assert {line["encoding"][axis]["scale"]["type"] for axis in "xy"} == {"log"}


def test_ratios_are_bars_from_one_and_the_base_has_none(content: Content) -> None:
    points = points_of(content, "flush_ratio")
    assert {name for name, _ in points} == LINES.keys() - {"clwb"}
    for (name, chunk), point in points.items():
        assert point["ratio"] == pytest.approx(line_s(name, chunk) / line_s("clwb", chunk), rel=0.01)
        assert point["ratio_low"] <= point["ratio"] <= point["ratio_high"]
    bars = next(layer for layer in spec_of(content, "flush_ratio")["layer"] if layer["mark"]["type"] == "bar")
    assert bars["encoding"]["y2"] == {"datum": 1.0}


def test_an_instruction_has_one_colour_in_both_figures(content: Content) -> None:
    times, ratios = hues(spec_of(content, "flush")), hues(spec_of(content, "flush_ratio"))
    assert ratios == {name: hue for name, hue in times.items() if name != "clwb"}


def test_one_instruction_alone_has_no_ratios(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_flush(maker, (4096,), ("clwb",))
    assert [drawing.figure.name for drawing in gather(maker.save("flush")).drawings] == ["flush"]


def test_kinds_of_fences_and_orders_are_charts_of_their_own(tmp_path: Path) -> None:
    several = gather(run_of(tmp_path, ("chunk", "sequential"), ("never", "random")))
    for name in ("flush", "flush_ratio"):
        spec = spec_of(several, name)
        assert spec["facet"]["sort"] == ["a fence after each chunk", "no fence, random order"]


def test_a_figure_states_where_bytes_do_not_survive(content: Content, tmp_path: Path) -> None:
    def notes(of: Content) -> list[str]:
        return list(spec_of(of, "flush")["usermeta"]["tierscope"]["notes"])

    assert "keeps nothing without power" in notes(content)[0]
    kinds = ("chunk", "sequential")
    assert (
        "only after msync, which is not timed"
        in notes(gather(run_of(tmp_path / "file", kinds, persistence="msync")))[0]
    )
    assert notes(gather(run_of(tmp_path / "dax", kinds, persistence="adr"))) == []


def test_a_figure_that_times_msync_does_not_state_that_it_is_not_timed(content: Content) -> None:
    rows = [replace(row, persistence="msync") for row in content.sections["flush"].typed]
    assert "not timed" in foreign(rows)
    timed = foreign([replace(row, instruction="msync") if row.instruction == "nt" else row for row in rows])
    assert "only after msync" in timed
    assert "not timed" not in timed


def lines_of(run: Run) -> list[str]:
    console = Console(width=80)
    section = gather(run).sections["flush"]
    with console.capture() as said:
        for part in form("flush")(section, console):
            console.print(part)
    return said.get().splitlines()


def test_the_terminal_has_times_ratios_and_seconds_within_80_columns(content: Content) -> None:
    lines = lines_of(content.run)
    assert max(map(len, lines)) <= 80
    titles = [line for line in lines if "(" in line or "20 GB" in line]
    assert titles == [
        "Time per line, ns (a fence after each chunk)",
        "Time over that of clwb (95 % interval)",
        "Seconds for 20 GB, extrapolated",
    ]
    assert lines[1].split() == ["chunk", *LINES]
    times = next(line for line in lines if line.startswith("4 KiB")).split()[2:]
    for text, name in zip(times, LINES, strict=True):
        assert float(text) == pytest.approx(1e9 * line_s(name, 4096), rel=0.02)
    assert sum("±" in line for line in lines) == len(CHUNKS)


def test_every_doubtful_number_is_marked(tmp_path: Path) -> None:
    lines = lines_of(run_of(tmp_path, ("chunk", "sequential"), rounds=3))
    assert sum(line.count("?") for line in lines) == len(CHUNKS) * (3 * len(LINES) - 1)
    assert max(map(len, lines)) <= 80


def test_all_bytes_are_read_as_they_were_asked_for() -> None:
    columns = {column.name: column for column in tables["flush"].columns}
    assert cells.cell(20_000_000_000, columns["total_bytes"]) == "20 GB"
    assert cells.cell(4096, columns["chunk_bytes"]) == "4 KiB"
    assert cells.cell(1.6e-8, Column("line_s", "time per line", "s")) == "16.00"
