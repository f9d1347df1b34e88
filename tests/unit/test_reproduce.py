"""The five documents, recomputed: figures that match, figures that do not, and a changed number that is detected."""

import json
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from said import refused, say
from tierscope import reference
from tierscope.errors import Exit
from tierscope.reproduce import Claim, Document, Figure, reproduce
from tierscope.reproduce.claim import direction, mean_error
from tierscope.reproduce.score import Point, Score, nearest, scatter, side_by_side
from tierscope.reproduce.text import data, show, unclaimed

NAMES = ("000", "001", "002", "003", "004")


def claim(document: str, says: str) -> Claim:
    (found,) = (one for one in reproduce[document].claims() if one.says.startswith(says))
    return found


def failing(document: str, says: str) -> list[str]:
    return [figure.label for figure in claim(document, says).figures if not figure.holds]


def test_all_five_documents_are_there() -> None:
    assert set(NAMES) <= set(reproduce)


@pytest.mark.parametrize("name", list(reproduce))
def test_everything_is_as_documented(name: str) -> None:
    assert unclaimed(reproduce[name].claims()) == []


@pytest.mark.parametrize("name", list(reproduce))
def test_a_wrong_figure_has_a_reason(name: str) -> None:
    bad = [figure for one in reproduce[name].claims() for figure in one.figures if not figure.holds]
    assert bad or name not in NAMES
    assert all(figure.fault for figure in bad)


@pytest.mark.parametrize("name", list(reproduce))
def test_labels_of_a_claim_differ(name: str) -> None:
    for one in reproduce[name].claims():
        assert len({figure.label for figure in one.figures}) == len(one.figures)


# --- the documents ---


def test_004_both_columns_are_right_except_the_row_of_50_000() -> None:
    assert failing("004", "counter model, with CPU time of 854.9") == ["50,000"]
    assert failing("004", "hash-map model, 4 1/3") == ["50,000"]


def test_004_as_printed_no_row_follows_from_the_program() -> None:
    assert len(failing("004", "counter model, as its program")) == 10
    assert len(failing("004", "counter model, with CPU time of 854 ")) == 8


def test_004_mean_errors_are_those_of_the_table() -> None:
    found = {figure.label: figure.recomputed for figure in claim("004", "mean error of").figures}
    assert found == {"counter model": pytest.approx(8.07, abs=0.005), "hash-map model": pytest.approx(13.46, abs=0.005)}


def test_003_little_s_law_is_true_in_every_cell() -> None:
    cells = claim("003", "bandwidth is 64 bytes / latency").figures
    assert len(cells) == 152
    assert all(cell.holds for cell in cells)


def test_003_the_faults_of_the_storage_table_are_found() -> None:
    assert failing("003", "bandwidth is IOPS") == ["row 1, write, 4 KiB"]
    assert "row 7, read, 4 KiB" in failing("003", "latency is queue depth")
    reasons = {reason for one in reproduce["003"].claims() for reason in one.reasons}
    assert {word for word in ("lost a digit", "impossible", "unit slip") if any(word in r for r in reasons)} == {
        "lost a digit", "impossible", "unit slip",
    }  # fmt: skip


def test_002_losses_are_right_as_shares_of_the_longer_time_only() -> None:
    assert failing("002", "performance lost") == []
    assert len(failing("002", "the same as growth")) == 3


def test_001_the_peak_of_the_formula_is_not_that_of_the_processor() -> None:
    assert failing("001", "theoretical bandwidth") == ["of the processor, by the formula"]
    assert failing("001", "STREAM's best rate") == []


def test_000_shares_and_sums_are_right() -> None:
    assert failing("000", "copy on NVDIMMs and on DRAM") == ["1, as a difference"]
    sums = [one for one in reproduce["000"].claims() if one.says.startswith("sum of DRAM")]
    assert [len(one.figures) for one in sums] == [15, 15, 15]
    assert all(figure.holds for one in sums for figure in one.figures)


# --- a changed number ---


@pytest.mark.parametrize(
    ("name", "table", "column"),
    [
        ("000", "document000_ratio", "percent"),
        ("000", "document000_contention_nvm_nvm", "sum_mb_s"),
        ("001", "document001_stream", "min_s"),
        ("002", "document002_neighbors", "seconds"),
        ("003", "document003_loaded_latency", "latency_ns"),
        ("004", "document004_map_get", "counter_model_s"),
    ],
)
def test_a_number_that_is_off_by_two_percent_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], name: str, table: str, column: str
) -> None:
    loaded = {known: reference.load(known) for known in reference.names()}
    values = loaded[table].columns[column].copy()
    values[2] *= 1.02
    changed = replace(loaded[table], columns={**loaded[table].columns, column: values})
    for module in ("000", "001", "002", "003", "004"):
        monkeypatch.setattr(f"tierscope.reproduce.document_{module}.load", {**loaded, table: changed}.__getitem__)
    status, out, _ = say(capfd, "reproduce", name)
    assert status == Exit.FAILED
    assert "Not as Tierscope states" in out


