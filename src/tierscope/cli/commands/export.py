"""`tierscope export RUN... --to FORM`: one or several runs as one file for other programs."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door, names
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


def _formats() -> dict[str, str]:
    from tierscope.report.formats import formats

    return {name: found.help for name, found in formats.exports().items()}


@click.command(
    cls=Command,
    area=Area.DATA,
    tried=Tried(some=("{run} {run} --to {export} --out {out}/export",)),
    formats=_formats,
    examples=(
        "tierscope export runs/A runs/B --to html --out both.html",
        "tierscope export runs/A --to openmetrics",
    ),
)
@click.argument("directories", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--to", "form", cls=names.Named, known=names.exports, required=True, metavar="FORM", help="One of {}.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="The file; default: standard output. Necessary for `parquet`."
)
def export(directories: tuple[Path, ...], form: str, out: Path | None) -> int:
    """Write runs as one file for other programs.

    See [how to export](../how-to/export.md).
    """
    from tierscope.errors import MachineError, UsageError, reason
    from tierscope.files import write_to
    from tierscope.record.result import load
    from tierscope.report.formats import formats

    chosen = formats.export(form)
    if out is None and not chosen.text:
        raise UsageError(f"{form} is not text; name a file with --out")
    content = chosen.render([load(directory) for directory in directories])
    if out is None:
        door.lines(content.decode())
        return 0
    try:
        write_to(out, content)
    except OSError as error:
        raise MachineError(f"cannot write {out}: {reason(error)}; try another --out PATH") from error
    door.line(out)
    return 0


commands.add(export)
