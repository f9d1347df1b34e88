"""Check the plain English of documents and of code against docs/words.toml. Run with files to check them.

In code these are docstrings, comments and strings (`prose_code`). In documents the check covers paragraphs, headings,
list items and table cells, and the length of their sentences. It ignores code, fenced or indented blocks, targets of
links, quotations, and titles behind `Source:`.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import prose_code

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "docs/words.toml"
CODE = re.compile(r"^```(?:.|\n)*?^```$|^ {4}.*$|^>.*$", re.MULTILINE)
INLINE = re.compile(r"`[^`]+`")
TITLE = re.compile(r'"[^"]+"')
TARGET = re.compile(r"\]\([^)]*\)")
NEW = re.compile(r"\s*(?:[-*] |\d+\. |#+ |\|)")  # what begins a text of its own: list item, heading, row
END = re.compile(r"(?<=[.!?])[)*\"]*\s+(?=[^a-z])")


def read_list(path: Path = LIST) -> dict[str, Any]:
    """Return the word list."""
    return tomllib.loads(path.read_text())


def checked(words: dict[str, Any], root: Path = ROOT) -> list[Path]:
    """Return the pages that are checked, as paths below the root."""
    found = {path.relative_to(root) for pattern in words["pages"] for path in root.glob(pattern)}
    return sorted(path for path in found if not any(path.match(pattern) for pattern in words["leave"]))


def pattern_of(rule: dict[str, str]) -> re.Pattern[str]:
    """Return the expression of one rule, for whole words."""
    return _whole_words(rule["find"])


def _whole_words(find: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{find})(?![\w-])", re.IGNORECASE)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _one_word(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", "_", match[0])


def texts(page: str) -> Iterator[tuple[str, list[int]]]:
    """Yield each text that is read as one, with single spaces, and the line of each of its characters."""
    page = TARGET.sub(_blank, INLINE.sub(_one_word, CODE.sub(_blank, page)))
    first, lines = 1, [*page.splitlines(), ""]
    for number, line in enumerate(lines, 1):
        if not line.strip() or NEW.match(line):
            yield from _cells(first, lines[first - 1 : number - 1])
            first = number


def _cells(first: int, lines: list[str]) -> Iterator[tuple[str, list[int]]]:
    if lines and lines[0].startswith("|"):
        for cell in lines[0].split("|"):
            yield cell.strip(), [first] * len(cell)
    else:
        pieces = [(number, f"{' '.join(line.split())} ") for number, line in enumerate(lines, first) if line.strip()]
        text, source, titles = "".join(piece for _, piece in pieces).partition("Source")
        yield text + source + TITLE.sub(_one_word, titles), [number for number, piece in pieces for _ in piece]


def faults(name: str, page: str, words: dict[str, Any]) -> Iterator[str]:
    """Yield one line for each phrase of the list, and for each sentence that is too long."""
    rules = [(pattern_of(rule), rule["write"]) for rule in words["rule"]]
    some = _whole_words("|".join(f"(?:{rule['find']})" for rule in words["rule"]))  # most texts have none
    for text, lines in texts(page):
        for pattern, advice in rules if some.search(text) else ():
            for match in pattern.finditer(text):
                yield f"{name}:{lines[match.start()]}: {match[0]!r}: write {advice}"
        for at, length in lengths(text):
            if length > words["longest_sentence"]:
                yield f"{name}:{lines[at]}: a sentence of {length} words: write two"


def lengths(text: str) -> Iterator[tuple[int, int]]:
    """Yield position and number of words of each sentence."""
    at = 0
    for end in [*(match.end() for match in END.finditer(text)), len(text)]:
        if words := re.findall(r"\S*\w\S*", text[at:end]):
            yield at, len(words)
        at = end


def code_faults(path: Path, words: dict[str, Any]) -> list[str]:
    """Return what `faults` finds in the docstrings and comments of a file below ROOT."""
    rules = [rule for rule in words["rule"] if rule.get("code", True)]
    pages = (prose_code.page(ROOT / path), prose_code.strings(ROOT / path, words["values"]))
    found = [fault for page in pages for fault in faults(str(path), page, {**words, "rule": rules})]
    return [*found, *_openings(path, words)]


def _has_openings(path: Path) -> bool:
    return path.suffix == ".py" and not prose_code.is_test(ROOT / path)


def _openings(path: Path, words: dict[str, Any]) -> Iterator[str]:
    for line, word in prose_code.openings(ROOT / path) if _has_openings(path) else ():
        if not prose_code.is_imperative(word, words["not_imperative"]):
            yield f"{path}:{line}: {word!r}: write a first line that begins with an imperative, such as Return"


def main(names: list[str]) -> int:
    """Print the faults of the named pages and files of code, or of all; return 1 if there are any."""
    words = read_list()
    pages, code = checked(words), [path.relative_to(ROOT) for path in prose_code.sources(ROOT)]
    named = [Path(name).resolve().relative_to(ROOT) for name in names] or [*pages, *code]
    found = [
        fault for path in named if path in pages for fault in faults(str(path), (ROOT / path).read_text(), words)
    ] + [fault for path in named if path in code for fault in code_faults(path, words)]
    sys.stdout.write("".join(f"{fault}\n" for fault in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
