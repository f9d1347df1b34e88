"""The top of a run in a terminal of 80 columns."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tierscope.printable import printable
from tierscope.report.top.parts import BAD, GOOD, NOTE, Top
from tierscope.report.top.shown import band_of, span_of, value_of

STYLES = {GOOD: "green", NOTE: "yellow", BAD: "bold red", "": ""}


def show_top(found: Top, console: Console) -> None:
    """Print the headline, the answers and the key numbers."""
    console.print(Text(printable(found.lead), style="bold"))
    for line in found.lines:
        console.print(Text(printable(line)))
    if found.answers:
        console.print()
        console.print(_answers(found))
    if found.keys:
        console.print()
        console.print(_keys(found))


def show_steps(found: Top, console: Console) -> None:
    """Print what to do next, each command on a line of its own that can be copied."""
    if not found.steps:
        return
    console.print()
    console.print(Text("What to do next", style="bold"))
    for number, step in enumerate(found.steps, start=1):
        line = Table.grid()
        line.add_row(f" {number}. ", Text(printable(step.text)))
        console.print(line)
        if step.command:
            console.print(Text(printable(f"    {step.command}"), style="cyan"), soft_wrap=True)


def _answers(found: Top) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for answer in found.answers:
        text = Text(printable(answer.short), style=STYLES[answer.mark] or "bold")
        if answer.text:
            text.append("\n").append(printable(answer.text), style="dim")
        grid.add_row(Text(printable(answer.question)), text)
    return grid


def _keys(found: Top) -> Table:
    """Return one line for each number; its notes are below its name where a band or a range uses the space."""
    banded = any(key.band for key in found.keys)
    stacked = banded or any(key.rough for key in found.keys)
    table = Table(box=None, pad_edge=False, show_header=banded, header_style="dim")
    table.add_column("")
    table.add_column("", justify="right")
    for head in ("", "similar machines" if banded else "", ""):
        table.add_column(head)
    for key in found.keys:
        name, about = Text(printable(key.name)), Text(printable(key.about), style="dim")
        if stacked and key.about:
            name = name.append("\n").append(about)
        last = Text(band_of(key)) if stacked else about
        value, span = Text(value_of(key), style="bold"), Text(span_of(key))
        table.add_row(name, value, span, last, Text(key.verdict, style=STYLES[key.mark]))
    return table
