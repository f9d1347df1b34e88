"""`tierscope import FILE`: another tool's output as a run of ours."""

from pathlib import Path

import rich_click as click

from tierscope.cli.commands import commands
from tierscope.cli.help import Command

EPILOG = "Example:\n  tierscope import stream.txt --out runs/stream-of-host1"


@click.command(name="import", cls=Command, epilog=EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--as", "name", default="", help="Format; default: found by what the file looks like.")
@click.option("--out", type=click.Path(path_type=Path), help="Directory of the run; default: runs/TIME-import-FORMAT.")
def import_(file: Path, name: str, out: Path | None) -> int:
    """Read FILE, which STREAM, likwid-bench, multichase, Intel MLC, fio, pmembench or perf stat wrote, as a run."""
    from datetime import UTC, datetime

    from tierscope.cli.finish import finish
    from tierscope.imports import contents, importers, read
    from tierscope.imports.store import in_memory, store
    from tierscope.run.owned import abandon, owned
    from tierscope.run.place import RUNS, forsake, new_directory, taken
    from tierscope.run.start import command_line

    if name:
        importers[name]  # an unknown name is told before anything is read
    now = datetime.now(UTC)
    content = contents(file)
    found, imported = read(file, name, content)
    parts = in_memory(found, imported, command_line(), now)
    directory = taken(out) if out else new_directory(RUNS, "import", found, now)
    with owned(directory):
        try:
            run = store(directory, (file.name, content), parts)
        except BaseException:
            abandon(directory)
            forsake(directory.parent)
            raise
    finish(run, None, strict=False, quiet=False)
    return 0


commands.add(import_)
