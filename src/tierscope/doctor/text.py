"""The doctor's findings for a terminal: worst first, at most 80 columns wide, commands on a line of their own."""

from collections.abc import Sequence
from textwrap import wrap

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from tierscope.doctor.check import EVERY
from tierscope.printable import printable
from tierscope.record.result import Finding

WIDTH = 80
VERDICTS = {
    "bad": ("BAD", "bold red", "likely changes numbers"),
    "note": ("note", "yellow", "worth knowing"),
    "unknown": ("?", "cyan", "not visible here"),
    "good": ("ok", "green", "fine"),
}
"""Worst first: the word, its colour, what it means."""


def show(findings: Sequence[Finding], console: Console) -> None:
    """Print all findings; those that are good share a paragraph."""
    console.print(page(findings), width=min(WIDTH, console.width))


def page(findings: Sequence[Finding]) -> RenderableType:
    """Return counts, their meaning, one row for each finding that is not good, then the good ones together."""
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(width=4, no_wrap=True)
    table.add_column(overflow="fold")
    for verdict, (word, style, _) in VERDICTS.items():
        chosen = [finding for finding in findings if finding.verdict == verdict]
        if verdict == "good":
            line = printable("; ".join(f"{finding.name}: {finding.state}" for finding in chosen))
            table.add_row(*((Text(word, style), Text(line)) if chosen else ()))
        for finding in chosen if verdict != "good" else []:
            table.add_row(Text(word, style), _cell(finding))
    return Group(_counts(findings), "", table)


def _counts(findings: Sequence[Finding]) -> Text:
    line = Text()
    for verdict, (word, style, _) in VERDICTS.items():
        count = sum(finding.verdict == verdict for finding in findings)
        line.append(f"{count} " if not line else f", {count} ").append(word, style)
    meanings = "; ".join(f"{word}: {meaning}" for word, _, meaning in VERDICTS.values())
    return line.append(f"\n{meanings}", "dim")


def _command(remedy: str) -> str:
    """Return the command broken at spaces, so that its pieces can be pasted into a shell unchanged."""
    return " \\\n".join(wrap(f"$ {printable(remedy)}", WIDTH - 8, break_long_words=False, break_on_hyphens=False))


def _cell(finding: Finding) -> RenderableType:
    """Name and state; effect and the results it touches, where it is known to act; the command; an empty line."""
    parts: list[RenderableType] = [Text.assemble((printable(finding.name), "bold"), ": ", printable(finding.state))]
    if finding.effect and finding.verdict != "unknown":
        touched = "all results" if finding.touches == EVERY else ", ".join(finding.touches)
        parts.append(Text(printable(f"{touched}: {finding.effect}" if touched else finding.effect), "dim"))
    if finding.remedy:
        parts.append(Text(_command(finding.remedy)))
    return Group(*parts, "")
