"""Sizes, times and rates: words in, base units out, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tierscope import units
from tierscope.errors import UsageError


@pytest.mark.parametrize(
    ("word", "size"),
    [
        ("0", 0),
        ("64", 64),
        ("64B", 64),
        ("1KiB", 1024),
        ("1.5GiB", 3 << 29),
        (" 2 MiB ", 2 << 20),
        ("1TiB", 1 << 40),
        ("1KB", 1000),
        ("1e3B", 1000),
        ("2.5GB", 2_500_000_000),
    ],
)
def test_a_size_is_read(word: str, size: int) -> None:
    assert units.parse_bytes(word) == size


@pytest.mark.parametrize(
    ("word", "seconds"), [("2", 2.0), ("250ms", 0.25), ("3us", 3e-6), ("1min", 60.0), ("7ns", 7e-9)]
)
def test_a_time_is_read(word: str, seconds: float) -> None:
    assert units.parse_seconds(word) == pytest.approx(seconds)


@pytest.mark.parametrize(("word", "rate"), [("307.2GB/s", 307.2e9), ("1GiB/s", 2**30), ("5", 5.0), ("1TB/s", 1e12)])
def test_a_rate_is_read(word: str, rate: float) -> None:
    assert units.parse_rate(word) == pytest.approx(rate)


@pytest.mark.parametrize(
    "word", ["", "KiB", "-1KiB", "+1KiB", "1,5GiB", "0x10", "nan", "inf", "1 2", "1KiB2", "²", "1__0"]
)
def test_text_that_is_not_a_number_is_refused_with_the_known_units(word: str) -> None:
    with pytest.raises(UsageError, match="KiB, MiB, GiB"):
        units.parse_bytes(word)


@pytest.mark.parametrize("word", ["1kib", "1Kib", "1GBps", "1parsec", "1GB/s"])  # spelling: as is
def test_an_unknown_unit_is_named(word: str) -> None:
    with pytest.raises(UsageError, match=f"unknown unit '{word[1:]}'"):
        units.parse_bytes(word)


@pytest.mark.parametrize("word", ["0.5", "1.5B", "0.0001KiB"])
def test_there_is_no_fraction_of_a_byte(word: str) -> None:
    with pytest.raises(UsageError, match="whole number of bytes"):
        units.parse_bytes(word)


@pytest.mark.parametrize(
    ("word", "why"), [("1e400", "too large for a number"), ("8388608TiB", "than a process can address")]
)
def test_a_size_beyond_all_machines_is_refused(word: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        units.parse_bytes(word)


def test_an_endless_time_is_refused() -> None:
    with pytest.raises(UsageError, match="too large for a number"):
        units.parse_seconds("1e999min")


@given(some.integers(0, 1 << 52))
def test_the_word_of_a_size_reads_back(size: int) -> None:
    assert units.parse_bytes(units.word_bytes(size)) == size


@given(some.text(max_size=12))
def test_any_text_is_a_size_or_a_usage_error(text: str) -> None:
    try:
        assert 0 <= units.parse_bytes(text) < 1 << 63
    except UsageError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0 B"), (64, "64 B"), (1024, "1 KiB"), (1 << 20, "1 MiB"), (1.3 * 2**30, "1.3 GiB"), (5 << 40, "5 TiB")],
)
def test_sizes_are_shown(size: float, shown: str) -> None:
    assert units.show_bytes(size) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"), [(96.4e-9, "96.4 ns"), (1.25e-6, "1.25 us"), (2e-3, "2 ms"), (90.0, "90 s"), (0.0, "0 ns")]
)
def test_times_are_shown(seconds: float, shown: str) -> None:
    assert units.show_seconds(seconds) == shown


def test_rates_are_shown_in_gigabytes_per_second() -> None:
    assert units.show_rate(16.304e9) == "16.30 GB/s"


@pytest.mark.parametrize(
    ("word", "unit", "value"),
    [
        ("20 GB/s", "B/s", 20e9), ("104.7 ns", "s", 104.7e-9), ("64 MiB", "B", 64 << 20), ("1.5 M/s", "1/s", 1.5e6),
        ("10%", "1", 0.1), ("1.25", "1", 1.25), ("3", "", 3.0),
    ],
)  # fmt: skip
def test_a_value_is_read_by_the_base_unit_of_its_column(word: str, unit: str, value: float) -> None:
    assert units.parse_value(word, unit) == pytest.approx(value)


@pytest.mark.parametrize(("word", "unit"), [("20", "B/s"), ("2e10", "B/s"), ("1", "s"), ("20 ns", "B/s"), ("5 s", "1")])
def test_a_value_with_no_unit_or_another_is_refused(word: str, unit: str) -> None:
    with pytest.raises(UsageError):
        units.parse_value(word, unit)


@given(
    value=some.floats(min_value=1e-12, max_value=1e15),
    unit=some.sampled_from(["B/s", "s", "B", "1/s", "1"]),
    up=some.booleans(),
)
def test_a_written_value_is_read_again_on_the_side_that_was_asked(value: float, unit: str, up: bool) -> None:
    again = units.parse_value(units.word_value(value, unit, up=up), unit)
    assert again == pytest.approx(value, rel=1.1e-3)
    assert again >= value * (1 - 1e-12) if up else again <= value * (1 + 1e-12)


@pytest.mark.parametrize(
    ("value", "unit", "word"),
    [
        (20e9, "B/s", "20 GB/s"), (12.3456e9, "B/s", "12.35 GB/s"), (8.3e6, "B/s", "8.3 MB/s"),
        (5e3, "B/s", "0.005 MB/s"), (104.72e-9, "s", "104.7 ns"), (0.0, "s", "0 ns"), (64 << 20, "B", "64 MiB"),
        (1.5e6, "1/s", "1.5 M/s"), (1.25, "1", "1.25"),
    ],
)  # fmt: skip
def test_a_number_is_shown_with_four_digits(value: float, unit: str, word: str) -> None:
    assert units.show_digits(value, unit) == word


def test_sizes_that_round_to_one_text_have_all_their_digits() -> None:
    near = (8 << 20) + 1024
    assert units.show_apart([8 << 20, near, 1 << 30]) == {8 << 20: "8388608 B", near: "8389632 B", 1 << 30: "1 GiB"}
    assert units.show_apart([near, near]) == {near: "8 MiB"}


@pytest.mark.parametrize(
    ("value", "unit", "word"),
    [
        (33.41e9, "B/s", "33.4 GB/s"), (30e9, "B/s", "30.0 GB/s"), (307.2e9, "B/s", "307 GB/s"),
        (1024e9, "B/s", "1024 GB/s"), (3e15, "B/s", "3000000 GB/s"), (999.6e6, "B/s", "1.00 GB/s"),
        (999.4e6, "B/s", "999 MB/s"), (10.0, "B/s", "0.0000100 MB/s"), (140.2e-9, "s", "140 ns"),
        (9.996e-9, "s", "10.0 ns"), (999.6e-9, "s", "1.00 us"), (1234.0, "s", "1234 s"), (-8.4e-9, "s", "-8.40 ns"),
        (0.0, "s", "0.00 ns"), (2048 * units.MiB, "B", "2.00 GiB"), (1020 * units.MiB, "B", "1020 MiB"),
        (26 * units.MiB, "B", "26.0 MiB"), (1023.7 * units.KiB, "B", "1.00 MiB"), (512, "B", "512 B"), (0, "B", "0 B"),
        (3 << 50, "B", "3072 TiB"), (1.5e9, "1/s", "1500 M/s"), (140.0, "1/s", "140 /s"), (1.254, "1", "1.25"),
        (12345.6, "1", "12346"), (1e-6, "1", "0.00000100"), (float("nan"), "s", "nan ns"),
    ],
)  # fmt: skip
def test_a_key_number_has_three_digits_and_no_exponent(value: float, unit: str, word: str) -> None:
    assert units.show_three(value, unit) == word


UNITS = some.sampled_from(["B/s", "s", "B", "1/s", "1"])


@given(value=some.floats(min_value=1e-9, max_value=1e15), unit=UNITS)
def test_three_digits_are_the_number_to_half_a_percent(value: float, unit: str) -> None:
    word = units.show_three(value, unit)
    again = units.parse_value(word, unit)
    assert "e" not in word.partition(" ")[0]
    assert again == pytest.approx(value, rel=5.01e-3, abs=0.5 if unit == "B" else 0)
    assert unit == "B" or len(word.partition(" ")[0].replace(".", "").lstrip("0")) >= 3


@pytest.mark.parametrize(
    ("end", "value", "unit", "word"),
    [
        (0.9e-6, 1.2e-6, "s", "0.90 us"), (99.8e-9, 140e-9, "s", "100 ns"), (1e-9, 140e-9, "s", "1.00 ns"),
        (980 * units.MiB, units.GiB, "B", "0.96 GiB"), (22.6 * units.MiB, 26 * units.MiB, "B", "22.6 MiB"),
        (32 * units.MiB, 26 * units.MiB, "B", "32.0 MiB"), (5e-3, 1.2e-6, "s", "5.00 ms"), (600, 500, "B", "600 B"),
        (1300e9, 1024e9, "B/s", "1300 GB/s"), (0.0, 0.0, "s", "0.00 ns"), (-1.0, 2.0, "1", "-1.00"),
    ],
)  # fmt: skip
def test_the_end_of_an_interval_has_the_unit_and_the_decimal_of_its_number(
    end: float, value: float, unit: str, word: str
) -> None:
    assert units.show_end(end, value, unit) == word


@given(value=some.floats(min_value=1e-9, max_value=1e15), below=some.floats(0, 1), above=some.floats(1, 9), unit=UNITS)
def test_a_number_is_within_its_interval_also_as_shown(value: float, below: float, above: float, unit: str) -> None:
    low, middle, high = (
        units.parse_value(word, unit)
        for word in (
            units.show_end(below * value, value, unit), units.show_three(value, unit),
            units.show_end(above * value, value, unit),
        )
    )  # fmt: skip
    assert low <= middle * (1 + 1e-12)
    assert middle <= high * (1 + 1e-12)
