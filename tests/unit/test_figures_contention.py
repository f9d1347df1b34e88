"""Figures, time series and terminal of a contention: what each draws from known rows."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

import made_contention as put_in
from drawn import layers, spec_of, walk
from made import Maker
from tierscope.draw import figures, vega
from tierscope.record.result import Run
from tierscope.report.content import Content, gather
from tierscope.report.terminal import show
from tierscope.suites.contention.table import ContentionRow
from tierscope.suites.series import points as series

NAMES = ("contention", "target_ratio", "flutter")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    maker = Maker(tmp_path_factory.mktemp("run"))
    put_in.add_contention(maker)
    return maker.save("contention")


@pytest.fixture(scope="module")
def content(run: Run) -> Content:
    return gather(run)


def drawn(run: Run, rows: list[ContentionRow], name: str = "contention") -> dict[str, Any]:
    spec = figures[name].draw(run, rows, [])
    assert spec is not None
    return spec


def test_a_run_of_contention_is_drawn_in_the_order_of_its_questions(content: Content) -> None:
    assert [drawing.figure.name for drawing in content.drawings] == [*NAMES, "timeline"]


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_zooms_has_tooltips_and_is_plain_json(content: Content, name: str) -> None:
    spec = spec_of(content, name)
    json.dumps(spec, allow_nan=False)
    assert [param for part in walk(spec) for param in part.get("params", []) if param.get("bind") == "scales"]
    assert any("tooltip" in part["encoding"] for part in layers(spec))


def test_b_is_stacked_on_a_and_the_line_is_the_sum(content: Content) -> None:
    spec = spec_of(content, "contention")
    a, b = layers(spec, "bar")
    assert (a["encoding"]["y"]["field"], a["encoding"]["y2"]) == ("a", {"datum": 0})
    assert (b["encoding"]["y"]["field"], b["encoding"]["y2"]) == ("top", {"field": "a"})
    (line,) = layers(spec, "line")
    assert line["encoding"]["y"]["field"] == "sum"
    for point in spec["data"]["values"]:
        assert point["top"] == pytest.approx(point["a"] + point["b"])
        assert point["sum"] == pytest.approx(point["top"], rel=0.02)


def test_each_mode_has_a_chart_with_all_splits_from_a_to_b(content: Content) -> None:
    spec = spec_of(content, "contention")
    assert spec["facet"]["sort"] == [
        "b-b: B copies within b", "b-a: B copies from b to a", "a-b: B copies from a to b",
    ]  # fmt: skip
    (line,) = layers(spec, "line")
    assert line["encoding"]["x"]["sort"] == ["4:0", "3:1", "2:2", "1:3", "0:4"]


def test_intervals_of_a_and_of_the_sum_are_drawn(content: Content) -> None:
    ends = {part["encoding"]["y2"]["field"] for part in layers(spec_of(content, "contention"), "rule")
            if "y2" in part["encoding"]}  # fmt: skip
    assert ends == {"a_high", "sum_high"}


def test_the_dashed_line_is_what_a_moves_alone_in_the_same_mode(content: Content, run: Run) -> None:
    alone = {row["mode"]: vega.gb(row["sum_bytes_per_s"]) for row in content.rows("contention") if not row["b_threads"]}
    assert {point["mode"]: point["alone"] for point in spec_of(content, "contention")["data"]["values"]} == alone
    without = [row for row in content.sections["contention"].typed if row.b_threads]
    assert {point["alone"] for point in drawn(run, without)["data"]["values"]} == {None}


def test_an_inconclusive_split_is_pale_and_hollow(content: Content, run: Run) -> None:
    rows = [replace(row, conclusive=row.a_threads != 3) for row in content.sections["contention"].typed]
    spec = drawn(run, rows)
    pale = {point["split"] for point in spec["data"]["values"] if point["verdict"] == "inconclusive"}
    assert pale == {"3:1"}
    assert any("transform" in part for part in layers(spec, "point"))
    assert all(part["encoding"]["opacity"]["condition"]["value"] < 0.5 for part in layers(spec, "bar"))


def test_many_splits_take_the_whole_width(content: Content, run: Run) -> None:
    first = content.sections["contention"].typed[0]
    rows = [replace(first, a_threads=n, b_threads=8 - n) for n in range(9)]
    assert drawn(run, rows)["columns"] == 1
    assert spec_of(content, "contention")["columns"] == 3


def test_a_replaced_tier_is_marked_under_the_figure(content: Content, run: Run) -> None:
    rows = [replace(row, stand_in=True) for row in content.sections["contention"].typed]
    assert "it replaces a second tier" in " ".join(drawn(run, rows)["usermeta"]["tierscope"]["notes"])
    assert "it replaces a second tier" not in " ".join(spec_of(content, "contention")["usermeta"]["tierscope"]["notes"])


def test_the_ratio_is_drawn_in_percent_with_its_interval_next_to_both_bandwidths(content: Content) -> None:
    left, right = spec_of(content, "target_ratio")["hconcat"]
    assert {point["target"] for point in left["data"]["values"]} == {"a: node:0", "b: file:/b"}
    for point in right["data"]["values"]:
        assert point["ratio"] == pytest.approx(100 * put_in.RATIO[point["threads"]], rel=0.02)
        assert point["low"] <= point["ratio"] <= point["high"]


def test_the_thread_that_flutters_has_a_mark_of_its_own(content: Content) -> None:
    (point,) = [p for p in spec_of(content, "flutter")["data"]["values"] if p["word"] == "flutters"]
    assert (point["thread"], point["split"], point["mode"]) == ("B on CPU 2", "2:2", "b-b")
    assert point["period"].endswith(" ms")


def test_every_split_can_be_chosen_in_the_time_series(content: Content, run: Run) -> None:
    choice = spec_of(content, "timeline")["params"][0]["bind"]
    splits = [record.number for record in run.result.records if record.experiment.table == "contention"]
    assert choice["options"] == splits
    assert "#9 b-b, A:B = 2:2" in choice["labels"]


def test_dips_are_marked_in_the_time_series_of_the_thread_that_has_them(content: Content) -> None:
    dips = [row for row in content.rows("series") if row["kind"] == "dip"]
    assert {(row["experiment"], row["thread"]) for row in dips} == {(9, "B on CPU 2")}
    (row,) = [one for one in content.rows("threads") if one["flutters"]]
    assert len(dips) == row["dips"]
    assert all(dip["rate"] == pytest.approx(put_in.DEEP, rel=0.1) for dip in dips)


def test_each_split_has_its_steady_window(content: Content) -> None:
    windows = {row["experiment"] for row in content.rows("series") if row["kind"] == "window"}
    assert windows == {row["experiment"] for row in content.rows("series")}


def test_a_machine_of_many_splits_does_not_make_the_page_grow(
    run: Run, content: Content, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(series, "MOST", 4)
    chosen = series.choose(run, {})
    assert len(chosen) == 4
    assert chosen[0].number == 6
    monkeypatch.setattr(series, "TOTAL", 4 * 2 * series.BINS)
    small = [row for row in series.series_rows(run, chosen) if row["kind"] == "kept"]
    assert len(small) <= 4 * 2 * series.BINS
    assert {row["experiment"] for row in small} == {record.number for record in chosen}


def printed(run: Run, width: int = 80) -> str:
    stream = io.StringIO()
    show(run, Console(file=stream, width=width))
    return stream.getvalue()


def test_the_terminal_shows_both_groups_their_sum_and_the_ratio_in_80_columns(run: Run) -> None:
    text = printed(run)
    assert max(map(len, text.splitlines())) <= 80
    for words in ("A:B", "sum, GB/s", "b / a", "that flutter", "43.0%"):
        assert words in text
    lines = [line.split() for line in text.splitlines()]
    assert any(line[:3] == ["b-b", "4:0", "47.97"] for line in lines)
    assert any(line[:1] == ["0:4"] and line[1] == "–" for line in lines)


def test_the_terminal_leaves_out_splits_of_a_large_machine_but_no_end(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tierscope.suites.contention.terminal.LINES", 8)
    words = [word for line in printed(run).splitlines() for word in line.split()]
    assert words.count("4:0") >= 3
    assert words.count("0:4") == 3
    assert "3:1" not in [line.split()[0] for line in printed(run).splitlines() if line.split()]
    assert "1 of 2 splits" in printed(run)


def test_a_single_split_is_drawn_and_shown(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    put_in.add_split(maker, "dram-nvm", 1, 1)
    run = maker.save("contention")
    assert "contention" in [drawing.figure.name for drawing in gather(run).drawings]
    assert "1:1" in printed(run)
