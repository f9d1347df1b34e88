"""Both figures of `blocks`, drawn from a made run."""

import json
from pathlib import Path
from typing import Any

import pytest

from drawn import spec_of
from made import Maker
from made_blocks import COUNTS, SIZES, add_block_points
from tierscope.draw import figures
from tierscope.draw.forms import form
from tierscope.report.content import Content, gather
from tierscope.report.standalone import standalone

NAMES = ("block_latency", "blocks")


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    maker = Maker(tmp_path_factory.mktemp("figures"))
    add_block_points(maker)
    return gather(maker.save("blocks"))


def layers(spec: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = spec["spec"]["layer"]
    return found


def test_a_run_of_blocks_has_both_figures(content: Content) -> None:
    assert sorted(drawing.figure.name for drawing in content.drawings) == list(NAMES)
    assert {figures[name].table for name in NAMES} == {"blocks"}


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_zooms_filters_has_tooltips_and_is_plain_json(content: Content, name: str) -> None:
    spec = spec_of(content, name)
    params = [param for layer in layers(spec) for param in layer.get("params", [])]
    assert {param["bind"] for param in params} == {"scales", "legend"}
    assert any("tooltip" in layer["encoding"] for layer in layers(spec))
    text = json.dumps(standalone(spec), allow_nan=False)
    assert "var(--" not in text


@pytest.mark.parametrize("name", NAMES)
def test_axes_that_may_be_switched_have_the_stated_type(content: Content, name: str) -> None:
    spec = spec_of(content, name)
    for axis, kind in spec["usermeta"]["tierscope"]["axes"].items():
        kinds = {
            e[axis]["scale"]["type"] for layer in layers(spec) if "scale" in (e := layer["encoding"]).get(axis, {})
        }
        assert kinds == {kind}


@pytest.mark.parametrize("name", NAMES)
def test_intervals_are_rules_and_what_is_inconclusive_is_hollow(content: Content, name: str) -> None:
    rules = [layer for layer in layers(spec_of(content, name)) if layer["mark"]["type"] == "rule"]
    assert [(rule["encoding"]["y"]["field"], rule["encoding"]["y2"]["field"]) for rule in rules] == [("low", "high")]
    assert "inconclusive" in layers(spec_of(content, name))[-1]["transform"][0]["filter"]


def test_throughput_has_a_chart_for_each_operation_and_a_line_for_each_size(content: Content) -> None:
    spec = spec_of(content, "blocks")
    values = spec["data"]["values"]
    assert spec["facet"]["sort"] == ["copy", "write"]
    assert {(v["size"], v["threads"]) for v in values} == {(s, n) for s in ("8 B", "8 KB", "80 MB") for n in COUNTS}


def test_threads_that_share_a_cpu_have_a_mark_of_their_own(content: Content) -> None:
    spec = spec_of(content, "blocks")
    assert {(v["threads"] > 2, v["place"]) for v in spec["data"]["values"]} == {
        (False, "a CPU for each thread"), (True, "threads share CPUs"),
    }  # fmt: skip
    (shape,) = [layer["encoding"]["shape"] for layer in layers(spec) if "shape" in layer["encoding"]]
    assert len(set(shape["scale"]["range"])) == 2


def test_latency_shows_median_and_tail_of_few_many_and_turning_threads(content: Content) -> None:
    values = spec_of(content, "block_latency")["data"]["values"]
    assert {v["threads"] for v in values} == {1, 2, 4}
    assert {v["bytes"] for v in values} == set(SIZES)
    assert {v["share"] for v in values if v["bytes"] == 8000} == {"p50", "p90", "p99", "p99.9"}
    assert {v["share"] for v in values if v["bytes"] == 80_000_000 and v["threads"] == 1} == {"p50", "p90"}
    assert {(v["bytes"], v["timed"]) for v in values if v["bytes"] == 8} == {(8, "mean of a batch")}


def test_every_size_is_named_on_the_axis_as_people_write_it(content: Content) -> None:
    axis = next(layer["encoding"]["x"]["axis"] for layer in layers(spec_of(content, "block_latency")))
    assert axis["values"] == sorted(SIZES)
    assert "datum.value == 80000000 ? '80 MB'" in axis["labelExpr"]


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_drawn_by_vega(content: Content, name: str) -> None:
    import vl_convert

    assert vl_convert.vegalite_to_png(standalone(spec_of(content, name)))[:4] == b"\x89PNG"


@pytest.mark.parametrize("name", NAMES)
def test_no_rows_draw_nothing(content: Content, name: str) -> None:
    assert figures[name].draw(content.run, [], []) is None


def test_the_terminal_shows_both_tables_within_eighty_columns(content: Content) -> None:
    import io

    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=80)
    console.print(*form("blocks")(content.sections["blocks"], console), sep="\n")
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert len([line for line in lines if line.startswith("copy")]) == 2 * len(SIZES)
    assert any("4 threads *" in line for line in lines)
    assert any(line.rstrip().endswith("share the CPUs") for line in lines)


def test_a_png_is_written_for_each(content: Content, tmp_path: Path) -> None:
    from tierscope.report.formats import write

    assert len(write("png", content.run, tmp_path)) == len(NAMES)
