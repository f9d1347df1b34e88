"""A stored prediction: its rows, its contours, its page, and what cannot be done with it."""

import math
from pathlib import Path

import msgspec
import numpy as np
import pytest

from made_prediction import OBJECTS, PHASES, TIERS, made_predicted, prediction_run, slowdown
from tierscope.cli.main import main
from tierscope.draw import figures
from tierscope.draw.contours import contour
from tierscope.errors import Exit
from tierscope.predict.program.grid import BANDWIDTHS, FARTHEST, LATENCIES, MOST, axes
from tierscope.record.result import Run, load
from tierscope.report.content import gather
from tierscope.report.formats import write
from tierscope.report.top.parts import Answer
from tierscope.report.top.top import top
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


def test_each_object_has_its_part_of_the_added_time_and_of_the_bytes(tmp_path: Path) -> None:
    rows = [row for row in tables["prediction_objects"].flat(prediction_run(tmp_path)) if row["tier"] == "cxl"]
    assert [row["object"] for row in rows] == [*(name for name, *_ in OBJECTS), "39 other objects", "the rest"]
    assert sum(float(str(row["added_share"])) for row in rows) == pytest.approx(1)
    assert sum(float(str(row["moved_share"])) for row in rows) == pytest.approx(1)
    added = 3 * (slowdown(*TIERS[0][1:]) - 1)
    assert rows[0]["seconds_added"] == pytest.approx(OBJECTS[0][1] * added)
    assert [row["best_for"] for row in rows] == ["64 MiB; 1 GiB", "1 GiB", "", ""]
    assert rows[3]["size"] is None


def test_each_set_has_its_time_with_bounds_and_each_size_a_sentence(tmp_path: Path) -> None:
    run = prediction_run(tmp_path)
    rows = [row for row in tables["prediction_placement"].flat(run) if row["tier"] == "cxl"]
    assert [row["memory_bytes"] for row in rows] == [0, 48 << 20, 560 << 20, 64 << 20, 1 << 30]
    assert [row["set"] for row in rows] == ["growing"] * 3 + ["best"] * 2
    time = 1 + 0.3 * (slowdown(*TIERS[0][1:]) - 1)
    assert rows[1]["slowdown"] == pytest.approx(time)
    assert (rows[1]["seconds_low"], rows[1]["seconds_high"]) == pytest.approx((3 * 0.95 * time, 3 * 1.04 * time))
    said = {
        one.name: one for one in tables["prediction_placement"].insights(run, tables["prediction_placement"].rows(run))
    }
    assert said["placed 64_MiB cxl"].text == (
        "With 64 MiB of the memory here: this one of 41 objects, 48 MiB, in it: 1.27x (1.21x to 1.32x) instead of "
        "1.90x on cxl alone: get < graph (solve.c:20)"
    )
    refused = said["placed_unknown optane100"]
    assert (refused.value, refused.conclusive) == (None, False)
    assert refused.text == "Objects on optane100: not known, because the program stated no allocation"


def test_sizes_that_round_to_one_text_have_names_of_their_own(tmp_path: Path) -> None:
    whole = made_predicted()
    (first, *_) = whole.placed
    near = iter(((8 << 20), (8 << 20) + 1024))
    sets = tuple(msgspec.structs.replace(one, fast_bytes=next(near)) if one.fast_bytes else one for one in first.sets)
    run = prediction_run(tmp_path, msgspec.structs.replace(whole, placed=(msgspec.structs.replace(first, sets=sets),)))
    said = tables["prediction_placement"].insights(run, tables["prediction_placement"].rows(run))
    assert [one.name for one in said] == ["placed 8388608_B cxl", "placed 8389632_B cxl"]
    assert said[0].text.startswith("With 8388608 B of the memory here")
    rows = tables["prediction_objects"].flat(run)
    assert rows[0]["best_for"] == "8388608 B; 8389632 B"


def test_without_sizes_the_first_set_that_saves_enough_has_a_sentence(tmp_path: Path) -> None:
    whole = made_predicted()
    (first, *_) = whole.placed
    growing = msgspec.structs.replace(first, sets=tuple(one for one in first.sets if one.fast_bytes is None))
    run = prediction_run(tmp_path, msgspec.structs.replace(whole, placed=(growing,)))
    (said,) = tables["prediction_placement"].insights(run, tables["prediction_placement"].rows(run))
    assert said.text.startswith("With 560 MiB of the memory here: these 2 of 41 objects, 560 MiB, in it: 1.04x")


def test_the_curve_has_each_set_with_its_bounds_and_rings_for_the_sizes(tmp_path: Path) -> None:
    run = prediction_run(tmp_path)
    rows = tables["prediction_placement"].rows(run)
    spec = figures["prediction_placement"].draw(run, rows, [])
    assert spec is not None
    band, *_, rings = spec["layer"]
    curve = [point for point in band["data"]["values"] if point["tier"] == "cxl"]
    assert [point["mib"] for point in curve] == [0, 48, 560]
    assert all(point["low"] < point["ratio"] < point["high"] for point in curve)
    assert [point["mib"] for point in rings["data"]["values"] if point["tier"] == "cxl"] == [48, 560]
    half = [msgspec.structs.replace(row, slowdown=None) if row.tier == "cxl" else row for row in rows]
    spec = figures["prediction_placement"].draw(run, half, [])
    assert spec is not None
    assert spec["usermeta"]["tierscope"]["notes"] == ["3 of 6 points have no number: see the table for why."]


