"""Maps of pairs and nodes: what is drawn where, for two CPUs and for many, in both themes."""

import json
from pathlib import Path
from typing import Any

import pytest

from made_machine import made_machine, made_server, two_packages
from made_numa import core_to_core_run, handover_s, numa_run
from reported import changed
from tierscope.draw import figures, heat, theme
from tierscope.draw.heat import Axes
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.standalone import standalone

SERVER = made_server(threads=2)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return core_to_core_run(tmp_path_factory.mktemp("pairs"), SERVER)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return numa_run(tmp_path_factory.mktemp("nodes"), two_packages())


def spec(run: Run, name: str) -> dict[str, Any]:
    return next(drawing.spec for drawing in gather(run).drawings if drawing.figure.name == name)


def of_mark(chart: dict[str, Any], mark: str) -> list[dict[str, Any]]:
    return [layer for layer in chart["layer"] if layer["mark"]["type"] == mark]


def test_both_triangles_show_each_pair(pairs: Run) -> None:
    (chart,) = spec(pairs, "core_to_core")["hconcat"]
    assert len(chart["data"]["values"]) == 120
    places = [(one["encoding"]["x"]["field"], one["encoding"]["y"]["field"]) for one in of_mark(chart, "rect")]
    assert places == [("a", "b"), ("b", "a")]


def test_the_note_names_cells_of_pairs_that_were_not_measured(tmp_path: Path, pairs: Run) -> None:
    blank = "pairs were measured; the other cells are blank"
    assert blank in str(spec(core_to_core_run(tmp_path, SERVER, pairs="40"), "core_to_core"))
    assert blank not in str(spec(pairs, "core_to_core"))


def test_both_axes_are_in_the_order_of_the_topology_and_cells_are_square(pairs: Run) -> None:
    (chart,) = spec(pairs, "core_to_core")["hconcat"]
    order = list(SERVER.by_topology(SERVER.cpus()))
    for layer in of_mark(chart, "rect"):
        assert layer["encoding"]["x"]["scale"]["domain"] == layer["encoding"]["y"]["scale"]["domain"] == order
    assert chart["width"] == chart["height"]


def test_packages_have_words_and_packages_and_nodes_are_parted(pairs: Run) -> None:
    (chart,) = spec(pairs, "core_to_core")["hconcat"]
    heads = [point["head"] for layer in of_mark(chart, "text") for point in layer.get("data", {"values": []})["values"]]
    assert heads == ["package 0", "package 1"]
    rules = {layer["mark"]["strokeWidth"]: layer["data"]["values"] for layer in of_mark(chart, "rule")}
    assert [[point["a"] for point in rules[width]] for width in sorted(rules, reverse=True)] == [
        [4], [2, 4, 6], [2, 4, 6]
    ]  # fmt: skip


def test_numbers_are_in_the_cells_of_few_cpus_only(tmp_path: Path, pairs: Run) -> None:
    def written(run: Run) -> bool:
        (chart,) = spec(run, "core_to_core")["hconcat"]
        return any("datum['ns']" in json.dumps(layer) for layer in of_mark(chart, "text"))

    assert written(pairs)
    assert not written(core_to_core_run(tmp_path, made_server(cores=8)))


def test_two_cpus_of_one_package_are_a_small_map_without_rules(tmp_path: Path) -> None:
    (chart,) = spec(core_to_core_run(tmp_path, made_machine()), "core_to_core")["hconcat"]
    assert of_mark(chart, "rule") == []
    assert chart["width"] == 2 * heat.LARGEST_CELL


def test_a_slow_pair_does_not_pale_the_others_and_is_named(tmp_path: Path) -> None:
    run = core_to_core_run(tmp_path, SERVER, wait=lambda a, b: 5e-6 if (a, b) == (0, 1) else handover_s(SERVER, a, b))
    drawn = spec(run, "core_to_core")
    (top,) = {one["encoding"]["opacity"]["scale"]["domain"][1] for one in of_mark(drawn["hconcat"][0], "rect")}
    assert top < 1000
    assert drawn["usermeta"]["tierscope"]["notes"][0].startswith("1 pair takes longer than")


def test_an_inconclusive_pair_is_marked(tmp_path: Path) -> None:
    run = core_to_core_run(tmp_path, made_machine(), noise=0.5)
    (point,) = spec(run, "core_to_core")["hconcat"][0]["data"]["values"]
    assert point["word"].endswith("?")
    assert point["verdict"] == "inconclusive"


