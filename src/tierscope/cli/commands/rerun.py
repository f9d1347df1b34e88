"""`tierscope rerun DIR`: the same suite with the same options, on the machine in its present state."""

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
@click.option("--out", type=click.Path(path_type=Path), help="Directory of the new run; default: as for `run`.")
@running.host
@running.rows
@running.strict
@running.quiet
@allowing
def rerun(directory: Path, out: Path | None, json_to: str | None, strict: bool, quiet: bool, allowed: bool) -> int:
    """Repeat the run in DIRECTORY as a new run.

    Measures the same suite with the same options into a new directory, on the machine in its present state. A run may
    name [commands](../how-to/resume-and-rerun.md#commands-of-a-run).
    """
    from tierscope.cli.finish import run_and_finish
    from tierscope.record.result import load_manifest
    from tierscope.run.hosts import connected, same_host
    from tierscope.run.imported import refuse_imported
    from tierscope.run.planned import options_again
    from tierscope.run.start import begin, command_line

    old = load_manifest(directory)
    refuse_imported(directory, old, "repeated")
    where = running.asked_host()
    same_host(where, directory, "rerun")
    with connected(where, running.telling(quiet)) as host:
        agree = Agreement(directory, allowed=allowed, on=host.word)
        new, _ = begin(old.suite, options_again(old), old.plan, command_line(), out, agree, host)
        return run_and_finish(new, json_to, strict, quiet, fresh=True, host=host)


commands.add(rerun)
