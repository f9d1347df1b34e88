"""The reference pages, made from the code: `nox -s reference` writes them, a test compares them.

A page in docs/reference/ is prose with regions between two comments, `<!-- made from the code: NAME -->` and
`<!-- end of NAME -->`. A module of this folder registers what a region contains. The manual page is made as a whole.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tierscope.errors import UsageError
from tierscope.registry import Registry


@dataclass(frozen=True, slots=True)
class Part:
    """The region `name` of the file `page`, a path below the root of the sources; no region is the whole file."""

    name: str
    page: str
    make: Callable[[], str]
    whole: bool = False


parts: Registry[Part] = Registry("part of the reference", "tierscope.cli.reference")


def made(root: Path) -> dict[Path, str]:
    """Return the text that each file of the reference must have. root: of the sources.

    UsageError for a file without the region of a part, and for a region without a part.
    """
    texts: dict[Path, str] = {}
    for part in (parts[name] for name in parts):
        path = root / part.page
        if part.whole:
            texts[path] = part.make()
        else:
            page = texts.get(path) or path.read_text(encoding="utf-8")
            texts[path] = replaced(page, part)
    for path, text in texts.items():
        for name in re.findall("<!-- made from the code: ([a-z-]+) -->", text):
            if name not in parts:
                raise UsageError(f"{path} has the region {name}, which no part makes; remove it, or add the part")
    return texts


def replaced(page: str, part: Part) -> str:
    """Return the page with the region of a part made again; UsageError where the page lacks it."""
    begin, end = f"<!-- made from the code: {part.name} -->", f"<!-- end of {part.name} -->"
    before, found, rest = page.partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        raise UsageError(f"{part.page} lacks the region {part.name}; add the lines {begin} and {end}")
    return f"{before}{begin}\n\n{part.make().strip()}\n\n{end}{after}"


def grid(heads: str, rows: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown. heads: with bars between them; a head that ends in a colon is aligned right."""
    names = [head.strip() for head in heads.split("|")]
    rule = "|".join("---:" if name.endswith(":") else "---" for name in names)
    lines = [" | ".join(cell.replace("|", r"\|") for cell in row) for row in rows]
    head = " | ".join(name.removesuffix(":") for name in names)
    return "\n".join([f"| {head} |", f"|{rule}|", *(f"| {line} |" for line in lines)])
