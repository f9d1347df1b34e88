"""`tierscope reproduce [DOCUMENT]`: the figures of a source document, recomputed."""

import rich_click as click

from tierscope.cli import door, names
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(
    cls=Command,
    area=Area.PREDICT,
    tried=Tried(),
    status={1: "a figure differs from what Tierscope states, including the faults that it knows"},
    examples=(
        "tierscope reproduce 004",
        "tierscope reproduce 003 --all",
    ),
)
@click.argument("document", required=False, shell_complete=names.complete(names.documents))
@click.option(
    "--all", "everything", is_flag=True, help="Show every figure, also of long tables in which all are right."
)
@click.option("--json", "as_json", is_flag=True, help="Print [all figures](json.md#reproduce---json).")
def reproduce(document: str | None, everything: bool, as_json: bool) -> int:
    """Recompute the figures of published documents.

    Recomputes every figure that DOCUMENT (such as `004`) derives, row by row: published, recomputed, difference. It
    then shows which figures are right and which are not, with the reason. Without a document, it prints one line for
    each. See [how to reproduce](../how-to/reproduce.md).
    """
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
