"""key=value words: read over the defaults, refused in words that help."""

import re
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec import Meta

from tierscope.cli.words import read_words
from tierscope.errors import ResultError, UnknownNameError, UsageError
from tierscope.plans import suites
from tierscope.plans.kinds import Help, Share, Size, names_of, numbers_of, one_of, several, word_numbers
from tierscope.plans.options import Options, all_options, own_options
from tierscope.record.experiment import Label, Target
from tierscope.units import parse_bytes

NAMES = list(suites)


def test_words_become_a_dictionary() -> None:
    assert read_words(("a=1", "b=x=y", "c=")) == {"a": "1", "b": "x=y", "c": ""}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("a",), "'a' is not of the form key=value"),
        (("=1",), "not of the form"),
        (("a=1", "a=2"), "twice"),
        (("a=\udcff",), "cannot be printed"),
        (("a=1\n",), "cannot be printed"),
    ],
)
def test_words_of_another_form_are_refused(words: tuple[str, ...], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        read_words(words)


@pytest.mark.parametrize("name", NAMES)
def test_no_words_are_the_defaults(name: str) -> None:
    assert suites[name].read({}) == suites[name].options()


@pytest.mark.parametrize("name", NAMES)
def test_every_default_is_shown_as_a_word_that_reads_back(name: str) -> None:
    for option in all_options(suites[name].options):
        assert option.read(option.show()) == option.default


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_key_is_reported_with_all_that_are_known(name: str) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown option of {name} 'peakx'; did you mean peak") as caught:
        suites[name].read({"peakx": "1GB/s"})
    assert all(option.name in str(caught.value) for option in all_options(suites[name].options))


@pytest.mark.parametrize(
    ("suite", "key", "word", "why"),
    [
        ("stream", "array", "5parsec", "unknown unit 'parsec'"),
        ("stream", "array", "-5MiB", "not a number with a unit"),
        ("stream", "precision", "0", "a share above 0 and below 1"),
        ("stream", "precision", "nan", "a share above 0 and below 1"),
        ("stream", "precision", "100%", "a share above 0 and below 1"),
        ("stream", "precision", "fine", "a share above 0 and below 1"),
        ("stream", "budget", "0s", "a time above 0"),
        ("stream", "array", "0", "4KiB or more is needed"),
        ("stream", "budget", "soon", "time 'soon' is not a number"),
        ("stream", "peak", "0GB/s", "a rate above 0"),
        ("latency", "per_octave", "0", "a number from 1 to 32"),
        ("latency", "per_octave", "2.5", "a whole number"),
        ("latency", "cpu", "-1", "a whole number"),
        ("latency", "cpu", "²", "a whole number"),
        ("latency", "cpu", "9" * 5000, "a whole number"),
        ("latency", "from", "auto", "not a number with a unit"),
    ],
)
def test_a_wrong_value_is_reported_with_its_key(suite: str, key: str, word: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        suites[suite].read({key: word})
    assert str(caught.value).startswith(f"{key}={word}: ")


@pytest.mark.parametrize(("word", "share"), [("0.02", 0.02), ("2%", 0.02), ("1e-3", 0.001)])
def test_a_share_is_a_fraction_or_a_percentage(word: str, share: float) -> None:
    assert suites["stream"].read({"precision": word}).precision == pytest.approx(share)


def test_auto_is_what_the_suite_finds_itself() -> None:
    assert suites["stream"].read({"array": "auto", "threads": "auto"}) == suites["stream"].read({})


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("3", [3]), ("1,2,8-10", [1, 2, 8, 9, 10]), ("0-0", [0]), ("2,1,2", [2, 1, 2]), ("1,,2", [1, 2])],
)
def test_a_list_of_numbers(text: str, numbers: list[int]) -> None:
    assert numbers_of(text) == tuple(numbers)


@pytest.mark.parametrize("text", ["a", "1-", "-1", "3-1", "1-2-3", "1.5", "²", "1-99999999999", "9" * 5000, "0x1", " "])
def test_text_that_is_not_a_list_of_numbers_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"cpus=.*: this is not a list such as 0-3,8"):
        suites["stream"].read({"cpus": text})


@pytest.mark.parametrize("text", ["", ","])
def test_a_list_without_a_number_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="names no number"):
        numbers_of(text)


@given(some.lists(some.integers(0, 20), min_size=1).map(tuple))
def test_numbers_are_written_as_a_word_that_reads_back(numbers: tuple[int, ...]) -> None:
    assert numbers_of(word_numbers(numbers)) == numbers
    assert word_numbers((0, 1, 3, 4, 5, 5)) == "0,1,3-5,5"


@given(some.text(alphabet="0123456789-,² ", max_size=10))
def test_any_text_is_numbers_or_a_usage_error(text: str) -> None:
    try:
        assert all(number >= 0 for number in numbers_of(text))
    except UsageError as error:
        assert "\n" not in str(error)


