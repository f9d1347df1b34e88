"""`tierscope correlate RUN`: which counters go with time over a sweep."""

from pathlib import Path

import rich_click as click

from tierscope.cli.commands import commands
from tierscope.cli.help import Command


@click.command(cls=Command)
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--figure", type=click.Path(path_type=Path), help="SVG file of the map.")
@click.option("--json", "as_json", is_flag=True, help="Rows as JSON on standard output.")
def correlate(run: Path, figure: Path | None, as_json: bool) -> int:
    """Correlate the counters of RUN with its times over the points of each sweep, by value and by rank."""
    import msgspec
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from tierscope.cli.drawn import draw
    from tierscope.errors import Exit
    from tierscope.origin import banner
    from tierscope.report.correlated import correlated
    from tierscope.report.correlated import figure as drawn
    from tierscope.report.words import printable
    from tierscope.result import load

    own = load(run)
    found = correlated(own)
    if figure:
        draw(drawn(found, own.result.origin), figure)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode([one.row() for one in found]), indent=1))
        return Exit.GOOD
    console = Console()
    if said := banner(own.result.origin, own.result.origin_by):
        console.print(Text(printable(said), style="bold yellow"))
    for sweep in dict.fromkeys(one.sweep for one in found):
        rows = [one for one in found if one.sweep == sweep]
        table = Table(title=Text(f"{sweep}, {rows[0].points} points"), title_justify="left", box=None, pad_edge=False)
        for name in ("counter per operation", "linear", "95 % interval", "rank", "95 % interval"):
            table.add_column(name, justify="left" if name.startswith("counter") else "right", header_style="dim")
        for one in rows:
            cells = [
                cell
                for kind in (one.linear, one.rank)
                for cell in (f"{kind.middle:+.3f}", f"{kind.low:+.2f} to {kind.high:+.2f}")
            ]
            table.add_row(Text(printable(one.counter)), *cells)
        console.print(table)
    return Exit.GOOD


commands.add(correlate)
