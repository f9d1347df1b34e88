"""`tierscope compare A B`: the ratio of every point that both runs have, with its interval."""

from pathlib import Path

import rich_click as click

from tierscope.cli.commands import commands
from tierscope.cli.help import Command


@click.command(cls=Command, epilog="Exit status: 0 no point is slower, 1 one is, 4 nothing could be compared.")
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@click.option("--least", default=0.02, show_default=True, help="Smallest difference of interest, as a share.")
@click.option("--across-origins", "across", is_flag=True, help="Compare real, emulated and simulated numbers too.")
@click.option("--json", "as_json", is_flag=True, help="Rows as JSON on standard output.")
def compare(before: Path, after: Path, least: float, across: bool, as_json: bool) -> int:
    """Compare run AFTER with run BEFORE, point by point. "No difference shown" is an answer."""
    import msgspec
    from rich.console import Console
    from rich.text import Text

    from tierscope.errors import Exit, UsageError
    from tierscope.report.comparison import compare_runs, doubt, origins_of, show
    from tierscope.report.words import printable
    from tierscope.result import load

    if not 0 <= least < 1:
        raise UsageError(f"--least {least:g} is no share; name one from 0 up to 1, such as 0.02")
    old, new = load(before), load(after)
    rows = compare_runs(old, new, least, across=across)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=1))
    else:
        show(rows, console := Console())
        if said := origins_of(old, new):
            console.print(Text(printable(said), style="bold yellow"))
        console.print(doubt(old, new), highlight=False)
    verdicts = [row["verdict"] for row in rows]
    if not verdicts or set(verdicts) == {"inconclusive"}:
        return Exit.INCONCLUSIVE
    return Exit.FAILED if "slower" in verdicts else Exit.GOOD


commands.add(compare)
