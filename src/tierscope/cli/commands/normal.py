"""`tierscope normal RUN`: the numbers of a run compared with those of similar machines."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried

ADD, SHARE, IMPORT = "add", "share", "import"
NEEDED = {ADD: ("RUN",), SHARE: ("RUN", "FILE"), IMPORT: ("FILE",)}
"""Word -> what follows it; several runs or files where it is one."""


@click.command(
    cls=Command,
    area=Area.COMPARE,
    tried=Tried(("{run}", "{run} --json")),
    examples=(
        "tierscope normal runs/quick-here",
        "tierscope normal add runs/quick-a runs/quick-b",
        "tierscope normal share runs/quick-here here.json",
        "tierscope normal import from-others.json",
    ),
    status={
        1: "a number is far worse than those of similar machines",
        4: "it is not known",
    },
)
@click.argument("words", nargs=-1, required=True, metavar="[add|share|import] RUN...", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print all points, bands and verdicts as JSON.")
def normal(words: tuple[Path, ...], as_json: bool) -> int:
    """Show whether a machine is normal.

    Shows the main numbers of a run, and the band of 20 to 80 % of similar machines: those with the same processor, and
    as many CPUs, packages and nodes. `add` adds runs to your reference set. `share RUN FILE` writes what is kept of a
    run, without names, and `import FILE` adds such a file. Fewer than five similar machines give no verdict. See [how
    to know what is normal](../how-to/normal.md).
    """
    from tierscope.errors import UsageError

    first, *rest = words
    word = str(first)
    if word in NEEDED and not (len(rest) == len(NEEDED[word]) or (rest and word != SHARE)):
        needed = " and ".join(NEEDED[word])
        raise UsageError(f"normal {word} needs {needed}; write ./{word} for a run of that name")
    if as_json and word in NEEDED:
        raise UsageError(f"normal {word} prints no numbers; leave out --json")
    if word == ADD:
        return _add(rest)
    if word == SHARE:
        return _share(*rest)
    if word == IMPORT:
        return _import(rest)
    if rest:
        raise UsageError("one run at a time; `tierscope normal add RUN...` adds several to the reference set")
    return _show(first, as_json)


def _show(directory: Path, as_json: bool) -> int:
    from tierscope.cli.console import Console
    from tierscope.errors import Exit
    from tierscope.normal import store, text
    from tierscope.normal.band import normal as beside
    from tierscope.record.result import load

    found = beside(load(directory), store.known())
    if as_json:
        door.document(text.data(found))
    else:
        text.show(found, Console())
    if found.odd:
        return Exit.FAILED
    return Exit.GOOD if any(row.verdict in ("normal", "low", "high") for row in found.rows) else Exit.INCONCLUSIVE


def _add(directories: list[Path]) -> int:
    from tierscope.normal import store
    from tierscope.normal.entry import entry_of
    from tierscope.record.result import load

    entries = [entry_of(load(directory)) for directory in directories]
    path = store.add(entries)
    door.line(f"{len(entries)} run{'s' if len(entries) > 1 else ''} added to {path}")
    return 0


def _share(directory: Path, file: Path) -> int:
    from tierscope.files import write_to
    from tierscope.normal import store
    from tierscope.normal.entry import entry_of
    from tierscope.record.result import load

    entry = entry_of(load(directory))
    write_to(file, store.document([entry]))
    door.line(f"{file}: {len(entry.numbers)} numbers of {entry.kind.family}, without names")
    return 0


def _import(files: list[Path]) -> int:
    from tierscope.errors import ResultError, reason
    from tierscope.normal import store
    from tierscope.normal.entry import read_entries

    entries = []
    for file in files:
        try:
            entries += read_entries(file.read_bytes(), str(file))
        except OSError as error:
            raise ResultError(f"cannot read {file}: {reason(error)}") from error
    path = store.add(entries)
    door.line(f"{len(entries)} entries added to {path}")
    return 0


commands.add(normal)
