"""The options that every command has that measures: `run`, `resume` and `rerun`."""

import rich_click as click

rows = click.option(
    "--json",
    "json_to",
    metavar="FILE",
    help="Write all rows as one [JSON document](json.md); `-` is standard output, and tables then go to "
    "standard error.",
)
strict = click.option(
    "--strict",
    is_flag=True,
    help="End with 4 if any point is inconclusive, not only if half of the points of a table are.",
)
quiet = click.option("--quiet", is_flag=True, help="Print only errors.")
