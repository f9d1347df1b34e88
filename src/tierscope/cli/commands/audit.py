"""`tierscope audit WHAT`: identities that a result must keep, and the numbers that break them."""

import rich_click as click

from tierscope.cli import door, names
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(
    cls=Command,
    area=Area.LOOK,
    tried=Tried(("{run}", "{run} --json")),
    status={1: "at least one identity fails", 4: "no identity applies to the numbers"},
    examples=(
        "tierscope audit runs/A",
        "tierscope audit reference:document003_storage",
        "tierscope audit mlc.txt channels=8 speed=4800",
    ),
)
@click.argument("what", shell_complete=names.runs_or_tables)
@click.argument("words", nargs=-1, metavar="[KEY=VALUE]...")
@click.option(
    "--as",
    "name",
    cls=names.Named,
    known=names.importers,
    default="",
    metavar="FORMAT",
    help="Format of a file, as for `import`: {}; default: detected from its content.",
)
@click.option("--json", "as_json", is_flag=True, help="Print [what was checked and what fails](json.md#audit---json).")
def audit(what: str, words: tuple[str, ...], name: str, as_json: bool) -> int:
    """Check the identities that a result must fulfil, and show the numbers that violate one.

    Identities are, for example: latency multiplied by rate is the number of accesses in flight; a bus transfers no more
    than its peak; a timing is longer than the clock's step. Each number that violates one is shown with a possible
    cause. WHAT is a run directory, a file that [another tool](#import) wrote, or `reference:NAME`, a published table.
    Every run is also audited before it is shown. See [how to audit](../how-to/audit.md).

    State what you know of the machine: `peak=307.2GB/s` is the theoretical peak of all channels of the memory together.
    `channels=8 speed=4800` (in MT/s) give the peak as channels x speed x 8 bytes, and check `peak=` if both are
    present. `cache=64MiB` is the size of all last-level caches together: the report marks a footprint that fits into
    it.
    """
    import dataclasses

    from tierscope.audit.limits import parsed
    from tierscope.audit.text import show
    from tierscope.cli.audited import audited
    from tierscope.cli.console import Console
    from tierscope.cli.words import read_words
    from tierscope.errors import Exit

    title, found = audited(what, name, parsed(read_words(words)))
    if as_json:
        facts = {"what": title, "checked": found.checked, "failures": [dataclasses.asdict(f) for f in found.failures]}
        door.document(facts)
    else:
        show(title, found, Console())
    if found.failures:
        return Exit.FAILED
    return Exit.GOOD if any(found.checked.values()) else Exit.INCONCLUSIVE


commands.add(audit)
