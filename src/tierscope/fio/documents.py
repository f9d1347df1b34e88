"""Finds fio's JSON documents in what fio wrote: storage and imports read it by the same rules.

fio prints warnings into its own output, in front of the document and behind it, so a document begins at a line that is
a brace alone, or is a whole document. With --status-interval there are several; each repeats the earlier content, so
the last one is the result. A document that ends too early is left out: `cut` marks that one follows the last. Reading
stops after MOST such beginnings, since each may be as long as the rest of the text.
Source: fio 3.33, HOWTO, "Interpreting the output" and "Status interval".
"""

import json
from dataclasses import dataclass
from typing import Any

DECODER = json.JSONDecoder()
MOST = 64  # beginnings of documents that do not end: a fio that is stopped leaves one


@dataclass(frozen=True, slots=True)
class Found:
    """The content of a text."""

    documents: tuple[dict[str, Any], ...]  # those that are whole
    said: str  # lines around them
    cut: bool  # whether a document that begins after the last of them does not end


def documents(text: str) -> Found:
    """Return the documents of a text; none for a text without one. It raises nothing."""
    found, said, at, cut, broken = [], [], 0, False, 0
    while broken < MOST and (start := _brace(text, at)) is not None:
        said.append(text[at:start])
        try:
            value, at = DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            said.append(text[start : start + 2])
            at, cut, broken = start + 2, True, broken + 1
            continue
        if isinstance(value, dict):
            found.append(value)
            cut = False
    said.append(text[at:])
    return Found(tuple(found), "".join(said).strip(), cut)


def _brace(text: str, at: int) -> int | None:
    """Return where the next line that begins a document starts; objects inside a document are indented."""
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end].rstrip()
        if line == "{" or line.startswith('{"'):
            return at
        at = end + 1
    return None
