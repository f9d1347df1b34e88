"""The top of the page of every suite's made run: what no reader should meet, whatever was measured."""

import re

import pytest

from made_suites import MADE
from tierscope.report.content import Content, gather
from tierscope.report.top.brief import begun
from tierscope.report.top.shown import value_of
from tierscope.report.top.top import top

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=sorted(MADE))
def content(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Content:
    return gather(MADE[request.param](tmp_path_factory.mktemp(request.param)))


def test_a_top_states_each_finding_once(content: Content) -> None:
    found = top(content)
    said = [begun(one.headline) for one in content.insights]
    texts = [found.lead, *(f"{one.short}. {one.text}" for one in found.answers)]
    for sentence in said:
        assert sum(sentence in text for text in texts) <= 1


def test_a_headline_is_a_finding_and_no_inventory(content: Content) -> None:
    lead = top(content).lead
    assert not re.search(r"\d rows? in \d+ table", lead)
    assert "nvm" not in lead.lower()
    assert lead.endswith(".")


def test_a_number_of_things_is_not_a_ratio(content: Content) -> None:
    for key in top(content).keys:
        counted = any(word in key.name for word in ("instructions", "lines in flight", "cycles", "entries", "claims"))
        assert value_of(key).endswith("x") == (key.unit == "1" and not counted and key.kind == "")


def test_no_suite_has_an_impossible_number(content: Content) -> None:
    """Made runs have a fake clock, and those of the fake core the same rates again; other identities must be true."""
    failures = [one for one in content.audit.failures if one.identity not in ("wall_time", "copied")]
    assert failures == []
