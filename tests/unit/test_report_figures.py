"""Figures: what each draws from known rows, and that absent rows draw nothing."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from drawn import layers, spec_of, walk
from reported import changed, small_run
from tierscope.draw import figures, theme, vega
from tierscope.record.result import Run
from tierscope.report.content import Content, gather
from tierscope.report.standalone import standalone
from tierscope.stats.median import Interval
from tierscope.suites.loaded_latency.row import LoadedLatencyRow
from tierscope.tables import Insight
from tierscope.units import KiB, MiB

ALL = ("groups", "loaded_latency", "scaling", "staircase", "timeline")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return small_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def content(run: Run) -> Content:
    return gather(run)


def fields(spec: dict[str, Any], channel: str) -> set[str]:
    return {
        e[channel]["field"] for part in layers(spec) if channel in (e := part["encoding"]) and "field" in e[channel]
    }


def test_each_table_with_rows_has_its_figure(content: Content) -> None:
    assert sorted(drawing.figure.name for drawing in content.drawings) == list(ALL)


@pytest.mark.parametrize("name", sorted(figures))
def test_no_rows_draw_nothing(run: Run, name: str) -> None:
    assert figures[name].draw(run, [], []) is None


@pytest.mark.parametrize("name", ALL)
def test_a_specification_names_no_host_and_is_plain_json(content: Content, name: str) -> None:
    text = json.dumps(spec_of(content, name), allow_nan=False)
    assert "http" not in text
    assert "$schema" not in text


@pytest.mark.parametrize("name", ALL)
def test_every_figure_zooms_has_tooltips_and_a_font(content: Content, name: str) -> None:
    spec = spec_of(content, name)
    zooms = [param for part in walk(spec) for param in part.get("params", []) if param.get("bind") == "scales"]
    assert zooms
    assert any("tooltip" in part["encoding"] for part in layers(spec))
    assert spec["config"]["font"] == theme.FONT


@pytest.mark.parametrize("name", ["loaded_latency", "scaling", "staircase", "timeline"])
def test_a_click_on_the_legend_filters(content: Content, name: str) -> None:
    params = [param for part in walk(spec_of(content, name)) for param in part.get("params", [])]
    assert any(param.get("bind") == "legend" for param in params)


@pytest.mark.parametrize("name", ["loaded_latency", "scaling", "staircase", "timeline"])
def test_a_figure_with_axes_states_which_may_be_switched(content: Content, name: str) -> None:
    spec = spec_of(content, name)
    for axis, kind in spec["usermeta"]["tierscope"]["axes"].items():
        kinds = {p["encoding"][axis]["scale"]["type"] for p in layers(spec) if "scale" in p["encoding"].get(axis, {})}
        assert kinds == {kind}


@pytest.mark.parametrize("name", ALL)
def test_intervals_are_drawn(content: Content, name: str) -> None:
    spec = spec_of(content, name)
    ends = fields(spec, "x2") | fields(spec, "y2")
    assert {field for field in ends if "high" in field}


def test_plain_and_non_temporal_kernels_are_two_rows(content: Content) -> None:
    values = spec_of(content, "scaling")["data"]["values"]
    assert {point["kernel"]: point["store"] for point in values} == {"copy": "plain", "copy_nt": "nt", "memset": "libc"}


def test_two_thread_counts_make_a_dot_plot_and_three_make_lines(tmp_path: Path, content: Content) -> None:
    assert "facet" not in spec_of(content, "scaling")
    many = spec_of(gather(small_run(tmp_path, threads=(1, 2, 3))), "scaling")
    assert many["facet"]["field"] == "family"
    assert {point["family"] for point in many["data"]["values"]} == {"copy", "write"}


def test_a_near_peak_is_a_line_and_a_far_or_unknown_one_is_a_sentence(tmp_path: Path, content: Content) -> None:
    def words(spec: dict[str, Any]) -> tuple[bool, str]:
        return "theoretical peak" in json.dumps(spec["layer"]), spec["usermeta"]["tierscope"]["notes"][0]

    near = words(spec_of(gather(small_run(tmp_path / "near", peak=80e9)), "scaling"))
    unknown = words(spec_of(gather(small_run(tmp_path / "unknown", peak=None)), "scaling"))
    assert near == (True, "Theoretical peak 80.00 GB/s (SMBIOS: 8 x DDR5-4800).")
    assert words(spec_of(content, "scaling"))[0] is False
    assert "far beyond" in words(spec_of(content, "scaling"))[1]
    assert unknown[0] is False
    assert "unknown" in unknown[1]


def staircase(run: Run, *found: float) -> list[dict[str, Any]]:
    insights = [Insight(name=f"level_{n}", text="", value=size, unit="B") for n, size in enumerate(found, 1)]
    rows = gather(run).typed("latency")
    return layers(figures["staircase"].draw(run, rows, insights) or {})


def test_reported_caches_are_dashed_and_found_ones_solid(run: Run) -> None:
    rules = [part for part in staircase(run, 40e3, 70e6) if part["mark"]["type"] == "rule"]
    dashed = {part["data"]["values"][0]["at"] for part in rules if "strokeDash" in part["mark"]}
    solid = {part["data"]["values"][0]["at"] for part in rules if "strokeDash" not in part["mark"]}
    assert dashed == {48 * KiB, 2 * MiB, 480 * MiB}
    assert solid == {40e3, 70e6}


def test_a_label_is_on_the_side_away_from_the_nearest_rule_of_the_other_kind(run: Run) -> None:
    texts = [part for part in staircase(run, 50 * KiB, 1 * MiB) if part["mark"]["type"] == "text"]
    sides = {p["data"]["values"][0]["text"]: "left" if p["mark"]["dy"] < 0 else "right" for p in texts}
    assert sides == {
        "L1 reported 48 KiB": "left", "found 50 KiB": "right", "found 1 MiB": "left", "L2 reported 2 MiB": "right",
        "L3 reported 480 MiB": "right",
    }  # fmt: skip


def test_latency_that_hardly_rises_is_drawn_from_zero(run: Run, content: Content) -> None:
    def zero(rows: list[LoadedLatencyRow]) -> set[bool]:
        spec = figures["loaded_latency"].draw(run, rows, [])
        axes = [part["encoding"].get("y", {}) for part in layers(spec or {})]
        return {axis["scale"]["zero"] for axis in axes if "scale" in axis}

    rows = content.typed("loaded_latency")
    assert zero(rows) == {False}
    assert zero([replace(row, latency=Interval(1e-7, 1e-7, 1e-7, 60)) for row in rows]) == {True}


def test_points_under_load_are_joined_in_the_order_of_the_delays(content: Content) -> None:
    spec = spec_of(content, "loaded_latency")
    line = next(part for part in layers(spec) if part["mark"]["type"] == "line")
    assert line["encoding"]["order"] == {"field": "delay", "type": "quantitative", "sort": "descending"}
    assert {point["series"] for point in spec["data"]["values"]} == {"all reads", "1:1 nt"}


def legends(rows: list[LoadedLatencyRow], run: Run) -> tuple[dict[str, Any], set[str], list[str], str]:
    """The legend of each channel, the parameters that a click in one sets, those that marks ask for, and the title."""
    spec = figures["loaded_latency"].draw(run, rows, []) or {}
    line = next(part for part in layers(spec) if part["mark"]["type"] == "line")
    told = {name: line["encoding"][name]["legend"] for name in ("color", "strokeDash")}
    bound = {param["name"] for part in walk(spec) for param in part.get("params", ()) if param.get("bind") == "legend"}
    asked = sorted({part["param"] for part in walk(spec) if "param" in part})
    return told, bound, asked, line["encoding"]["color"]["title"]


@pytest.mark.parametrize(
    ("written", "kinds", "title"),
    [
        ([], [], "reads:writes"), (["nt"], [], "reads:writes, non-temporal stores"),
        (["plain"], [], "reads:writes, plain stores"),
        (["plain", "nt"], ["plain stores", "non-temporal stores"], "reads:writes"),
        (["\\u001b|of a plug-in"], ["\\u001b|of a plug-in"], "reads:writes"),
    ],
)  # fmt: skip
def test_the_legend_under_load_shows_lines_and_kinds_of_stores_only_from_two_on(
    run: Run, content: Content, written: list[str], kinds: list[str], title: str
) -> None:
    rows = content.typed("loaded_latency")
    reads, writes = ([row for row in rows if (row.store != "none") == kind] for kind in (False, True))
    stored = [replace(row, store=store) for store in written for row in writes]
    told, bound, asked, named = legends([*reads, *stored], run)
    assert told["color"]["symbolType"] == "stroke"
    assert (told["strokeDash"] or {}).get("values", []) == kinds
    assert named == title
    assert bound == {"pick_mix", "pick_stores"} if kinds else {"pick_mix"}
    assert set(asked) == bound


def test_each_knee_has_a_ring_at_the_place_of_the_insight(content: Content) -> None:
    knees = [i.value for i in content.sections["loaded_latency"].insights if i.name.startswith("knee")]
    assert knees
    spec = spec_of(content, "loaded_latency")
    rings = [part for part in layers(spec) if part["mark"].get("size") == 260]
    assert [point["gb"] for point in rings[0]["data"]["values"]] == [vega.gb(value) for value in knees]


def test_hops_are_drawn_as_latency_and_lines_as_bandwidth(content: Content) -> None:
    charts = spec_of(content, "groups")["vconcat"]
    names = [[bar["name"].split(" ")[-1] for bar in chart["data"]["values"]] for chart in charts]
    assert names == [["solver"], ["probe"]]


def test_another_origin_is_in_every_title(tmp_path: Path) -> None:
    for drawing in gather(changed(small_run(tmp_path), origin="simulated")).drawings:
        title = drawing.spec["title"]
        assert "(SIMULATED)" in (title["text"] if isinstance(title, dict) else title)


@pytest.mark.parametrize("name", ALL)
def test_a_standalone_figure_has_colours_and_no_controls(content: Content, name: str) -> None:
    text = json.dumps(standalone(spec_of(content, name)))
    assert "var(--" not in text
    assert '"bind": "scales"' not in text
    assert '"input": "select"' not in text


def test_hues_differ_in_both_themes_and_exist_in_both() -> None:
    assert set(theme.LIGHT) == set(theme.DARK)
    for roles in (theme.LIGHT, theme.DARK):
        assert len({roles[name] for name in theme.SERIES}) == len(theme.SERIES)
        for name in theme.SERIES:
            assert contrast(roles[name], roles["ground"]) >= 3.0, name
        for name in ("ink", "muted", "accent", "bad", "good", "warn"):
            assert contrast(roles[name], roles["ground"]) >= 4.5, name


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, 1 to 21: W3C, "Web Content Accessibility Guidelines 2.1", 2018."""

    def light(colour: str) -> float:
        parts = [int(two, 16) / 255 for two in re.findall("..", colour[1:])]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return float(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])

    bright, dark = sorted((light(one), light(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_a_role_that_is_not_a_colour_is_left_alone() -> None:
    assert theme.resolve({"text": "var(--nothing)", "hue": theme.colour("blue")}, theme.LIGHT) == {
        "text": "var(--nothing)",
        "hue": theme.LIGHT["blue"],
    }
    with pytest.raises(KeyError):
        theme.colour("nothing")


def test_decades_are_one_two_five() -> None:
    assert vega.decades(0.9, 60) == [1, 2, 5, 10, 20, 50]
