"""`tierscope report DIR`: write the run again in any of the formats."""

from pathlib import Path
from typing import Any

import rich_click as click

from tierscope.cli import door, names
from tierscope.cli.commands import commands
from tierscope.cli.help import Command
from tierscope.registry import Registry


def _formats() -> Registry[Any]:
    from tierscope.report.writers import writers

    return writers


@click.command(
    cls=Command, formats=_formats, examples=("tierscope report runs/A --format html --format svg --to figures-of-A",)
)
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "formats",
    cls=names.Named,
    known=names.formats,
    multiple=True,
    default=("html",),
    help="One of {}; may be repeated; default: `html`.",
    metavar="NAME",
)
@click.option(
    "--to", type=click.Path(path_type=Path), help="Directory of the files; default: the run directory itself."
)
def report(directory: Path, formats: tuple[str, ...], to: Path | None) -> int:
    """Write the report of the run in DIRECTORY, in one format or several.

    Prints the paths of the files. If the numbers are not real,
    the names of the files show it: `report-emulated.html`, `figures/scaling-emulated.svg`.
    """
    from tierscope.errors import MachineError, refusal
    from tierscope.record.result import load
    from tierscope.report.writers import writers

    run = load(directory)
    for writer in [writers[name] for name in formats]:  # all names are known before the first file is written
        try:
            written = writer.write(run, to or run.path)
        except OSError as error:
            raise MachineError(f"cannot write {refusal(error)}; try --to ANOTHER_PLACE") from error
        for path in written:
            door.line(path)
    return 0


commands.add(report)
