"""Defaults of options that are measured show their unit, and what is shown can be typed."""

import re

import pytest

from said import say
from tierscope.plans import suites
from tierscope.plans.kinds import SECONDS
from tierscope.plans.options import Option, all_options
from tierscope.units import parse_seconds, spaced, word_seconds

MEASURED = [
    pytest.param(one, id=f"{name}-{one.name}")
    for name in suites
    for one in all_options(suites[name].options)
    if one.kind.measured and one.default is not None
]


@pytest.mark.parametrize("option", MEASURED)
def test_a_default_has_its_unit_and_reads_back(option: Option) -> None:
    assert re.fullmatch(r"[0-9.]+[A-Za-z]+", option.show())
    assert option.read(option.show()) == option.default
    assert option.shown() == spaced(option.show()) != option.show()


def test_every_option_in_seconds_is_measured() -> None:
    options = [one for name in suites for one in all_options(suites[name].options)]
    assert {one.name for one in options if one.kind.read is SECONDS.read} >= {"budget", "limit"}
    assert all(one.kind.measured for one in options if one.kind.read is SECONDS.read)


@pytest.mark.parametrize(
    ("seconds", "word"),
    [(1.5, "1.5s"), (0.001, "1ms"), (105.0, "105s"), (0.0, "0s"), (1e-6, "1us"), (1 / 3, f"{1 / 3}s")],
)
def test_the_word_of_a_time_is_short_and_the_same_time(seconds: float, word: str) -> None:
    assert word_seconds(seconds) == word
    assert parse_seconds(word_seconds(seconds)) == seconds


def test_the_help_of_a_suite_shows_units(capfd: pytest.CaptureFixture[str]) -> None:
    out = " ".join(say(capfd, "run", "stream", "--help")[1].split())
    assert "default: 1.5 s" in out
    assert "default: 1 ms" in out
