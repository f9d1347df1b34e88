"""`tierscope skeleton RUN`: the smallest command, the number of rows of each table of a run.

Its help, the reference pages, the manual page and the completion of a shell are made from this file.
"""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(
    cls=Command,
    # Its group in the help of the program.
    area=Area.LOOK,
    # How the tests call it for a run of each suite; Tried() for a command that reads no run.
    tried=Tried(("{run}", "{run} --json")),
    examples=("tierscope skeleton runs/A",),
)
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def skeleton(directory: Path, as_json: bool) -> int:
    """Count the rows of each table of the run in DIRECTORY."""
    # A command neither computes nor draws: it calls functions that do. Heavy modules are imported here, so that the
    # help of the program is quick.
    from tierscope.record.result import load
    from tierscope.report.content import gather

    counts = {name: len(section.rows) for name, section in gather(load(directory)).sections.items()}
    # `door` is the only way to the terminal: it escapes what is not printable.
    if as_json:
        door.document(counts)
    else:
        door.lines("".join(f"{name} {count}\n" for name, count in counts.items()))
    return 0  # or a status of `errors.Exit`; errors are raised


commands.add(skeleton)
