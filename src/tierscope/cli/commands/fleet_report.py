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
        "tierscope fleet report fleet --openmetrics fleet.prom --sqlite fleet.db --clustercockpit groups.json",
    ),
)
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option("-o", "--out", "page", type=click.Path(path_type=Path), help="The page; suspects are in `PAGE-hosts/`.")
@click.option("--openmetrics", type=click.Path(path_type=Path), help="Write gauges for Prometheus to this file.")
@click.option(
    "--sqlite", type=click.Path(path_type=Path), help="Write machines, suspects and changes to an SQLite file."
)
@click.option(
    "--clustercockpit", type=click.Path(path_type=Path), help="Write each group as a subcluster of ClusterCockpit."
)
@click.option("--plan", help="Name of a plan that was run, or its digest; default: the one that most hosts ran.")
def fleet_report(directory: Path, page: Path | None, plan: str | None, **exported: Path | None) -> int:
    """Write the pages of a fleet, and exports.

    DIR is the directory of the fleet. The pages need no network: the verdict, the groups with their suspects, a table
    of all machines to sort and search, changes and coverage, and one page for each suspect. The file
    `packaging/grafana/fleet.json` is a Grafana dashboard for the gauges.
    """
    from tierscope.errors import UsageError
    from tierscope.fleet.page import clustercockpit, exports, write_pages
    from tierscope.fleet.page.load import read_fleet, read_nodes

    if not (page or any(exported.values())):
        raise UsageError("nothing to write; give -o PAGE, --openmetrics, --sqlite or --clustercockpit FILE")
    fleet = read_fleet(directory, plan)
    if page:
        suspects = write_pages(fleet, page)
        door.line(f"{page}: {len(fleet.machines)} machines, {suspects} suspect{'s' if suspects != 1 else ''}")
    if path := exported["openmetrics"]:
        exports.openmetrics(fleet, path)
    if path := exported["sqlite"]:
        exports.sqlite(fleet, path)
    if path := exported["clustercockpit"]:
        count = clustercockpit.write(read_nodes(directory, fleet.outliers.day, fleet.outliers.plan), path)
        many = "s" if count != 1 else ""
        door.line(f"{path}: {count} subcluster{many}; its `left_out` states what ClusterCockpit also needs")
    return 0


commands.add(fleet_report)
