"""The figure, the lines in a terminal and the cells of a page for neighbours."""

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from made import Maker
from made_neighbors import SLOWER, add_neighbors
from tierscope.draw import cells
from tierscope.draw.forms import form
from tierscope.record.result import Run
from tierscope.report.content import Content, gather
from tierscope.suites.neighbors.figure import ALONE, BESIDE
from tierscope.tables import Column
from tierscope.tables.column import Shown


def run_of(directory: Path, *kernels: str, rounds: int = 8) -> Run:
    maker = Maker(directory)
    for kernel in kernels:
        add_neighbors(maker, kernel, rounds=rounds)
    return maker.save("neighbors")


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    return gather(run_of(tmp_path_factory.mktemp("run"), "flow"))


def spec_of(content: Content) -> dict[str, Any]:
    (drawing,) = content.drawings
    assert drawing.figure.name == "neighbors"
    return drawing.spec


def values(content: Content) -> list[dict[str, Any]]:
    return list(spec_of(content)["data"]["values"])


def test_a_line_for_each_number_of_victims_begins_at_one(content: Content) -> None:
    lines = {
        series: sorted((p["aggressors"], p["slowdown"]) for p in values(content)
                       if p["series"] == series and p["kind"] == BESIDE)
        for series in ("1 victim", "2 victims")
    }  # fmt: skip
    for series, slower in (("1 victim", SLOWER[1]), ("2 victims", SLOWER[3] / SLOWER[2])):
        assert lines[series][0] == (0, 1.0)
        assert lines[series][1] == (1, pytest.approx(slower, rel=0.005))


def test_the_cost_of_victims_for_each_other_is_separate(content: Content) -> None:
    (alone,) = (point for point in values(content) if point["kind"] == ALONE)
    assert (alone["series"], alone["aggressors"]) == ("2 victims", 0)
    assert alone["slowdown"] == pytest.approx(SLOWER[2], rel=0.005)
    line = next(layer for layer in spec_of(content)["layer"] if layer["mark"]["type"] == "line")
    assert line["transform"] == [{"filter": f"datum.kind === '{BESIDE}'"}]


def test_one_is_ruled_and_intervals_are_drawn(content: Content) -> None:
    layers = spec_of(content)["layer"]
    assert any(layer.get("data", {}).get("values") == [{"at": 1.0}] for layer in layers)
    assert any(layer["encoding"].get("y2") == {"field": "high"} for layer in layers)


def test_several_kinds_of_victims_are_several_charts(tmp_path: Path) -> None:
    spec = spec_of(gather(run_of(tmp_path, "flow", "chase")))
    assert spec["facet"]["field"] == "victim"
    assert {point["victim"] for point in spec["data"]["values"]} == {"flow test", "chase"}


def test_the_terminal_has_a_line_for_each_pair_of_numbers(content: Content) -> None:
    console = Console(width=80, record=True, quiet=False, force_terminal=False, file=None)
    with console.capture() as said:
        for part in form("neighbors")(content.sections["neighbors"], console):
            console.print(part)
    lines = said.get().splitlines()
    assert lines[0].startswith("Neighbours: copy on node:0")
    assert [line.split()[:4] for line in lines[2:]] == [
        ["flow", "test", "1", "0"], ["flow", "test", "1", "1"], ["flow", "test", "2", "0"], ["flow", "test", "2", "1"],
    ]  # fmt: skip
    assert "1.060 ±" in lines[3]
    assert "?" not in said.get()


def test_a_doubtful_number_is_marked(tmp_path: Path) -> None:
    console = Console(width=80)
    section = gather(run_of(tmp_path, "flow", rounds=3)).sections["neighbors"]
    with console.capture() as said:
        for part in form("neighbors")(section, console):
            console.print(part)
    assert said.get().count("?") == 4


def test_the_time_of_a_task_is_read_in_seconds_and_that_of_a_hop_in_nanoseconds() -> None:
    task, hop = Column("seconds", "time of one", "s", shown=Shown.LONG), Column("latency_s", "latency", "s")
    assert (cells.head(task), cells.cell(532.873423, task)) == ("time of one, s", "532.9")
    assert (cells.head(hop), cells.cell(9.64e-8, hop)) == ("latency, ns", "96.40")
