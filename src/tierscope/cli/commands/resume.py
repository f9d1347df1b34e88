"""`tierscope resume DIR`: continue after an interruption; existing records are kept."""

from pathlib import Path

import rich_click as click

from tierscope.cli import running
from tierscope.cli.agreed import Agreement, allowing
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(
    cls=Command,
    area=Area.MEASURE,
    tried=Tried(),
    status=running.STATUS,
)
@click.argument("directory", type=click.Path(path_type=Path))
@running.host
@running.rows
@running.strict
@running.quiet
@allowing
def resume(directory: Path, json_to: str | None, strict: bool, quiet: bool, allowed: bool) -> int:
    """Continue the run in DIRECTORY where it was interrupted.

    Keeps what the run already contains. Refuses another machine, and a run that another process writes. A run may name
    [commands](../how-to/resume-and-rerun.md#commands-of-a-run).
    """
    from tierscope.cli.finish import run_and_finish
    from tierscope.run.agree import agree_to
    from tierscope.run.hosts import connected, same_host

    where = running.asked_host()
    same_host(where, directory, "resume")
    with connected(where, running.telling(quiet)) as host:
        agree_to(directory, Agreement(directory, allowed=allowed, on=host.word))
        return run_and_finish(directory, json_to, strict, quiet, fresh=False, host=host)


commands.add(resume)
