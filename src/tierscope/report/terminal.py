"""A run in a terminal of 80 columns: its top, one compact table per table, braille plots, and what to do next."""

from collections.abc import Sequence

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from tierscope.audit import Failure
from tierscope.draw.forms import form
from tierscope.printable import printable
from tierscope.record.result import Run
from tierscope.report.content import Section, gather
from tierscope.report.top.terminal import show_steps, show_top
from tierscope.report.top.top import top
from tierscope.report.warned import warn_of_origin
from tierscope.sound import reads
from tierscope.tables import tables

SAID = 4  # insights below a table; the report has them all
FAILED = 6  # failed identities below a table


@reads("the page of a terminal")
def show(run: Run, console: Console) -> None:
    """Print `run`; ResultError if its samples are damaged."""
    content = gather(run)
    found = top(content)
    console.print()
    warn_of_origin(run.result, console)
    show_top(found, console)
    shown = [section for name, section in content.sections.items() if name in tables and tables[name].in_terminal]
    for section in shown or content.sections.values():
        console.print()
        console.print(*form(section.name)(section, console), *_said(section), sep="\n")
        show_failures(section.failures, console)
    told = {section.name for section in shown or content.sections.values()}
    show_failures([one for one in content.audit.failures if one.table not in told], console)
    show_steps(found, console)


def show_failures(failures: Sequence[Failure], console: Console) -> None:
    """Return identities that fail, each with its number; the first FAILED of them."""
    for one in failures[:FAILED]:
        console.print(Text(printable(f" ! {one.identity}: {one.text}"), style="bold red"))
    if len(failures) > FAILED:
        console.print(Text(f" ! {len(failures) - FAILED} more in the report", style="bold red"))


def _said(section: Section) -> list[RenderableType]:
    """Return the first insights as a list with hanging indents."""
    grid = Table.grid(padding=(0, 1))
    for insight in [one for one in section.insights if not one.detail][:SAID]:
        grid.add_row(" -", Text(printable(insight.text)))
    more = len(section.insights) - grid.row_count
    if more > 0:
        grid.add_row("", Text(f"{more} more in the report", style="dim"))
    return [grid] if section.insights else []
