"""Every simulated machine that a document names can be built by the core: presets, and the words that change them."""

import re
import sys
from pathlib import Path

import pytest

from tierscope import core
from tierscope.errors import TierscopeError

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/unit"))
from documents import command_lines, pages, sections  # noqa: E402 (the folder of the other tests of documents)

FORMS = ("PRESET", "NAME", "PATH", "...", ".toml")  # a form of a word, or a file of the reader's own
WORD = re.compile(r"sim:[A-Za-z0-9][A-Za-z0-9_./:=,-]*")


def words_in(text: str) -> set[str]:
    """Targets, and machines of `tierscope trace`."""
    traced = [words for words in command_lines(text) if words[1] == "trace"]
    machines = {f"sim:{words[at + 1]}" for words in traced for at, word in enumerate(words[:-1]) if word == "--on"}
    found = {*WORD.findall(text), *machines}
    return {word.rstrip(".,:") for word in found if not any(form in word for form in FORMS)}


TEXTS = [*pages(ROOT), *sorted((ROOT / "src/tierscope/cli").rglob("*.py"))]  # commands have examples in their help
NAMED = sorted({(word, str(path.relative_to(ROOT))) for path in TEXTS for word in words_in(path.read_text())})


def refused(word: str) -> str:
    """Why the core does not build it; "" if it does."""
    try:
        core.topology(word)
    except TierscopeError as error:
        return str(error)
    return ""


def test_machines_are_found_at_all() -> None:
    assert len({word for word, _ in NAMED}) > 8


@pytest.mark.parametrize(("word", "page"), NAMED)
def test_every_simulated_machine_of_a_document_can_be_built(word: str, page: str) -> None:
    assert refused(word) == "", page


def test_every_word_that_changes_a_machine_can_be_used() -> None:
    rows = sections((ROOT / "docs/how-to/simulated-memories.md").read_text())["Syntax of sim:"]
    words = [row[0] for row in rows if not any(form in row[0] for form in FORMS)]
    assert len(words) >= 3
    assert {word: why for word in words if (why := refused(f"sim:optane100,{word}"))} == {}


def test_a_word_that_lacks_another_is_found() -> None:
    assert "grain" in refused("sim:optane100,memory.pmem.ways=6")