# --- figures ---


@pytest.mark.parametrize(
    ("published", "recomputed", "step", "holds"),
    [
        (43.1, 43.149, 0.1, True),
        (43.1, 43.151, 0.1, False),
        (10_000, 10_499, 1000, True),
        (10_000, 9_499, 1000, False),
        (1 / 3, 0.2755, 0.1, True),
        ("rises", "rises", 1, True),
        ("rises", "falls", 1, False),
        (0.529, 0.5295, 0.001, True),
    ],
)
def test_a_figure_is_right_if_it_rounds_to_the_printed_digits(
    published: float | str, recomputed: float | str, step: float, holds: bool
) -> None:
    assert Figure("", published, recomputed, step).holds is holds


def test_slack_is_what_rounded_inputs_can_move() -> None:
    assert not Figure("", 64.09, 64.10, 0.01).holds
    assert Figure("", 64.09, 64.10, 0.01, slack=0.01).holds


@pytest.mark.parametrize(
    ("step", "decimals"), [(1000, 0), (1, 0), (0.5, 1), (0.1, 1), (0.01, 2), (0.001, 3), (0.02, 2)]
)
def test_figures_are_shown_with_the_digits_they_were_printed_with(step: float, decimals: int) -> None:
    assert Figure("", 1.0, 1.0, step).decimals == decimals


@pytest.mark.parametrize(
    ("values", "word"), [([1, 2, 3], "rises"), ([3, 2], "falls"), ([1, 3, 2], "neither"), ([1, 1], "neither")]
)
def test_the_direction_of_a_series(values: list[float], word: str) -> None:
    assert direction(values) == word


def test_a_mean_error_is_over_what_was_measured() -> None:
    assert mean_error([1.1, 1.8], [1.0, 2.0]) == pytest.approx(10)
    assert mean_error([2.0], [1.0], over=[2.0]) == pytest.approx(50)


# --- the command ---


@pytest.mark.parametrize("name", NAMES)
def test_a_document_is_shown_with_its_right_and_wrong_figures(capfd: pytest.CaptureFixture[str], name: str) -> None:
    status, out, err = say(capfd, "reproduce", name)
    assert (status, err) == (Exit.GOOD, "")
    assert out.startswith(f"document {name}: ")
    assert out.index("What is right") < out.index("What is not right, and why") < out.index("Also found")


def test_004_prints_published_recomputed_difference_and_errors(capfd: pytest.CaptureFixture[str]) -> None:
    lines = say(capfd, "reproduce", "004")[1].splitlines()
    assert "100,000        0.069     0.0691    +0.0001    0.086   -19.8 %    -19.6 % yes" in [
        line.strip() for line in lines
    ]
    assert max(map(len, lines)) <= 80


def test_a_long_table_is_shown_whole_when_asked(capfd: pytest.CaptureFixture[str]) -> None:
    short, whole = (say(capfd, "reproduce", "003", *more)[1] for more in ((), ("--all",)))
    assert "152 of 152 figures are right, largest difference 0.238; --all shows them" in short
    assert "W9 -l64, delay 1300" not in short
    assert "W9 -l64, delay 1300" in whole


