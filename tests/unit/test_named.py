"""Docstrings and comments name what exists: a module or a name between backticks is in the code somewhere."""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

import prose_code

NAME = re.compile(r"`((?:[a-z0-9]+[_.])*[a-z0-9]+_[a-z0-9]+(?:[_.][a-z0-9]+)*)(?:\(\))?`")
"""Names with an underscore; others are words of other programs as well."""


def code_of(path: Path) -> Iterator[str]:
    """Yield the words of a file that are neither comment nor docstring, and those of its path."""
    yield from re.findall(r"\w+", path.as_posix())
    text = path.read_text(errors="replace")
    if path.suffix == ".py":
        told = {(one.lineno, one.col_offset) for one in prose_code.docstrings(text)}
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type != tokenize.COMMENT and token.start not in told:
                yield from re.findall(r"\w+", token.string)
    else:
        for line in text.splitlines():
            yield from re.findall(r"\w+", prose_code.COMMENT.sub("", line) if path.suffix in (".hpp", ".cpp") else line)


def unknown(root: Path, named: list[Path], known: set[str]) -> list[str]:
    """Return the names in texts of these files that no code has."""
    return [
        f"{path.relative_to(root)}: {name}"
        for path in named
        for name in NAME.findall(prose_code.page(path))
        if not known.issuperset(name.split("."))
    ]


@pytest.mark.slow  # 8 s: it reads every file
def test_names_in_docstrings_and_comments_exist(root: Path) -> None:
    folders = ("src", "core", "cmake", "tests", "tracer", "packaging", "benchmarks")
    kinds = ("*.py", "*.hpp", "*.cpp", "*.in", "*.cmake", "*.toml", "*.c", "*.json", "*.js")
    files = [path for folder in folders for kind in kinds for path in (root / folder).rglob(kind)]
    known = {word for path in files if "data" not in path.parts for word in code_of(path)}
    named = prose_code.sources(root)
    assert len(named) > 500
    assert unknown(root, named, known) == []


def test_a_name_that_is_gone_is_found(tmp_path: Path) -> None:
    made = tmp_path / "made.py"
    made.write_text(
        '"""See `made.old_words` and `new_words()`."""\n\n\ndef new_words() -> None: ...  # not `other_words`\n'
    )
    found = unknown(tmp_path, [made], set(code_of(made)))
    assert found == ["made.py: made.old_words", "made.py: other_words"]
