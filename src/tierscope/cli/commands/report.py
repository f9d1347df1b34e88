"""`tierscope report DIR`: write the run again in any of the formats."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door, names
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


def _formats() -> dict[str, str]:
    from tierscope.report.formats import formats

    return {name: found.help for name, found in formats.reports().items()}


@click.command(
    cls=Command,
    area=Area.LOOK,
    tried=Tried(("{run} --to {out} --format {report}",)),
    formats=_formats,
    examples=(
        "tierscope report runs/A --format html --format svg --to figures-of-A",
        "tierscope report runs/A --open",
    ),
)
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "formats",
    cls=names.Named,
    known=names.reports,
    multiple=True,
    default=("html",),
    help="One of {}; may be repeated; default: `html`.",
    metavar="NAME",
)
@click.option(
    "--to", type=click.Path(path_type=Path), help="Directory of the files; default: the run directory itself."
)
@click.option("--open", "show", is_flag=True, help="Open the page in your browser; for `html` only.")
def report(directory: Path, formats: tuple[str, ...], to: Path | None, show: bool) -> int:
    """Write the report of the run in DIRECTORY, in one format or several.

    Prints the paths of the files. If the numbers are not real,
    the names of the files show it: `report-emulated.html`, `figures/scaling-emulated.svg`.
    """
    from tierscope.cli.browser import open_page
    from tierscope.errors import MachineError, UsageError, refusal
    from tierscope.record.result import load
    from tierscope.report.formats import formats as known
    from tierscope.report.formats import write

    if show and "html" not in formats:
        raise UsageError("--open opens the page, and html is not among the formats; add --format html")
    run = load(directory)
    pages: list[Path] = []
    for name in formats:
        known.report(name)  # raises before the first file is written
    for name in formats:
        try:
            written = write(name, run, to or run.path)
        except OSError as error:
            raise MachineError(f"cannot write {refusal(error)}; try --to ANOTHER_PLACE") from error
        pages += written if name == "html" else []
        for path in written:
            door.line(path)
    if show:
        open_page(pages[0])
    return 0


commands.add(report)
