"""`tierscope import FILE`: another tool's output as a run of ours."""

from pathlib import Path

import rich_click as click

from tierscope.cli import names
from tierscope.cli.commands import commands
from tierscope.cli.help import Command

EPILOG = """\
What you know of the machine, for the audit: peak=307.2GB/s, the theoretical peak of all its channels, or channels=8
speed=4800 (MT/s), which make it; cache=64MiB, all last-level caches together.

Examples:
  tierscope import stream.txt --out runs/stream-of-host1
  tierscope import mlc.txt peak=307.2GB/s"""


@click.command(name="import", cls=Command, epilog=EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("words", nargs=-1, metavar="[KEY=VALUE]...")
@click.option(
    "--as", "name", cls=names.Named, known=names.importers, default="",
    help="Format, one of {}; default: found by what the file looks like.",
)  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), help="Directory of the run; default: runs/TIME-import-FORMAT.")
def import_(file: Path, words: tuple[str, ...], name: str, out: Path | None) -> int:
    """Read FILE, which another tool wrote, as a run."""
    from datetime import UTC, datetime

    from tierscope.audit.limits import parsed
    from tierscope.cli.finish import finish
    from tierscope.cli.words import read_words
    from tierscope.imports import contents, importers, read
    from tierscope.imports.store import Given, in_memory, store
    from tierscope.run.owned import abandon, owned
    from tierscope.run.place import RUNS, forsake, new_directory, taken
    from tierscope.run.start import command_line

    if name:
        importers[name]  # an unknown name is told before anything is read
    now = datetime.now(UTC)
    limits = parsed(read_words(words))
    given = Given(limits.options, limits.peak, limits.source if limits.peak is not None else "")
    content = contents(file)
    found, imported = read(file, name, content)
    parts = in_memory(found, imported, command_line(), now, given)
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
