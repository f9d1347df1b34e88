"""The line above all others where numbers are not measurements of hardware."""

from rich.console import Console
from rich.text import Text

from tierscope.printable import printable
from tierscope.record.origin import banner
from tierscope.record.result import Result


def warn_of_origin(result: Result, console: Console) -> None:
    """Print what the numbers are; nothing where they are real."""
    if said := banner(result.origin, result.origin_by):
        console.print(Text(printable(said), style="bold yellow"))
