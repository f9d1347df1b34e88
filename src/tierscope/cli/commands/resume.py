"""`tierscope resume DIR`: go on after an interruption; what is there is kept."""

from pathlib import Path

import rich_click as click

from tierscope.cli.agreed import Agreement, allowing
from tierscope.cli.commands import commands


@click.command()
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--json", "json_to", metavar="FILE", help="Rows as one JSON document; - is standard output.")
@click.option("--strict", is_flag=True, help="Exit 4 if any point is inconclusive.")
@click.option("--quiet", is_flag=True, help="Say nothing but errors.")
@allowing
def resume(directory: Path, json_to: str | None, strict: bool, quiet: bool, allowed: bool) -> int:
    """Continue the run in DIRECTORY where it was interrupted."""
    from tierscope.cli.finish import run_and_finish
    from tierscope.run.agree import agree_to

    agree_to(directory, Agreement(directory, allowed=allowed))
    return run_and_finish(directory, json_to, strict, quiet, fresh=False)


commands.add(resume)