def test_without_a_name_there_is_one_line_for_each(capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = say(capfd, "reproduce")
    assert status == Exit.GOOD
    assert [line.split()[0] for line in out.splitlines()] == list(reproduce)


def test_json_has_every_figure(capfd: pytest.CaptureFixture[str]) -> None:
    (document,) = json.loads(say(capfd, "reproduce", "004", "--json")[1])["documents"]
    assert document["as_claimed"] is True
    figure = document["claims"][0]["figures"][1]
    assert figure["published"] == pytest.approx(0.069)
    assert figure["recomputed"] == pytest.approx(0.06914, abs=1e-5)
    assert figure["published_error"] == pytest.approx(0.069 / 0.086 - 1)
    assert figure["holds"] is True


def test_an_unknown_document_is_a_usage_error(capfd: pytest.CaptureFixture[str]) -> None:
    status, line = refused(capfd, "reproduce", "005")
    assert status == Exit.USAGE
    assert "known: 000, 001, 002, 003, 004" in line


def test_figures_that_differ_from_our_claims_are_listed() -> None:
    figures = (Figure("a", 1, 2, fault=""), Figure("b", 1, 1, fault="we said it does not"))
    document = Document("x", "made", lambda: [Claim("here", "says", "", figures)], list)
    console = Console(record=True, width=80)
    show(document, console)
    shown = console.export_text()
    assert "here, says, a: not right" in shown
    assert "here, says, b: right" in shown
    assert data(document)["as_claimed"] is False


# --- our models ---


def scored(document: str, model: str, given: str = "") -> Score:
    (found,) = (one for one in reproduce[document].scores() if one.model.startswith(model) and given in one.given)
    return found


@pytest.mark.parametrize("table", ["table 3", "table 4", "table 5"])
def test_000_two_splits_give_the_thirteen_others_within_two_percent(table: str) -> None:
    found = scored("000", f"sharing, {table}", "splits 4 and 12")
    assert len(found.points) == 26
    assert found.mean_error <= 0.02
    assert found.inside is not None
    assert found.half_width is not None
    assert found.inside >= 0.9
    assert found.half_width <= 0.1


def test_000_without_a_split_the_error_is_below_five_percent() -> None:
    """Only of table 3: the document does not measure the second tier of tables 4 and 5 alone."""
    assert scored("000", "sharing, table 3", "alone").mean_error <= 0.05


def test_000_three_numbers_of_threads_give_all_others_on_dram() -> None:
    assert scored("000", "scaling, table 1").mean_error <= 0.02
    assert scored("000", "scaling, table 2").mean_error > 0.05  # its rows scatter by as much


def test_004_published_models_are_scored_as_their_document_is() -> None:
    found = {figure.label: figure.recomputed for figure in claim("004", "mean error of").figures}
    for name in ("counter model", "hash-map model"):
        assert 100 * scored("004", f"published {name}").mean_error == pytest.approx(found[name])


def test_004_shows_the_published_models_and_ours_on_the_same_rows(capfd: pytest.CaptureFixture[str]) -> None:
    shown = side_by_side(reproduce["004"].scores())
    assert [one.published for one in shown] == [True, True, False]
    assert {tuple(point.measured for point in one.points) for one in shown} == {
        tuple(reference.load("document004_map_get").columns["measured_s"].tolist())
    }
    table = say(capfd, "reproduce", "004")[1].partition("row by row")[2]
    assert sum("*" in line for line in table.splitlines()[1:]) == len(shown[0].points)
    (means,) = (line.split()[-3:] for line in table.splitlines() if line.startswith("mean of 10"))
    assert means == [f"{one.mean_error:.1%}" for one in shown]


def test_models_with_other_points_are_not_shown_side_by_side() -> None:
    first = Score("first", "", (Point("a", 1.0, 2.0), Point("b", 3.0, 2.0)), published=True)
    assert side_by_side([first, replace(first, published=False, beside=True, points=first.points[:1])]) == []
    assert side_by_side([first]) == []


def test_the_nearest_model_of_each_row_is_found() -> None:
    first = Score("first", "", (Point("a", 1.0, 2.0), Point("b", 2.1, 2.0)))
    second = Score("second", "", (Point("a", 2.1, 2.0), Point("b", 1.0, 2.0)))
    assert nearest([first, second]) == [1, 0]


def test_no_model_is_scored_on_a_point_that_it_was_given() -> None:
    labels = [point.label for point in scored("000", "sharing, table 3", "splits 4 and 12").points]
    assert not [label for label in labels if label.startswith(("4,", "12,"))]
    assert "50,000" not in [point.label for point in scored("004", "4 dependent accesses, caches").points]


def test_scatter_is_the_noise_of_a_smooth_series() -> None:
    made = (5 + np.linspace(0, 1, 4000)) * (1 + 0.03 * np.random.default_rng(7).standard_normal(4000))
    assert scatter(made) == pytest.approx(0.03, rel=0.05)


@pytest.mark.parametrize(("name", "shown"), [("004", False), ("000", True)])
def test_columns_of_bounds_are_left_out_where_no_model_has_bounds(
    capfd: pytest.CaptureFixture[str], name: str, shown: bool
) -> None:
    out = say(capfd, "reproduce", name)[1]
    head = out.partition("Models on what")[2].partition("\n\n")[0]
    assert "worst" in head
    assert ("width" in head, "inside" in head) == (shown, shown)
