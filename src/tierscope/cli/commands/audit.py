"""`tierscope audit WHAT`: identities that a result must keep, and the numbers that break them."""

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Command

EPILOG = """\b
Exit status: 0 every identity holds, 1 one fails, 4 none could be looked at.

Example:
  tierscope audit reference:document003_storage"""


@click.command(cls=Command, epilog=EPILOG)
@click.argument("what")
@click.option("--as", "name", default="", help="Format of a file; default: found by what it looks like.")
@click.option("--json", "as_json", is_flag=True, help="Identities and failures as JSON on standard output.")
def audit(what: str, name: str, as_json: bool) -> int:
    """Audit WHAT: a run directory, a file that another tool wrote, or reference:NAME, a published table."""
    import dataclasses

    from tierscope.audit.text import show
    from tierscope.cli.audited import audited
    from tierscope.cli.console import Console
    from tierscope.errors import Exit

    title, found = audited(what, name)
    if as_json:
        facts = {"what": title, "checked": found.checked, "failures": [dataclasses.asdict(f) for f in found.failures]}
        door.document(facts)
    else:
        show(title, found, Console())
    if found.failures:
        return Exit.FAILED
    return Exit.GOOD if any(found.checked.values()) else Exit.INCONCLUSIVE


commands.add(audit)
