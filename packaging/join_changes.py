"""Moves the fragments of changes/ into CHANGELOG.md under a version: `packaging/join_changes.py 0.2.0 2026-03-01`."""

import re
import sys
import textwrap
from pathlib import Path

KINDS = ("added", "changed", "deprecated", "removed", "fixed", "security", "development")
WIDTH = 120  # of a line, as in every page here
NAME = re.compile(r"(\d+)(?:-\d+)?\.(" + "|".join(KINDS) + r")\.md")
MARK = "<!-- releases -->\n"


def fragments(folder: Path) -> list[Path]:
    """In the order of their issues; ValueError names a file that is none."""
    paths = [path for path in folder.iterdir() if path.name != "README.md"]
    if wrong := sorted(path.name for path in paths if not NAME.fullmatch(path.name)):
        raise ValueError(f"{', '.join(wrong)}: a fragment is called NUMBER.KIND.md, KIND one of {', '.join(KINDS)}")
    return sorted(paths, key=lambda path: (int(path.name.split(".")[0].split("-")[0]), path.name))


def entry(text: str, issue: str) -> str:
    """Return one fragment as an entry of a list. ValueError for one that is a list itself, or has a heading."""
    words = " ".join(text.split())
    if words.startswith(("- ", "* ", "#")):
        raise ValueError(f"{words[:40]!r}: a fragment is a few sentences; write one file for each entry of a list")
    return (
        textwrap.fill(
            f"- {words} (#{issue})", WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
        + "\n"
    )


def section(paths: list[Path], version: str, date: str) -> str:
    """The text of one release: a heading for every kind that occurs, an entry for every fragment."""
    lines = [f"## {version} ({date})\n"]
    for kind in KINDS:
        entries = [path for path in paths if path.name.endswith(f".{kind}.md")]
        lines += [f"\n### {kind.capitalize()}\n\n"] if entries else []
        for path in entries:
            issue = path.name.split(".")[0].split("-")[0]
            lines.append(entry(path.read_text(), issue))
    return "".join(lines)


def join(root: Path, version: str, date: str) -> None:
    """Write the release above the older ones and remove its fragments."""
    log, paths = root / "CHANGELOG.md", fragments(root / "changes")
    before, mark, after = log.read_text().partition(MARK)
    if not mark or not paths:
        raise ValueError("nothing to join: changes/ is empty, or CHANGELOG.md has no mark")
    log.write_text(f"{before}{mark}\n{section(paths, version, date)}{after}")
    for path in paths:
        path.unlink()


if __name__ == "__main__":
    join(Path(__file__).resolve().parents[1], *sys.argv[1:3])
