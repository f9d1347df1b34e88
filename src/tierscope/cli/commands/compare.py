"""`tierscope compare A B`: the ratio of every point that both runs have, with its interval."""

from pathlib import Path

import rich_click as click

from tierscope.cli.commands import commands
from tierscope.cli.help import Command


@click.command(cls=Command, epilog="Exit status: 0 no point is slower, 1 one is, 4 nothing could be compared.")
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@click.option("--least", default=0.02, show_default=True, help="Smallest difference of interest, as a share.")
@click.option("--json", "as_json", is_flag=True, help="Rows as JSON on standard output.")
def compare(before: Path, after: Path, least: float, as_json: bool) -> int:
    """Compare run AFTER with run BEFORE, point by point. "No difference shown" is an answer."""
    import msgspec
    from rich.console import Console

    from tierscope.errors import Exit
    from tierscope.report.comparison import compare_runs, show
    from tierscope.result import load

    rows = compare_runs(load(before), load(after), least)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=1))
    else:
        show(rows, Console())
    verdicts = [row["verdict"] for row in rows]
    if not verdicts or set(verdicts) == {"inconclusive"}:
        return Exit.INCONCLUSIVE
    return Exit.FAILED if "slower" in verdicts else Exit.GOOD


commands.add(compare)
