"""A lever and the model: the lever's prediction for a tier, tiers without one, and answers that differ too much."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from made_response import Answering, response_run
from tierscope.errors import UsageError
from tierscope.models.model import Prediction
from tierscope.predict.program.answer import Answer
from tierscope.predict.program.lever import Opinion, judged, opinion, responses, same_command
from tierscope.predict.program.place import Place
from tierscope.predict.program.text import beside, line
from tierscope.record.result import Run
from tierscope.suites.response.found import Found

PROGRAM = ["./solve", "in.txt"]
MODEL = Answer("cxl", 1.40, 1.35, 1.45, 14.0, 10.0, 0.5, 0.1)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return response_run(tmp_path_factory.mktemp("response"))


@pytest.fixture(scope="module")
def weak(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return response_run(tmp_path_factory.mktemp("weak"), made=Answering(most=1.1))


def known(run: Run) -> list[Found]:
    return responses([run], PROGRAM, run.result.machine.identity.digest())


def place(over: float | None = 2.0, bandwidth: float | None = 1.0) -> Place:
    return Place("cxl", "flat", over=over, bandwidth_over=bandwidth)


def said(value: float, half: float = 0.02) -> Opinion:
    return Opinion("load", Prediction(value, value - half, value + half, "1"))


def test_the_line_of_the_lever_is_read_at_the_latency_of_the_tier(run: Run) -> None:
    found = opinion(known(run), place(2.0))
    assert found is not None
    assert found.said is not None
    assert found.said.low <= Answering().slowdown(2.0) <= found.said.high


@pytest.mark.parametrize(
    ("tier", "why"),
    [
        (place(None), "give read="),
        (place(50.0), "as far as the lever went"),
        (place(2.0, 0.1), "the tier has 10% of the bandwidth here"),
    ],
)
def test_beyond_its_steps_a_lever_has_no_answer(run: Run, tier: Place, why: str) -> None:
    found = opinion(known(run), tier)
    assert found is not None
    assert found.said is None
    assert why in found.unknown


def test_a_lever_that_was_refused_leaves_the_model_alone_and_prints_its_range(weak: Run) -> None:
    found = judged(MODEL, opinion(known(weak), place()))
    assert (found.ratio, found.low, found.high) == (1.40, 1.35, 1.45)
    assert "not surely 25 %" in beside(found)


def test_without_a_lever_the_answer_is_that_of_the_model() -> None:
    assert judged(MODEL, None) == MODEL
    assert opinion([], place()) is None


@pytest.mark.parametrize("value", [1.28, 1.40, 1.53])
def test_a_lever_within_ten_percent_agrees(value: float) -> None:
    found = judged(MODEL, said(value))
    assert (found.ratio, found.lever_ratio, found.unknown) == (1.40, value, "")
    assert beside(found).startswith(f"lever load: {value:.2f}x")


@pytest.mark.parametrize("value", [1.2, 1.6])
def test_beyond_ten_percent_neither_is_believed_and_both_are_printed(value: float) -> None:
    found = judged(MODEL, said(value))
    assert (found.ratio, found.low, found.high, found.seconds) == (None, None, None, None)
    text = line(found)
    assert text.startswith("not known, because the model gives 1.40x (1.35 to 1.45)")
    assert f"the lever load {value:.2f}x" in text
    assert "more than 10% apart" in text
    assert found.row()["lever_ratio"] == value


def test_an_answer_that_the_model_does_not_know_stays_so() -> None:
    unknown = replace(MODEL, ratio=None, low=None, high=None, seconds=None, unknown="it forks")
    assert judged(unknown, said(1.4)).unknown == "it forks"


def test_a_run_of_another_program_or_machine_is_refused(run: Run) -> None:
    with pytest.raises(UsageError, match="has the response of './solve in.txt', not of './solve other'"):
        responses([run], ["./solve", "other"], run.result.machine.identity.digest())
    with pytest.raises(UsageError, match="not a complete run of this machine"):
        responses([run], PROGRAM, "another")


def test_the_latest_run_of_the_same_program_is_found(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    digest = run.result.machine.identity.digest()
    assert responses([], PROGRAM, digest) == []
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "2026-01-02T030405-response-made").symlink_to(run.path)
    assert [one.command for one in responses([], PROGRAM, digest)] == ["./solve in.txt"]
    assert responses([], ["./other"], digest) == []


@pytest.mark.parametrize(
    ("text", "words", "same"),
    [
        ("./solve in.txt", ["./solve", "in.txt"], True),
        ("./solve 'in put.txt'", ["./solve", "in put.txt"], True),
        ("./solve in.txt | wc -l", ["./solve", "in.txt"], False),
        ("./solve 'in", ["./solve", "in"], False),
    ],
)
def test_a_line_and_a_program_are_the_same_if_their_words_are(text: str, words: list[str], same: bool) -> None:
    assert same_command(text, words) is same


def test_a_terminal_shows_the_lever_below_the_model() -> None:
    console = Console(file=io.StringIO(), width=200)
    console.print(beside(judged(MODEL, said(1.45))))
    assert "1.45x (1.43 to 1.47)" in console.file.getvalue()  # type: ignore[attr-defined]
