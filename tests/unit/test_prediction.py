"""A stored prediction: its rows, its contours, its page, and what cannot be done with it."""

import math
from pathlib import Path

import msgspec
import numpy as np
import pytest

from made_prediction import TIERS, made_predicted, prediction_run, slowdown
from tierscope.cli.main import main
from tierscope.draw import figures
from tierscope.draw.contours import contour
from tierscope.errors import Exit
from tierscope.predict.program.grid import BANDWIDTHS, FARTHEST, LATENCIES, MOST, axes
from tierscope.record.result import load
from tierscope.report.formats import write
from tierscope.suites.prediction.figure import labels, levels, pieces
from tierscope.tables import tables


def test_lines_of_a_plane_are_where_the_plane_has_their_value() -> None:
    x, y = np.linspace(0, 3, 4), np.linspace(0, 2, 3)
    values = 2 * x[None, :] + y[:, None]
    found = contour(x, y, values, 3.3)
    assert found
    for x1, y1, x2, y2 in found:
        assert 2 * x1 + y1 == pytest.approx(3.3)
        assert 2 * x2 + y2 == pytest.approx(3.3)
    assert max(max(one[0], one[2]) for one in found) == pytest.approx(1.65)
    assert min(min(one[1], one[3]) for one in found) == pytest.approx(0)
    assert contour(x, y, values, 9.0) == []


def test_pieces_of_a_closed_line_meet_in_pairs() -> None:
    x = y = np.linspace(-1, 1, 9)
    found = contour(x, y, x[None, :] ** 2 + y[:, None] ** 2, 0.47)
    ends = [(round(a, 9), round(b, 9)) for one in found for a, b in (one[:2], one[2:])]
    assert {ends.count(end) for end in ends} == {2}
    assert all(math.hypot(*end) == pytest.approx(0.47**0.5, rel=0.05) for end in ends)


def test_a_saddle_has_two_lines_that_do_not_cross() -> None:
    x = y = np.array([0.0, 1.0])
    high, low = (contour(x, y, np.array([[0.0, 1.0], [1.0, 0.0]]), level) for level in (0.6, 0.4))
    assert len(high) > 2
    assert all((a - 0.5) * (b - 0.5) <= 1e-9 for a, b, *_ in high)  # around the two corners that are above
    assert all((a - 0.5) * (b - 0.5) >= -1e-9 for a, b, *_ in low)


def test_the_grid_contains_this_machine_and_all_tiers_not_on_its_edge() -> None:
    latencies, bandwidths = axes([(2.5, 0.5), (4.0, 0.1)])
    assert (len(latencies), len(bandwidths)) == (LATENCIES, BANDWIDTHS)
    assert latencies[0] == pytest.approx(1.0)
    assert latencies[-1] > 4.0
    assert bandwidths[0] < 0.1
    assert bandwidths[-1] == pytest.approx(1.0)
    assert axes([])[0][-1] == pytest.approx(FARTHEST)
    assert axes([(500.0, 1.0)])[0][-1] == pytest.approx(MOST)
    faster, wider = axes([(0.8, 2.0)])
    assert faster[0] < 0.8
    assert wider[-1] > 2.0


def test_rows_are_those_that_were_predicted(tmp_path: Path) -> None:
    run = prediction_run(tmp_path)
    rows = tables["prediction"].flat(run)
    assert [row["tier"] for row in rows] == [*(name for name, *_ in TIERS), "optane100"]
    assert rows[0]["slowdown"] == pytest.approx(slowdown(*TIERS[0][1:]))
    assert rows[0]["seconds"] == pytest.approx(3 * slowdown(*TIERS[0][1:]))
    assert (rows[2]["latency_over"], rows[2]["bandwidth_over"]) == (None, None)
    assert len(tables["prediction_grid"].flat(run)) == LATENCIES * BANDWIDTHS
    said = [one.text for one in tables["prediction"].insights(run, tables["prediction"].rows(run))]
    assert said[0].startswith("./solve in.txt on cxl: 1.90x the time (1.77x to 2.05x); 45 % of it waits for misses")


