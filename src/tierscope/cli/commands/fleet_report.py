"""`tierscope fleet report DIR -o PAGE`: static pages of a fleet."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(
    name="fleet report",
    cls=Command,
    area=Area.COMPARE,
    tried=Tried(),
    examples=(
        "tierscope fleet report fleet -o fleet.html",
        "tierscope fleet report fleet --openmetrics fleet.prom --sqlite fleet.db",
    ),
)
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option("-o", "--out", "page", type=click.Path(path_type=Path), help="The page; suspects are in `PAGE-hosts/`.")
@click.option("--openmetrics", type=click.Path(path_type=Path), help="Write gauges for Prometheus to this file.")
@click.option("--sqlite", type=click.Path(path_type=Path), help="Write an SQLite file with the machines.")
def fleet_report(directory: Path, page: Path | None, openmetrics: Path | None, sqlite: Path | None) -> int:
    """Write the pages of a fleet, and exports.

    DIR is the directory of the fleet. The pages need no network: the verdict, the groups with their suspects, a table
    of all machines to sort and search, changes and coverage, and one page for each suspect.
    """
    from tierscope.errors import UsageError
    from tierscope.fleet.page import exports, write_pages
    from tierscope.fleet.page.load import read_fleet

    if not (page or openmetrics or sqlite):
        raise UsageError("nothing to write; give -o PAGE, --openmetrics FILE or --sqlite FILE")
    fleet = read_fleet(directory)
    if page:
        suspects = write_pages(fleet, page)
        door.line(f"{page}: {len(fleet.machines)} machines, {suspects} suspect{'s' if suspects != 1 else ''}")
    if openmetrics:
        exports.openmetrics(fleet, openmetrics)
    if sqlite:
        exports.sqlite(fleet, sqlite)
    return 0


commands.add(fleet_report)
