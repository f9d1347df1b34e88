"""`tierscope history RUN...`: runs over time, and where their numbers changed."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried
from tierscope.cli.least import share


@click.command(
    cls=Command,
    area=Area.COMPARE,
    tried=Tried(("{run} {run} --figure {out}/h.svg", "{run} {run} --json")),
    status={1: "a number became slower", 4: "there are too few runs to decide"},
)
@click.argument("directories", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--least", default=0.02, show_default=True, callback=share, help="Smallest change of interest.", metavar="SHARE"
)
@click.option("--figure", type=click.Path(path_type=Path), help="SVG, PNG or HTML file of the points that changed.")
@click.option("--json", "as_json", is_flag=True, help="Print [all points and changes](json.md#history---json).")
def history(directories: tuple[Path, ...], least: float, figure: Path | None, as_json: bool) -> int:
    """Show runs over time, and where a number changed.

    Shows the main number of each point over the runs, ordered by their start, and the places where it changed. If a
    directory is not a run, the runs directly below it are used. At least six runs with the same points are necessary.
    See [how to compare](../how-to/compare.md#many-runs).
    """
    from tierscope.cli.console import Console
    from tierscope.compare import history_text
    from tierscope.compare.history import history as examine
    from tierscope.errors import Exit
    from tierscope.record.glance import glance
    from tierscope.record.uncollected import uncollected

    with uncollected():
        found = examine([glance(path) for given in directories for path in runs_of(given)], least)
    if figure:
        from tierscope.cli.drawn import draw

        draw(history_text.figure(found), figure)
    if as_json:
        door.document(history_text.data(found))
    else:
        history_text.show(found, Console())
    if not found.long_enough:
        return Exit.INCONCLUSIVE
    slower = any(one.worse(change) for one in found.series for change in one.changes)
    return Exit.FAILED if slower else Exit.GOOD


def runs_of(directory: Path) -> list[Path]:
    """Return the directory itself, or the runs directly below one that is not a run; others there are left out."""
    if (directory / "result.json").exists() or not directory.is_dir():
        return [directory]
    return sorted(path.parent for path in directory.glob("*/result.json")) or [directory]


commands.add(history)
