"""`tierscope fleet collect DIR`: fold the reports of each day into the store."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried

SHOWN = 20


@click.command(
    "fleet collect",
    cls=Command,
    area=Area.COMPARE,
    tried=Tried(),
    examples=("tierscope fleet collect fleets/made", "tierscope fleet collect fleets/made --all"),
    status={4: "no report of the last day can be used"},
)
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--all", "every", is_flag=True, help="List what is odd on every day, not only on the last one.")
def fleet_collect(directory: Path, *, every: bool) -> int:
    """Fold the reports in DIR into its store, and list what cannot be used.

    `outliers` and `trend` do this, too. A day whose reports are as they were is not read again. Every month that is
    over is stored once more, sorted for histories of hosts. The reports remain the truth: `DIR/store` can be deleted
    at any time.
    """
    from tierscope.errors import Exit
    from tierscope.fleet.compact import compact
    from tierscope.fleet.fold import collect

    folded = collect(directory)
    months = compact(directory)
    reports = sum(one.reports for one in folded.days)
    door.line(f"{directory}: {reports} reports on {len(folded.days)} days; {folded.new} days folded, {months} months "
              "compacted")  # fmt: skip
    for day in folded.days if every else folded.days[-1:]:
        for one in day.listed if every else day.listed[:SHOWN]:
            door.line(f"  {day.day}  {one.what}: {one.reason}")
        if not every and len(day.listed) > SHOWN:
            door.line(f"  {day.day}  {len(day.listed) - SHOWN} more; --all lists them")
    return Exit.GOOD if folded.days and folded.days[-1].reports else Exit.INCONCLUSIVE


commands.add(fleet_collect)
