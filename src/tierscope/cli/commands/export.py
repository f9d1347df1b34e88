"""`tierscope export RUN... --to FORM`: one or several runs as one file for other programs."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door, names
from tierscope.cli.commands import commands
from tierscope.cli.help import Command

EPILOG = "Example:\n  tierscope export runs/A runs/B --to html --out both.html"


@click.command(cls=Command, epilog=EPILOG)
@click.argument("directories", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--to", "form", cls=names.Named, known=names.exports, required=True, help="One of {}.")
@click.option("--out", type=click.Path(path_type=Path), help="The file; default: standard output.")
def export(directories: tuple[Path, ...], form: str, out: Path | None) -> int:
    """Write the runs in DIRECTORIES as one file in another FORM."""
    from tierscope.errors import MachineError, UsageError, reason
    from tierscope.files import write_to
    from tierscope.record.result import load
    from tierscope.report.exports import exports

    chosen = exports[form]
    if out is None and not chosen.text:
        raise UsageError(f"{form} is no text; name a file with --out")
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
