"""`tierscope import FILE`: another tool's output as a run of ours."""

from pathlib import Path

import rich_click as click

from tierscope.cli import names
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried, described


def _formats() -> dict[str, str]:
    from tierscope.imports import importers

    return described(importers)


@click.command(
    name="import",
    cls=Command,
    area=Area.DATA,
    tried=Tried(),
    formats=_formats,
    examples=(
        "tierscope import stream.txt --out runs/stream-of-host1",
        "tierscope import latency.txt --as multichase",
        "tierscope import mlc.txt peak=307.2GB/s",
    ),
)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("words", nargs=-1, metavar="[KEY=VALUE]...")
@click.option(
    "--as",
    "name",
    cls=names.Named,
    known=names.importers,
    default="",
    help="One of {}; default: detected from the content of the file.",
    metavar="FORMAT",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Directory of the run, new or empty; default: `runs/TIME-import-FORMAT`.",
)
def import_(file: Path, words: tuple[str, ...], name: str, out: Path | None) -> int:
    """Read the output of another tool, in FILE, as a run.

    Makes a run directory from it, with readings in base units and the file itself, and audits it. `show`, `report` and
    `audit` accept it like any other run. A file that is cut
    off, of a later version or in unknown units is refused. See [how to import](../how-to/import.md).

    State what you know of the machine: `peak=307.2GB/s` is the theoretical peak of all channels of the memory together.
    `channels=8 speed=4800` (in MT/s) give the peak as channels x speed x 8 bytes, and check `peak=` if both are
    present. `cache=64MiB` is the size of all last-level caches together: the report marks a footprint that fits into
    it.
    """
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
