"""A matrix turns one block of a file of groups into many experiments."""

import tomllib
from typing import Any

import pytest

from tierscope.errors import UsageError
from tierscope.suites.groups.matrix import MOST, expanded

BLOCK = """
label = "{kernel} of {size} with {cpus}"
[matrix]
kernel = ["read", "copy"]
size = ["64MiB", "1GiB"]
cpus = ["0", "0-1"]
[[group]]
kernel = "{kernel}"
footprint = "{size}"
cpus = "{cpus}"
pace = 7
"""


def block(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


def test_each_combination_is_an_experiment_and_the_last_name_varies_fastest() -> None:
    found = expanded(block(BLOCK), "experiment 0")
    assert [one["label"] for one in found] == [
        f"{kernel} of {size} with {cpus}"
        for kernel in ("read", "copy") for size in ("64MiB", "1GiB") for cpus in ("0", "0-1")
    ]  # fmt: skip
    assert found[-1]["group"] == [{"kernel": "copy", "footprint": "1GiB", "cpus": "0-1", "pace": 7}]
    assert all("matrix" not in one for one in found)


def test_a_block_without_a_matrix_is_itself() -> None:
    entry = {"label": "copy {not a name}", "group": [{"kernel": "copy"}]}
    assert expanded(entry, "experiment 0") == [entry]


def test_a_text_that_is_a_name_alone_becomes_the_value_of_its_kind() -> None:
    found = expanded(
        block('[matrix]\npace = [100, 200]\n[[group]]\nkernel = "read"\npace = "{pace}"\n'), "experiment 0"
    )
    assert [one["group"][0]["pace"] for one in found] == [100, 200]
    assert [one["label"] for one in found] == ["pace 100", "pace 200"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("matrix = 3", "matrix is a table of lists"),
        ("[matrix]", "matrix is a table of lists"),
        ('[matrix]\nsize = "1GiB"\n', "expected a list for matrix.size, got '1GiB'"),
        ("[matrix]\nsize = []\n", "expected a list for matrix.size, got []"),
        ("[matrix]\nsize = [[1]]\n", "matrix.size lists texts, numbers, true and false, not [1]"),
        ('[matrix]\n"a b" = [1]\n', "'a b' is not a name for the matrix"),
        ('[matrix]\nsize = [1]\n[[group]]\nkernel = "{kernel}"\n', "{kernel} is not in the matrix, which has size"),
        ('[matrix]\nsize = [1]\n[[group]]\nkernel = "read"\n', "no text of the experiment uses {size}"),
    ],
)
def test_a_mistake_is_named_with_its_place(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=r"^experiment 3: ") as found:
        expanded(block(text), "experiment 3")
    assert said in str(found.value)


def test_braces_of_ones_own_are_written_twice() -> None:
    entry = {"matrix": {"on": [True, False]}, "group": [{"command": "awk '{{print}}' {on}"}]}
    assert [one["group"][0]["command"] for one in expanded(entry, "experiment 0")] == [
        "awk '{print}' true", "awk '{print}' false",
    ]  # fmt: skip


def test_a_matrix_that_explodes_is_refused_before_it_is_made() -> None:
    values = list(range(100))
    entry = {"matrix": dict.fromkeys("abcdefgh", values), "group": [{"kernel": "{a}{b}{c}{d}{e}{f}{g}{h}"}]}
    with pytest.raises(UsageError, match=f"and {MOST} are the most"):
        expanded(entry, "experiment 0")
