"""key=value words: read over the defaults, refused in words that help."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tierscope.cli.words import read_words
from tierscope.errors import ResultError, UnknownNameError, UsageError
from tierscope.plans import COMMON, suites
from tierscope.plans.options import names_of, numbers_of, words_of

NAMES = list(suites)


def test_words_become_a_dictionary() -> None:
    assert read_words(("a=1", "b=x=y", "c=")) == {"a": "1", "b": "x=y", "c": ""}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("a",), "'a' is not of the form key=value"),
        (("=1",), "not of the form"),
        (("a=1", "a=2"), "twice"),
        (("a=\udcff",), "no letters"),
        (("a=1\n",), "no letters"),
    ],
)
def test_words_of_another_form_are_refused(words: tuple[str, ...], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        read_words(words)


@pytest.mark.parametrize("name", NAMES)
def test_no_words_are_the_defaults(name: str) -> None:
    options = (*suites[name].options, *COMMON)
    assert suites[name].read({}) == {option.name: option.default for option in options}


@pytest.mark.parametrize("name", NAMES)
def test_every_default_is_shown_as_a_word_that_reads_back(name: str) -> None:
    for option in (*suites[name].options, *COMMON):
        assert option.read("auto" if option.default is None else option.show()) == option.default


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_key_is_told_with_all_that_are_known(name: str) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown option of {name} 'peakx'; did you mean peak") as caught:
        suites[name].read({"peakx": "1GB/s"})
    assert all(option.name in str(caught.value) for option in suites[name].options)


@pytest.mark.parametrize(
    ("suite", "key", "word", "why"),
    [
        ("stream", "array", "5parsec", "unknown unit 'parsec'"),
        ("stream", "array", "-5MiB", "no number with a unit"),
        ("stream", "precision", "0", "a share above 0 and below 1"),
        ("stream", "precision", "nan", "a share above 0 and below 1"),
        ("stream", "precision", "100%", "a share above 0 and below 1"),
        ("stream", "precision", "fine", "a share above 0 and below 1"),
        ("stream", "budget", "soon", "time 'soon' is no number"),
        ("stream", "peak", "0GB/s", "a rate above 0"),
        ("latency", "per_octave", "0", "a number from 1 to 32"),
        ("latency", "per_octave", "2.5", "a whole number"),
        ("latency", "cpu", "-1", "a whole number"),
        ("latency", "cpu", "²", "a whole number"),
        ("latency", "cpu", "9" * 5000, "a whole number"),
        ("latency", "from", "auto", "no number with a unit"),
    ],
)
def test_a_wrong_value_is_told_with_its_key(suite: str, key: str, word: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        suites[suite].read({key: word})
    assert str(caught.value).startswith(f"{key}={word}: ")


@pytest.mark.parametrize(("word", "share"), [("0.02", 0.02), ("2%", 0.02), ("1e-3", 0.001)])
def test_a_share_is_a_fraction_or_a_percentage(word: str, share: float) -> None:
    assert suites["stream"].read({"precision": word})["precision"] == pytest.approx(share)


def test_auto_is_what_the_suite_finds_itself() -> None:
    assert suites["stream"].read({"array": "auto", "threads": "auto"}) == suites["stream"].read({})


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("3", [3]), ("1,2,8-10", [1, 2, 8, 9, 10]), ("0-0", [0]), ("2,1,2", [2, 1, 2]), ("1,,2", [1, 2])],
)
def test_a_list_of_numbers(text: str, numbers: list[int]) -> None:
    assert numbers_of(text, "cpus") == numbers


@pytest.mark.parametrize("text", ["a", "1-", "-1", "3-1", "1-2-3", "1.5", "²", "1-99999999999", "9" * 5000, "0x1", " "])
def test_what_is_no_list_of_numbers_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"cpus=.* is no list such as 0-3,8"):
        numbers_of(text, "cpus")


@pytest.mark.parametrize("text", ["", ","])
def test_a_list_without_a_number_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="names no number"):
        numbers_of(text, "cpus")


def test_no_list_at_all_is_left_to_the_suite() -> None:
    assert numbers_of(None, "cpus") == []
    assert words_of(None) == []


@given(some.text(alphabet="0123456789-,² ", max_size=10))
def test_any_text_is_numbers_or_a_usage_error(text: str) -> None:
    try:
        assert all(number >= 0 for number in numbers_of(text, "cpus"))
    except UsageError as error:
        assert "\n" not in str(error)


def test_names_are_checked_and_all_is_a_name() -> None:
    assert names_of("tool", "saw,axe", ("axe", "saw")) == ["saw", "axe"]
    assert names_of("tool", "all", ("axe", "saw")) == ["axe", "saw"]
    with pytest.raises(UnknownNameError, match="unknown tool 'sew'; did you mean saw"):
        names_of("tool", "axe,sew", ("axe", "saw"))
    with pytest.raises(UsageError, match="no tool is named; known: axe, saw"):
        names_of("tool", ",", ("axe", "saw"))


@pytest.mark.parametrize("name", NAMES)
def test_options_of_a_manifest_are_read_again(name: str) -> None:
    words = {"precision": "3%", "limit": "60s", "devices": "7", "peak": "307.2GB/s"}
    known = {option.name for option in suites[name].options} | {"peak"}
    asked = suites[name].read({key: word for key, word in words.items() if key in known})
    assert suites[name].read_again(asked) == asked


def test_a_manifest_of_an_older_version_gets_the_defaults_of_what_it_did_not_know() -> None:
    kept = suites["latency"].read({"from": "8KiB"})
    del kept["order"]
    assert suites["latency"].read_again({**kept, "gone": 1}) == suites["latency"].read({"from": "8KiB"})


@pytest.mark.parametrize("value", [-3, "many", 1.5, 0])
def test_a_manifest_with_a_wrong_value_is_damaged(value: object) -> None:
    kept = {**suites["latency"].read({}), "per_octave": value}
    with pytest.raises(ResultError, match="options are damaged: per_octave="):
        suites["latency"].read_again(kept)  # type: ignore[arg-type]
