"""Reads below a root: text, numbers, lists; absent is not forbidden; nothing is read outside the root."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierscope.host.system import LARGEST_CPU, parse_list, real, show_list, whole
from trees import FORBIDDEN, plant


def test_absent_and_forbidden_are_distinguished(tmp_path: Path) -> None:
    system = plant(tmp_path, changes={"/a/there": "42", "/a/closed": FORBIDDEN})
    assert system.read("/a/there") == "42"
    assert (system.read("/a/gone"), system.why("/a/gone")) == (None, "absent")
    assert (system.read("/a/there/below"), system.why("/a/there/below")) == (None, "absent")
    assert system.read("/a/closed") is None
    assert system.why("/a/closed").startswith("not readable: ")
    assert system.why("/a/there") == "readable"


def test_no_path_leaves_the_root(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("secret")
    system = plant(tmp_path / "root", changes={"/inside": "1"})
    assert system.read("/../outside") is None
    assert system.read("/inside/../../outside") is None
    assert system.read("/x/../inside") == "1"
    assert system.read("/in\0side") is None
    assert system.why("/in\0side") == "absent"


def test_strange_bytes_are_still_text(tmp_path: Path) -> None:
    system = plant(tmp_path, changes={"/odd": b"\xff\xfe ok\0\n"})
    assert (system.read("/odd") or "").endswith(" ok")
    assert system.bytes("/odd") == b"\xff\xfe ok\0\n"
    assert system.bytes("/none") is None


def test_paths_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    system = plant(tmp_path, changes={f"/cpu{number}/x": "" for number in (10, 2, 1)})
    assert system.glob("/cpu*/x") == ["/cpu1/x", "/cpu2/x", "/cpu10/x"]
    assert system.glob("/nothing*") == []


@pytest.mark.parametrize(
    ("text", "word"), [("always [madvise] never", "madvise"), ("[always]", "always"), ("plain", "plain"), (None, None)]
)
def test_the_word_in_brackets_is_the_choice(tmp_path: Path, text: str | None, word: str | None) -> None:
    assert plant(tmp_path, changes={"/enabled": text}).choice("/enabled") == word


@pytest.mark.parametrize(("text", "numbers"), [
    ("0-3,8", (0, 1, 2, 3, 8)), ("0", (0,)), ("", ()), ("3,1", (1, 3)), ("2-2", (2,)),
    ("(null)", None), ("3-1", None), ("0-99999999999", None), (f"0-{LARGEST_CPU + 1}", None), ("1,,2", None),
    (None, None),
])  # fmt: skip
def test_lists_of_the_kernel(text: str | None, numbers: tuple[int, ...] | None) -> None:
    assert parse_list(text) == numbers


@given(st.sets(st.integers(0, LARGEST_CPU), max_size=30))
def test_a_shown_list_reads_back(numbers: set[int]) -> None:
    wanted = tuple(sorted(numbers))
    assert parse_list(show_list(wanted) if wanted else "") == wanted


@pytest.mark.parametrize("text", ["", "x", "1.5", "0x10", "1" * 5000, "²", " 1", None])
def test_a_text_that_is_not_a_whole_number_is_none(text: str | None) -> None:
    assert whole(text) is None


def test_numbers_are_plain_decimals() -> None:
    assert (whole("-1"), whole("9223372036854771712"), real("0.42"), real("7")) == (-1, 9223372036854771712, 0.42, 7.0)
    assert [real(text) for text in ("nan", "inf", "1e9", "1.", "", None)] == [None] * 6
