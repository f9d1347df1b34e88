"""A question at the top is "not known" only where the headline does not answer it, and for the reason that is true."""

from pathlib import Path

import pytest

from tierscope.record.result import load
from tierscope.report.content import gather
from tierscope.report.top.brief import begun
from tierscope.report.top.top import top
from tierscope.tables import BESIDE, tables

RUNS = Path(__file__).parents[1] / "data/runs"
NOTHING = "Not known: nothing in this run answers it"


@pytest.mark.parametrize("suite", sorted(run.name for run in RUNS.iterdir()))
def test_no_question_is_unanswered_below_a_headline_that_answers_it(suite: str) -> None:
    content = gather(load(RUNS / suite))
    found = top(content)
    sections = [one for one in content.sections.values() if one.asked and tables[one.name].place < BESIDE]
    for section in sections[:1]:
        stated = [one for one in section.insights if one.conclusive and found.lead.startswith(begun(one.headline))]
        said = [one for one in found.answers if section.asked and one.question == section.asked.question]
        if stated:
            assert not any(one.short.startswith("Not known") for one in said)
        if any(one.short == NOTHING for one in said):
            assert all(row["conclusive"] for row in section.judged)


@pytest.mark.parametrize(("suite", "question"), [("latency", "What does an access cost?"), ("core", "How much can")])
def test_a_headline_that_answers_leaves_no_question(suite: str, question: str) -> None:
    found = top(gather(load(RUNS / suite)))
    assert not any(one.question.startswith(question) for one in found.answers)


def test_inconclusive_points_are_named_as_the_reason() -> None:
    found = top(gather(load(RUNS / "neighbors")))
    assert found.answers[0].short == "Not known: the points that could answer it are inconclusive"
