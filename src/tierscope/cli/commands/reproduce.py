"""`tierscope reproduce [DOCUMENT]`: the figures of a source document, recomputed."""

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands


@click.command()
@click.argument("document", required=False)
@click.option("--all", "everything", is_flag=True, help="Every figure, also of long tables of which all hold.")
@click.option("--json", "as_json", is_flag=True, help="All figures as JSON on standard output.")
def reproduce(document: str | None, everything: bool, as_json: bool) -> int:
    """Recompute what DOCUMENT (000 to 004) derives, row by row; without a name, one line for each."""
    from tierscope.cli.console import Console
    from tierscope.errors import Exit
    from tierscope.reproduce import reproduce as documents
    from tierscope.reproduce.text import data, show, summary, unclaimed

    chosen = [documents[name] for name in ([document] if document else documents)]
    if as_json:
        door.document({"documents": [data(one) for one in chosen]})
    elif document:
        show(chosen[0], Console(), everything)
    else:
        door.lines("".join(f"{summary(one)}\n" for one in chosen))
    return Exit.FAILED if any(unclaimed(one.claims()) for one in chosen) else Exit.GOOD


commands.add(reproduce)
