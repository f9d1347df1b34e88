"""`tierscope import FILE`: another tool's output as a run of ours."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from tierscope.cli import names
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried, described

if TYPE_CHECKING:
    from tierscope.record.result import Run


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
        "tierscope import plan.jsonl",
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
    `audit` accept it like any other run. A file that is cut off, of a later version or in unknown units is refused.
    See [how to import](../how-to/import.md).

    State what you know of the machine: `peak=307.2GB/s` is the theoretical peak of all channels of the memory together.
    `channels=8 speed=4800` (in MT/s) give the peak as channels x speed x 8 bytes, and check `peak=` if both are
    present. `cache=64MiB` is the size of all last-level caches together: the report marks a footprint that fits into
    it.

    The output of `tierscope-core run` becomes a whole run, with samples and intervals: see [how to measure on a server
    without Python](../how-to/bare-server.md). Its plan and its samples are those next to FILE, `plan.txt` and
    `plan.npy` for `plan.jsonl`, or those of `plan=FILE` and `samples=FILE`.
    """
    from datetime import UTC, datetime

    from tierscope.audit.limits import parsed
    from tierscope.cli.finish import finish
    from tierscope.cli.words import read_words
    from tierscope.imports import contents, importers, read
    from tierscope.imports.store import Given, in_memory, store
    from tierscope.run.bare_steps import is_of_the_core
    from tierscope.run.place import RUNS, new_directory, taken
    from tierscope.run.start import command_line

    if name:
        importers[name]  # an unknown name is reported before anything is read
    now = datetime.now(UTC)
    content, given_words = contents(file), read_words(words)
    if not name and is_of_the_core(content):
        return _of_the_core(file, content, given_words, out)
    limits = parsed(given_words)
    given = Given(limits.options, limits.peak, limits.source if limits.peak is not None else "")
    found, imported = read(file, name, content)
    parts = in_memory(found, imported, command_line(), now, given)
    directory = taken(out) if out else new_directory(RUNS, "import", found, now)
    run = _stored(directory, lambda: store(directory, (file.name, content), parts))
    finish(run, None, strict=False, quiet=False)
    return 0


def _stored(directory: Path, store: "Callable[[], Run]") -> "Run":
    """Return the stored run; a failure leaves no directory."""
    from tierscope.run.owned import abandon, owned
    from tierscope.run.place import forsake

    with owned(directory):
        try:
            return store()
        except BaseException:
            abandon(directory)
            forsake(directory.parent)
            raise


def _of_the_core(file: Path, content: bytes, words: dict[str, str], out: Path | None) -> int:
    """Import what the core printed alone."""
    from datetime import UTC, datetime

    from tierscope.audit.limits import parsed
    from tierscope.cli.finish import finish
    from tierscope.errors import UsageError
    from tierscope.imports.store import Given
    from tierscope.run.bare import files_of, read_run, store
    from tierscope.run.place import RUNS, new_directory, taken
    from tierscope.run.start import command_line

    named = {key: Path(words.pop(key)) for key in ("plan", "samples") if key in words}
    limits = parsed(words)
    if "cache" in limits.options:
        raise UsageError("cache= is for the output of other tools; print the topology before the plan instead")
    given = Given(limits.options, limits.peak, limits.source if limits.peak is not None else "")
    files = files_of(file, content, named.get("plan"), named.get("samples"))
    manifest, found = read_run(files, command_line(), given)
    directory = taken(out) if out else new_directory(RUNS, "import", manifest.machine.hostname, datetime.now(UTC))
    run = _stored(directory, lambda: store(directory, manifest, found))
    finish(run, None, strict=False, quiet=False)
    return 0


commands.add(import_)
