"""The prose of each suite's made run equals `tests/data/prose`, the only place where tests quote sentences."""

from pathlib import Path

import pytest

from made_suites import MADE
from prose_of_suites import COMMAND, FOLDER, prose


@pytest.mark.parametrize("suite", sorted(MADE))
def test_a_suite_states_what_its_file_contains(suite: str, tmp_path: Path) -> None:
    file = FOLDER / f"{suite}.txt"
    held = file.read_text(encoding="utf-8") if file.exists() else ""
    assert prose(suite, tmp_path) == held, f"if the new prose is right: {COMMAND} {suite}"


def test_each_file_is_that_of_a_suite() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(MADE)
