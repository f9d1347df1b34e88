"""`tierscope correlate RUN`: which counters go with time over a sweep."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(
    cls=Command,
    area=Area.COMPARE,
    tried=Tried(some=("{run} --figure {out}/m.svg", "{run} --json", "{run} --counters --figure {out}/c.svg")),
    status={2: "the run has too few points with counters"},
)
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--figure",
    type=click.Path(path_type=Path),
    help="SVG, PNG or HTML file with the map: a line for each counter, a column for each kind.",
)
@click.option("--counters", is_flag=True, help="Correlate the counters with each other, and with time.")
@click.option("--json", "as_json", is_flag=True, help="Print [rows](json.md#correlate---json).")
def correlate(run: Path, figure: Path | None, counters: bool, as_json: bool) -> int:
    """Correlate the counters of RUN with its times, over the points of each sweep.

    Shows the linear (Pearson) and rank (Spearman) correlation of each counter with the time of an operation, over the
    points of each table and kernel, with 95 % intervals. Counters are per operation; those that are equal at all points
    are left out. At least five points with counters are necessary, of a run with [`counters=`](../how-to/counters.md)
    or on a simulated machine: `tierscope run latency counters=default`. With --counters, the result is a matrix of
    counters over counters, with linear correlations.
    """
    from tierscope.cli.console import Console
    from tierscope.cli.drawn import draw
    from tierscope.compare import correlated_text, crossed_text
    from tierscope.compare.correlated import correlated
    from tierscope.compare.crossed import crossed
    from tierscope.errors import Exit
    from tierscope.record.result import load
    from tierscope.report.warned import warn_of_origin

    own = load(run)
    one, text = (crossed(own), crossed_text) if counters else (correlated(own), correlated_text)
    if figure:
        draw(text.figure(one, own.result.origin), figure)
    if as_json:
        door.document([pair.row() for pair in one])
    else:
        warn_of_origin(own.result, console := Console())
        text.show(one, console)
    return Exit.GOOD


commands.add(correlate)
