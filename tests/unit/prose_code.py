"""Texts of the code for the rules of docs/words.toml: docstrings and comments of Python, comments of C++."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("src", "core", "examples/skeleton", "benchmarks")
COMMENT = re.compile(r"^\s*(?:///?)\s?(.*)$|\s//\s(.*)$")
SKIPPED = re.compile(r"^(?:type:|noqa|fmt:|ruff:|pragma|NOLINT|!)|clang-format")

WIDE = re.compile(r"\S {3,}\S")
AFTER = "- "  # before a comment behind code: a text of its own, as an item of a list is


def sources(root: Path) -> list[Path]:
    """Return every file that is checked."""
    found = [path for folder in FOLDERS for kind in ("*.py", "*.hpp", "*.cpp") for path in (root / folder).rglob(kind)]
    return sorted(path for path in found if "__pycache__" not in path.parts)


def page(path: Path) -> str:
    """Return the texts of a file on the lines where they are; all other lines are empty."""
    text = path.read_text()
    lines = [""] * (text.count("\n") + 2)
    for number, line in _python(text) if path.suffix == ".py" else _cpp(text):
        lines[number] = line
    return "\n".join(lines[1:])


def docstrings(text: str) -> Iterator[ast.Constant]:
    """Yield each string of a module that is a statement."""
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        for one in body if isinstance(body, list) else []:
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str):
                yield one.value


def _python(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not SKIPPED.match(comment := token.string.lstrip("# ")):
            yield (
                token.start[0],
                comment if token.line[: token.start[1]].isspace() or not token.start[1] else AFTER + comment,
            )
    for one in docstrings(text):
        for offset, line in enumerate(one.value.splitlines()):
            yield one.lineno + offset, _formula(line)


def _cpp(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if (found := COMMENT.search(line)) and not SKIPPED.match(comment := found[1] or found[2] or ""):
            yield number, _formula(comment) if found[1] is not None else AFTER + comment


def _formula(line: str) -> str:
    """Return the line without its indentation; a formula and a row of a table, with wide gaps, are left out."""
    return "" if " = " in line or WIDE.search(line.strip()) else line.strip()
