"""Texts of the code for the rules of docs/words.toml: docstrings, comments and strings of Python and C++."""

import ast
import functools
import io
import re
import tokenize
from collections.abc import Collection, Iterator
from pathlib import Path

FOLDERS = ("src", "core", "examples/skeleton", "benchmarks", "tests")
TESTS = Path(__file__).resolve().parents[1]
COMMENT = re.compile(r"^\s*(?:///?)\s?(.*)$|\s//\s(.*)$")
SKIPPED = re.compile(r"^(?:type:|noqa|fmt:|ruff:|pragma|NOLINT|!)|clang-format")

PROPERTIES = ("property", "cached_property", "functools.cached_property")
SETTERS = (".setter", ".deleter")
IMPERATIVE = re.compile(r"(?![A-Z][a-z]*[^s]s\b)[A-Z][a-z]+[,:]?")  # neither a plural, nor "Returns", nor a name
WIDE = re.compile(r"\S {3,}\S")
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
NAME = re.compile(r'^TEST_CASE\("((?:[^"\\]|\\.)*)"', re.MULTILINE)
TEST = re.compile(r"^(?:async )?def test_(\w+)", re.MULTILINE)
SENTENCE = 3  # words: shorter strings are names and keys
AFTER = "- "  # before a comment behind code: a text of its own, as an item of a list is


def sources(root: Path) -> list[Path]:
    """Return every file that is checked."""
    found = [path for folder in FOLDERS for kind in ("*.py", "*.hpp", "*.cpp") for path in (root / folder).rglob(kind)]
    return sorted(path for path in found if "__pycache__" not in path.parts)


def is_test(path: Path) -> bool:
    """Return whether a file is below the folder `tests`."""
    return path.is_relative_to(TESTS)


def page(path: Path) -> str:
    """Return the texts of a file on the lines where they are; all other lines are empty."""
    text = path.read_text()
    lines = [""] * (text.count("\n") + 2)
    for number, line in _python(text) if path.suffix == ".py" else _cpp(text):
        lines[number] = line
    return "\n".join(lines[1:])


@functools.lru_cache(maxsize=1)
def _tree(text: str) -> ast.Module:
    return ast.parse(text)


def docstrings(text: str) -> Iterator[ast.Constant]:
    """Yield each string of a module that is a statement."""
    for node in ast.walk(_tree(text)):
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


def strings(path: Path, values: Collection[str] = ()) -> str:
    """Return strings that read as sentences, each as an item on the line where it begins; `_` is a value in it.

    Left out: strings of several lines, which are scripts, queries and templates; and `values`. Tests quote others, so
    only the names of tests are strings of theirs.
    """
    text = path.read_text()
    if is_test(path):
        names = _test_names(text) if path.suffix == ".py" else NAME.findall(text)
        return "\n".join(f"{AFTER}{name}" for name in names)
    lines = [""] * (text.count("\n") + 2)
    for number, found in _python_strings(text) if path.suffix == ".py" else _cpp_strings(text):
        if len(found.split()) >= SENTENCE and "\n" not in found and found not in values:
            lines[number] += f"{'; ' if lines[number] else AFTER}{found}"
    return "\n".join(lines[1:])


def _python_strings(text: str) -> Iterator[tuple[int, str]]:
    tree = _tree(text)
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    inner |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield (
                node.lineno,
                "".join(str(part.value) if isinstance(part, ast.Constant) else "_" for part in node.values),
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            yield node.lineno, node.value


def _cpp_strings(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.lstrip().startswith("//"):
            yield from ((number, found) for found in STRING.findall(line))


def _test_names(text: str) -> list[str]:
    """Return 'The file is whole' for each test function of that name."""
    return [name.replace("_", " ").capitalize() for name in TEST.findall(text)]


def openings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and first word of each function's docstring; properties are noun phrases and are left out."""
    for node in ast.walk(_tree(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (text := ast.get_docstring(node)):
            names = [ast.unparse(one) for one in node.decorator_list]
            if not any(name in PROPERTIES or name.endswith(SETTERS) for name in names):
                yield node.body[0].lineno, text.split()[0]


def is_imperative(word: str, others: list[str]) -> bool:
    """Return whether a docstring may begin with this word: a verb, so none of `others` and not a name or number."""
    return IMPERATIVE.fullmatch(word) is not None and word.rstrip(",:") not in others
