"""`tierscope audit WHAT`: identities that a result must keep, and the numbers that break them."""

import rich_click as click

from tierscope.cli import door, names
from tierscope.cli.commands import commands
from tierscope.cli.help import Command

EPILOG = """\
What you know of the machine besides: peak=307.2GB/s, the theoretical peak of all its channels, or channels=8 speed=4800
(MT/s), which make it; cache=64MiB, all last-level caches together.

\b
Exit status: 0 every identity holds, 1 one fails, 4 none could be looked at.

Examples:
  tierscope audit reference:document003_storage
  tierscope audit mlc.txt peak=307.2GB/s"""


@click.command(cls=Command, epilog=EPILOG)
@click.argument("what")
@click.argument("words", nargs=-1, metavar="[KEY=VALUE]...")
@click.option(
    "--as", "name", cls=names.Named, known=names.importers, default="",
    help="Format of a file, one of {}; default: found by what it looks like.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Identities and failures as JSON on standard output.")
def audit(what: str, words: tuple[str, ...], name: str, as_json: bool) -> int:
    """Audit WHAT: a run directory, a file that another tool wrote, or reference:NAME, a published table."""
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