def test_contours_follow_the_law_of_the_program(tmp_path: Path) -> None:
    found = pieces(tables["prediction_grid"].rows(prediction_run(tmp_path)))
    assert found
    for one in found:
        level = float(one["level"].removesuffix("x"))
        assert slowdown(one["x"], one["y"]) == pytest.approx(level, rel=0.15)  # straight lines between the grid
    assert {one["level"] for one in labels(found)} == {one["level"] for one in found}


def test_levels_are_few_and_inside() -> None:
    assert levels(1.0, 2.6) == [1.05, 1.2, 1.5, 2.0] or len(levels(1.0, 2.6)) <= 8
    assert all(1.0 < level < 50 for level in levels(1.0, 50.0))
    assert len(levels(1.0, 50.0)) <= 8
    assert levels(1.0, 1.01) == []


def test_the_figure_has_each_tier_with_its_bounds_and_names_those_without_a_place(tmp_path: Path) -> None:
    run = prediction_run(tmp_path)
    spec = figures["prediction"].draw(run, tables["prediction_grid"].rows(run), [])
    assert spec is not None
    texts = [value["text"] for layer in spec["layer"] for value in layer["data"]["values"] if "text" in value]
    assert "cxl: 1.90x (1.77 to 2.05)" in texts
    (note,) = spec["usermeta"]["tierscope"]["notes"]
    assert note.startswith("optane100: 2.53x (2.36 to 2.74), without a place")


def test_without_a_whole_grid_there_are_no_contours(tmp_path: Path) -> None:
    whole = made_predicted()
    for found in (made_predicted(grid=False), msgspec.structs.replace(whole, cells=whole.cells[:-1])):
        run = prediction_run(tmp_path, found)
        assert figures["prediction"].draw(run, tables["prediction_grid"].rows(run), []) is None


def test_where_the_time_goes_adds_up_to_the_time_there(tmp_path: Path) -> None:
    run = prediction_run(tmp_path)
    spec = figures["prediction_time"].draw(run, tables["prediction"].rows(run), [])
    assert spec is not None
    parts = [one for one in spec["layer"][0]["data"]["values"] if one["tier"] == "cxl"]
    assert sum(one["ratio"] for one in parts) == pytest.approx(slowdown(*TIERS[0][1:]), rel=1e-3)


def test_an_unknown_answer_has_a_reason_and_no_figure(tmp_path: Path) -> None:
    run = prediction_run(tmp_path, made_predicted(unknown="it started 2 processes"))
    rows = tables["prediction"].rows(run)
    assert figures["prediction_time"].draw(run, rows, []) is None
    (first, *_) = tables["prediction"].insights(run, rows)
    assert first.text == "./solve in.txt on cxl: not known, because it started 2 processes"
    assert not first.conclusive


@pytest.mark.parametrize("name", ["html", "markdown", "csv", "parquet"])
def test_it_is_reported_and_exported_like_any_run(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = prediction_run(tmp_path / "run")
    if name in ("html", "markdown"):
        (path, *_) = write(name, run, tmp_path / "out")
        assert "optane100" in path.read_text()
        return
    out = tmp_path / f"out.{name}"
    assert main(["export", str(run.path), "--to", name, "--out", str(out)]) == Exit.GOOD
    capsys.readouterr()
    assert out.stat().st_size > 100


@pytest.mark.parametrize("command", ["resume", "rerun"])
def test_it_cannot_be_continued_or_repeated(tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    run = prediction_run(tmp_path)
    assert main([command, str(run.path)]) == Exit.USAGE
    assert "is a prediction and cannot be" in capsys.readouterr().err


def test_a_stored_prediction_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = made_predicted()
    assert load(prediction_run(tmp_path, found).path).result.predicted == found
