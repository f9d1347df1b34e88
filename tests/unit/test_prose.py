"""The documents are in plain English: docs/words.toml lists what to avoid, and the longest sentence."""

import re
from pathlib import Path

import pytest

import prose
import prose_code

WORDS = prose.read_list()
PAGES = prose.checked(WORDS)
RULES = WORDS["rule"]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_page_is_in_plain_english(page: Path, root: Path) -> None:
    assert list(prose.faults(str(page), (root / page).read_text(), WORDS)) == []


@pytest.mark.parametrize("folder", prose_code.FOLDERS)
def test_docstrings_and_comments_are_in_plain_english(folder: str, root: Path) -> None:
    paths = [path.relative_to(root) for path in prose_code.sources(root) if path.is_relative_to(root / folder)]
    assert paths
    assert [fault for path in paths for fault in prose.code_faults(path, WORDS)] == []


def test_docstrings_and_comments_are_found_where_they_are(tmp_path: Path) -> None:
    made = tmp_path / "made.py"
    made.write_text('"""First."""\n\nx = "it lies"  # it stands\n\n\ndef f():\n    """It\n    lies."""\n')
    assert prose_code.page(made).splitlines() == ["First.", "", "- it stands", "", "", "", "It", "lies."]
    made = tmp_path / "made.cpp"
    made.write_text('/// First.\nint x = 1;  // it stands\nauto u = "a//b";\n')
    assert prose_code.page(made).splitlines() == ["First.", "- it stands", ""]


@pytest.mark.parametrize(
    ("opening", "passes"),
    [
        ("Return the core.", True),
        ("Pass, or wait.", True),
        ("For the core.", False),
        ("Whether it runs.", False),
        ("Returns the core.", False),
        ("Lines of text.", False),
        ("UsageError for others.", False),
        ("'2048K' -> bytes.", False),
        ("path: of the file.", False),
    ],
)
def test_the_docstring_of_a_function_begins_with_an_imperative(
    opening: str, passes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "made.py"
    made.write_text(f'"""A module."""\n\n\ndef f():\n    """{opening}"""\n')
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    found = [fault for fault in prose.code_faults(Path("made.py"), WORDS) if "imperative" in fault]
    assert [fault.split(" ")[0] for fault in found] == ([] if passes else ["made.py:5:"])


def test_a_property_is_described_by_a_noun_phrase(tmp_path: Path) -> None:
    made = tmp_path / "made.py"
    made.write_text('class A:\n    @property\n    def f(self):\n        """The core."""\n')
    assert list(prose_code.openings(made)) == []


def test_strings_of_three_words_or_more_are_checked_where_they_are(tmp_path: Path) -> None:
    made = tmp_path / "made.py"
    made.write_text('"""First."""\nx = "it lies"\ny = f"it lies {x} there"\nz = "SELECT\\n it lies here"\n')
    assert prose_code.strings(made).splitlines() == ["", "", "- it lies _ there", ""]
    assert prose_code.strings(made, ["it lies _ there"]).splitlines() == ["", "", "", ""]
    made = tmp_path / "made.cpp"
    made.write_text('// "it lies in here"\nauto u = "a \\"b\\" c" + v + "it lies in";\n')
    assert prose_code.strings(made).splitlines() == ["", '- a \\"b\\" c; it lies in']


def test_readme_tutorial_method_and_guides_are_checked() -> None:
    names = {str(page) for page in PAGES}
    assert {"README.md", "HACKING.md", "CONTRIBUTING.md", "docs/tutorial.md", "docs/method.md"} <= names
    assert len([name for name in names if name.startswith("docs/how-to/")]) > 25


def test_every_page_that_is_left_out_exists(root: Path) -> None:
    assert [pattern for pattern in WORDS["leave"] if not list(root.glob(pattern))] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["find"][:30])
def test_a_rule_finds_its_example_and_passes_the_other(rule: dict[str, str]) -> None:
    assert prose.pattern_of(rule).search(rule["wrong"])
    assert list(prose.faults("page", rule["wrong"], WORDS)) != []
    assert list(prose.faults("page", rule["right"], WORDS)) == []


def test_a_planted_fault_is_found_at_its_line(root: Path) -> None:
    page = (root / "README.md").read_text()
    planted = page.replace("## Documentation\n", "## Documentation\n\nThis is no\nmeasurement.\n")
    (found,) = prose.faults("README.md", planted, WORDS)
    line = page[: page.index("## Documentation")].count("\n") + 3
    assert found == f"README.md:{line}: 'is no': write is not a"


@pytest.mark.parametrize(("words", "faults"), [(40, 0), (41, 1)])
def test_a_sentence_has_forty_words_at_most(words: int, faults: int) -> None:
    page = f"Short one.\n\n- {'word-like ' * (words - 1)}end. Another sentence.\n"
    assert len(list(prose.faults("page", page.replace("word-like", "cache"), WORDS))) == faults


@pytest.mark.parametrize(
    "page",
    [
        "`tell and lie`\n",
        "```text\nthe cache holds it\n```\n",
        "    sizes lie in it\n",
        "> the system tells 105 MiB\n",
        "[limits](tells-and-lies.md)\n",
    ],
)
def test_code_quotations_and_links_are_left_alone(page: str) -> None:
    assert list(prose.faults("page", page, WORDS)) == []


def test_the_title_of_a_source_is_quoted_unchanged() -> None:
    page = 'It is "tested".\nSource: A. Author, "Cuts via\nTells", 2003 (it tells); B. Author, "Tells", 2004.\n'
    assert [fault[:16] for fault in prose.faults("page", page, WORDS)] == ["page:3: 'tells':"]
    assert list(prose.faults("page", 'It is "told via" it.\n', WORDS)) != []


@pytest.mark.parametrize(
    ("page", "line"),
    [
        ("# It tells\n", 1),
        ("| a | b |\n|---|---|\n| c | it tells |\n", 3),
        ("Text.\n\n- one\n- it\n  tells\n", 5),
        ("A [link that tells](x.md).\n", 1),
    ],
)
def test_headings_cells_items_and_texts_of_links_are_checked(page: str, line: int) -> None:
    (found,) = prose.faults("page", page, WORDS)
    assert found.startswith(f"page:{line}: 'tells'")


def test_a_program_gets_status_one_for_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "README.md").write_text("The file holds it.\n")
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    assert prose.main([str(tmp_path / "README.md")]) == 1
    assert re.match(r"README\.md:1: 'holds'", capsys.readouterr().out)
    (tmp_path / "README.md").write_text("The file contains it.\n")
    assert prose.main([str(tmp_path / "README.md")]) == 0