def test_the_figure_of_objects_has_two_bars_for_each_and_few_of_many(tmp_path: Path) -> None:
    run = prediction_run(tmp_path)
    rows = tables["prediction_objects"].rows(run)
    spec = figures["prediction_objects"].draw(run, rows, [])
    assert spec is not None
    points = spec["data"]["values"]
    assert len(points) == 2 * len(rows)
    assert [point["share"] for point in points[:2]] == pytest.approx([70, 100 * 0.2])
    many = [msgspec.structs.replace(rows[0], object=f"o{i}", added_share=0.01 * i, moved_share=0.0) for i in range(30)]
    spec = figures["prediction_objects"].draw(run, many, [])
    assert spec is not None
    assert {point["object"] for point in spec["data"]["values"]} == {f"o{i}" for i in range(18, 30)}
    assert spec["usermeta"]["tierscope"]["notes"] == ["18 objects that wait less are in the table alone."]


def test_the_phases_of_a_tier_are_parts_of_its_time(tmp_path: Path) -> None:
    run = prediction_run(tmp_path)
    rows = tables["prediction_phases"].rows(run)
    assert [(row.phase, row.tier) for row in rows[:2]] == [("build", "cxl"), ("build", TIERS[1][0])]
    spec = figures["prediction_phases"].draw(run, rows, [])
    assert spec is not None
    of_tier = [point for point in spec["data"]["values"] if point["tier"] == "cxl"]
    whole = sum(point["time"] for point in of_tier if "part" in point)
    assert whole == pytest.approx(sum(100 * share * ratio for _, _, share, ratio in PHASES), rel=1e-3)
    bounds = [point for point in of_tier if "low" in point]
    assert [point["here"] for point in bounds] == pytest.approx([25, 75])
    assert [point["low"] for point in bounds] == pytest.approx([27, 141.75], rel=1e-4)
    (said, _) = tables["prediction_phases"].insights(run, rows)
    assert said.text == "Phase solve adds 94 % of what cxl adds: 2.10x (1.89x to 2.31x) there, 75 % of the time here"


def test_phases_and_sets_that_are_not_known_have_rows_and_no_figure(tmp_path: Path) -> None:
    run = prediction_run(tmp_path, made_predicted(unknown="it started 2 processes"))
    for name in ("prediction_phases", "prediction_placement"):
        rows = tables[name].rows(run)
        assert rows
        assert figures[name].draw(run, rows, []) is None
    (first, *_) = tables["prediction_placement"].insights(run, tables["prediction_placement"].rows(run))
    assert "in it: 70 % less added time on cxl, by the model alone: get < graph" in first.text
    assert not first.conclusive
    assert tables["prediction_placement"].rows(run)[0].why == "it started 2 processes"


def how_sure(run: Run) -> Answer:
    """Return the answer at the top of the page."""
    (answer,) = [one for one in top(gather(run)).answers if one.question == "How sure?"]
    return answer


def test_the_top_states_how_many_predictions_have_bounds_and_how_wide(tmp_path: Path) -> None:
    answer = how_sure(prediction_run(tmp_path))
    assert answer.short == "All 3 predictions have bounds, ±8.0 %"
    assert answer.text.startswith("All 10 object sets have bounds, ±5.0 %.")
    assert answer.text.endswith("on a real second memory is not known yet.")
    assert answer.mark == "good"


def test_the_top_states_which_predictions_are_refused_and_why(tmp_path: Path) -> None:
    whole = made_predicted()
    refused = msgspec.structs.replace(whole.tiers[1], ratio=None, low=None, high=None, seconds=None, unknown="too far")
    wide = msgspec.structs.replace(whole.tiers[0], high=1.3 * (whole.tiers[0].ratio or 0))
    tiers = (wide, refused, whole.tiers[2])
    answer = how_sure(prediction_run(tmp_path, msgspec.structs.replace(whole, tiers=tiers, placed=())))
    assert answer.short == "2 of 3 predictions have bounds, ±8.0 to 30.0 %"
    assert answer.text.startswith(f"Not known for {TIERS[1][0]}: too far.")
    assert answer.mark == "note"


def test_the_top_states_that_no_prediction_is_known(tmp_path: Path) -> None:
    answer = how_sure(prediction_run(tmp_path, made_predicted(unknown="it started 2 processes")))
    assert answer.short == "None of the 3 predictions is known"
    assert "Not known for cxl, read=200ns,bandwidth=4GB/s, optane100: it started 2 processes." in answer.text
    assert "second memory" not in answer.text
    content = gather(prediction_run(tmp_path / "again", made_predicted(unknown="it started 2 processes")))
    assert top(content).lead == "None of the 3 predictions is known."
    (said, *_) = content.sections["prediction_objects"].insights
    assert said.text == (
        "get < graph (solve.c:20), 48 MiB: 70 % of the time that cxl adds waits for it, and 20 % of the bytes are "
        "moved for it; by the model alone, which does not match the time here"
    )
    assert not said.conclusive


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


def test_a_directory_that_is_not_empty_is_refused_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").write_text("kept")
    words = ["predict", "--on", "read=350ns", "--out", str(tmp_path), "--", "true"]
    assert main(words) == Exit.USAGE
    said = capsys.readouterr().err
    assert "is not empty; name a new directory" in said
    assert "runs here" not in said
    assert (tmp_path / "mine").read_text() == "kept"


def test_a_refused_program_leaves_no_directory(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["predict", "--on", "read=350ns", "--out", str(out), "--", str(tmp_path / "none")]) == Exit.USAGE
    assert not out.exists()


def test_a_stored_prediction_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = made_predicted()
    assert load(prediction_run(tmp_path, found).path).result.predicted == found