def test_nodes_have_a_map_of_latency_and_one_of_bandwidth(nodes: Run) -> None:
    drawn = spec(nodes, "numa")
    assert [chart["title"]["text"] for chart in drawn["hconcat"]] == ["latency, ns", "bandwidth, GB/s"]
    assert drawn["resolve"] == {"scale": {"opacity": "independent"}}
    for chart in drawn["hconcat"]:
        (cells,) = of_mark(chart, "rect")
        assert cells["encoding"]["x"]["scale"]["domain"] == ["0", "1", "2", "3", "4*"]
        assert cells["encoding"]["y"]["scale"]["domain"] == ["0", "1", "2", "3"]
        assert chart["width"] / 5 == chart["height"] / 4


def test_each_cell_has_its_number_and_its_ratio(nodes: Run) -> None:
    wait, speed = spec(nodes, "numa")["hconcat"]
    assert [layer["encoding"]["text"]["field"] for layer in of_mark(wait, "text")] == ["ns_word", "ns_ratio"]
    assert [layer["encoding"]["text"]["field"] for layer in of_mark(speed, "text")] == ["gb_word", "gb_ratio"]
    own = [point for point in wait["data"]["values"] if point["from"] == point["to"]]
    assert {(point["ns_ratio"], point["gb_ratio"]) for point in own} == {("1.00×", "1.00×")}
    assert {len(point["gb_word"]) for point in own} == {4}  # 30.0, not 30


def test_one_node_is_one_cell_of_each_map(tmp_path: Path) -> None:
    charts = spec(numa_run(tmp_path, made_machine()), "numa")["hconcat"]
    assert [len(chart["data"]["values"]) for chart in charts] == [1, 1]
    assert {chart["width"] for chart in charts} == {heat.LARGEST_CELL}


def test_many_targets_have_one_map_below_the_other(tmp_path: Path) -> None:
    drawn = spec(numa_run(tmp_path, made_server(nodes=4, cores=1, memory_alone=1)), "numa")
    assert len(drawn["vconcat"]) == 2


@pytest.mark.parametrize("name", ["core_to_core", "numa"])
def test_a_map_is_plain_json_has_tips_and_keeps_no_role_when_it_is_alone(name: str, pairs: Run, nodes: Run) -> None:
    drawn = spec({"core_to_core": pairs, "numa": nodes}[name], name)
    assert "tooltip" in json.dumps(drawn, allow_nan=False)
    assert "var(--" not in json.dumps(standalone(drawn))


@pytest.mark.parametrize("name", ["core_to_core", "numa"])
def test_another_origin_is_in_the_title(name: str, tmp_path: Path) -> None:
    run = (core_to_core_run if name == "core_to_core" else numa_run)(tmp_path, made_machine())
    assert spec(changed(run, origin="emulated"), name)["title"].endswith("(EMULATED)")


@pytest.mark.parametrize("name", ["core_to_core", "numa"])
def test_no_rows_draw_nothing(name: str, pairs: Run) -> None:
    assert figures[name].draw(pairs, [], []) is None


def test_ink_and_ground_are_readable_on_every_shade_in_both_themes() -> None:
    from test_report_figures import contrast

    for roles in (theme.LIGHT, theme.DARK):
        for share in (0.0, 0.35, heat.DARK, heat.DARK + 0.01, 1.0):
            opacity = heat.PALEST + share * (1 - heat.PALEST)
            mixed = _mix(roles[heat.HUE], roles["ground"], opacity)
            assert contrast(mixed, roles["ground"] if share > heat.DARK else roles["ink"]) >= 3.4, share


def _mix(hue: str, ground: str, opacity: float) -> str:
    parts = [tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5)) for colour in (hue, ground)]
    return "#" + "".join(f"{round(a * opacity + b * (1 - opacity)):02x}" for a, b in zip(*parts, strict=True))


def test_cells_are_whole_pixels_until_they_would_vanish() -> None:
    def cell(count: int) -> float:
        return Axes("x", "y", list(range(count)), list(range(count)), "", "").cell

    assert [cell(1), cell(100), cell(128)] == [heat.LARGEST_CELL, 6, 5]
    assert 0 < cell(1000) < 1
