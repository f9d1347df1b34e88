"""`tierscope show [DIR]`: a run in the terminal."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(cls=Command, area=Area.LOOK, tried=Tried(("{run}", "{run} --json")))
@click.argument("directory", type=click.Path(path_type=Path), required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the [JSON document](json.md#run---json) instead.")
def show(directory: Path | None, as_json: bool) -> int:
    """Show the run in DIRECTORY, or the newest one below `runs`, as tables and plots.

    Needs neither the core nor the machine of the run.
    """
    from tierscope.cli.console import Console
    from tierscope.cli.finish import present
    from tierscope.record.result import load
    from tierscope.report.formats.json import document
    from tierscope.run.newest import newest

    if directory is None:
        directory = newest()
        door.message(f"the newest run is {directory}")
    run = load(directory)
    if as_json:
        door.document(document(run))
    else:
        present(run, Console())
    return 0


commands.add(show)
