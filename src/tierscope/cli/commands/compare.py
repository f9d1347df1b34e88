"""`tierscope compare A B`: the ratio of every point that both runs have; or a run beside a published table."""

from pathlib import Path
from typing import Any

import rich_click as click

from tierscope.cli.agreed import allowing
from tierscope.cli.commands import commands
from tierscope.cli.help import Command
from tierscope.cli.least import share

EPILOG = """\b
Exit status: 0 no point is slower, 1 one is, 4 nothing could be compared.
Beside a published table: 0 normal for such hardware, 1 not, 4 no point tells."""


@click.command(cls=Command, epilog=EPILOG)
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after")
@click.option(
    "--least", type=float, callback=share, help="Smallest difference of interest, as a share; 0.02 if not given."
)
@click.option(
    "--across-origins", "across", flag_value="origins", help="Compare real, emulated and simulated numbers too."
)
@click.option(
    "--rerun", "rounds", type=int, help="Measure both again here, in so many rounds in turns, and compare those."
)
@click.option("--across-targets", "across", flag_value="targets", help="Compare points of two targets too.")
@click.option("--out", type=click.Path(path_type=Path), help="Directory of the runs of --rerun.")
@click.option(
    "--figure",
    type=click.Path(path_type=Path),
    help="SVG, PNG or HTML file: the ratios as a waterfall; beside reference:NAME both curves.",
)
@click.option("--json", "as_json", is_flag=True, help="Rows as JSON on standard output.")
@allowing
def compare(
    before: Path, after: str, rounds: int | None, out: Path | None, figure: Path | None, as_json: bool, allowed: bool,
    **how: Any,
) -> int:  # fmt: skip
    """Compare run AFTER with run BEFORE, point by point, or run BEFORE with the published table reference:NAME."""
    from tierscope.cli.compared import beside_table, two_runs
    from tierscope.cli.drawn import drawable
    from tierscope.cli.turns import in_turns
    from tierscope.errors import UsageError
    from tierscope.stats.compare import LEAST

    least: float | None = how["least"]
    across: str | None = how["across"]
    drawable(figure)
    if rounds is not None:
        _only_rounds(after, across)
        asked = (LEAST if least is None else least, rounds)
        return in_turns(before, Path(after), asked, out, (figure, as_json), allowed=allowed)
    if allowed:
        raise UsageError("--allow-commands is for --rerun, which measures again; leave it out")
    if out:
        raise UsageError("--out is the directory of the runs of --rerun; name a number of rounds, such as --rerun 5")
    if after.startswith("reference:"):
        _only_runs(after, least, across)
        return beside_table(before, after.removeprefix("reference:"), figure, as_json)
    return two_runs(before, Path(after), (least, across), figure, as_json)


def _only_runs(after: str, least: float | None, across: str | None) -> None:
    """UsageError for what has no meaning beside a published table."""
    from tierscope.compare.beside import ROOM
    from tierscope.errors import UsageError

    if least is not None:
        room = f"within {100 * (ROOM - 1):.0f} %"
        raise UsageError(f"--least is of two runs; beside {after} a point is as published {room}: leave it out")
    if across:
        raise UsageError(
            f"--across-{across} is of two runs; beside {after} origin and target are always said: leave it out"
        )


def _only_rounds(after: str, across: str | None) -> None:
    """UsageError for what has no meaning where both are measured again."""
    from tierscope.errors import UsageError

    if after.startswith("reference:"):
        raise UsageError(f"--rerun measures two runs again, and {after} is a published table; compare without --rerun")
    if across:
        raise UsageError(
            f"--across-{across} compares two runs as they are, and --rerun measures both again; give one of the two"
        )


commands.add(compare)