def test_names_are_checked_and_all_is_a_name() -> None:
    assert names_of("tool", ("saw", "axe"), ("axe", "saw")) == ("saw", "axe")
    assert names_of("tool", ("all",), ("axe", "saw")) == ("axe", "saw")
    with pytest.raises(UnknownNameError, match="unknown tool 'sew'; did you mean saw"):
        names_of("tool", ("axe", "sew"), ("axe", "saw"))
    with pytest.raises(UsageError, match="no tool is named; known: axe, saw"):
        names_of("tool", (), ("axe", "saw"))


@pytest.mark.parametrize("name", NAMES)
def test_options_of_a_manifest_are_read_again(name: str) -> None:
    words = {"precision": "3%", "limit": "60s", "devices": "7", "peak": "307.2GB/s"}
    known = {option.name for option in all_options(suites[name].options)}
    asked = suites[name].read({key: word for key, word in words.items() if key in known})
    assert suites[name].read_again(asked.labels()) == asked


def test_a_manifest_of_an_older_version_gets_the_defaults_of_what_it_did_not_know() -> None:
    kept = suites["latency"].read({"from": "8KiB"}).labels()
    del kept["order"]
    assert suites["latency"].read_again({**kept, "gone": 1}) == suites["latency"].read({"from": "8KiB"})


@pytest.mark.parametrize("value", [-3, "many", 1.5, 0])
def test_a_manifest_with_a_wrong_value_is_damaged(value: object) -> None:
    kept = {**suites["latency"].read({}).labels(), "per_octave": value}
    with pytest.raises(ResultError, match="options are damaged: per_octave="):
        suites["latency"].read_again(kept)


class Made(Options, frozen=True, kw_only=True):
    """One option of each kind."""

    share: Annotated[Share, Help("a share")] = 0.5
    size: Annotated[Size | None, Help("bytes; auto: none")] = None
    steps: Annotated[Annotated[int, Meta(ge=1, le=32)], Help("how many")] = 2
    tool: Annotated[Annotated[str, one_of("tool", ("axe", "saw"))], Help("one")] = "axe"
    tools: Annotated[Annotated[tuple[str, ...], several("tool", ("axe", "saw"), "both")], Help("some")] = ("axe",)
    at: Annotated[Target, Help("where")] = Target()


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"share": 3}, "share=3: a share above 0 and below 1 is needed"),
        ({"share": 0.0}, "share=0.0: a share above 0"),
        ({"share": float("nan")}, "share=nan: a share above 0"),
        ({"share": None}, "share=None: a share above 0"),
        ({"size": 0}, "size=0: 4KiB or more is needed"),
        ({"size": "1KiB"}, "size=1KiB: "),
        ({"steps": 0}, "steps=0: a number from 1 to 32 is needed"),
        ({"steps": True}, "steps=True: a number from 1 to 32"),
        ({"tool": "sew"}, "tool=sew: unknown tool 'sew'; did you mean saw"),
        ({"tool": "axe,saw"}, "one tool at a time"),
        ({"tools": ("axe", "sew")}, "unknown tool 'sew'"),
        ({"tools": ()}, "no tool is named"),
        ({"at": "node:0"}, "at=node:0: "),
    ],
)
def test_a_struct_refuses_what_no_word_may_be(values: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=re.escape(why)):
        Made(**values)


def test_a_struct_is_kept_as_numbers_and_words() -> None:
    made = Made(size=4096, tools=("axe", "saw"), at=Target(where="1"))
    assert made.labels() == {"share": 0.5, "size": 4096, "steps": 2, "tool": "axe", "tools": "both", "at": "node:1"}
    assert Made().labels()["size"] is None
    assert [option.show() for option in own_options(Made)] == ["0.5", "auto", "2", "axe", "axe", "node:0"]


@pytest.mark.parametrize(("key", "older"), [("cpus", 1), ("threads", "1"), ("array", "64MiB"), ("budget", 2)])
def test_a_manifest_may_have_a_number_where_words_are_read_and_the_other_way(key: str, older: Label) -> None:
    found = suites["stream"].read_again({key: older})
    assert getattr(found, key) == {"cpus": (1,), "threads": (1,), "array": 64 << 20, "budget": 2.0}[key]


@pytest.mark.parametrize(
    ("suite", "key"),
    [(name, one.name) for name in NAMES for one in all_options(suites[name].options) if one.kind.read is parse_bytes],
)
def test_no_size_of_a_few_bytes_is_taken(suite: str, key: str) -> None:
    """A number without a unit is in bytes: who leaves out the unit gets a message, in every suite."""
    with pytest.raises(UsageError, match=re.escape(f"{key}=5: ")):
        suites[suite].read({key: "5"})
