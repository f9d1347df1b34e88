"""`tierscope compare A B`: the ratio of every point that both runs have; or a run against a published table."""

from pathlib import Path
from typing import Any

import rich_click as click

from tierscope.cli import names
from tierscope.cli.agreed import allowing
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried
from tierscope.cli.least import share


@click.command(
    cls=Command,
    area=Area.COMPARE,
    tried=Tried(
        ("{run} {run} --figure {out}/c.svg", "{run} {run} --json", "{run} {run} --figure {out}/c.html"),
        ("{run} reference:document003_storage", "{run} reference:document003_storage --json"),
    ),
    status={
        1: "at least one point is slower; with `reference:NAME`, the run is not normal for such hardware",
        4: "every common point is inconclusive; runs without a common point are a usage error (2)",
    },
    examples=(
        "tierscope compare runs/A runs/B --least 0.05",
        "tierscope compare runs/A runs/B --rerun 5",
    ),
)
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", shell_complete=names.runs_or_tables)
@click.option(
    "--least",
    type=float,
    callback=share,
    help="Smallest difference of interest; default: 0.02. Not for `reference:NAME`, and not for "
    "[imported](../how-to/import.md#compare) runs.",
    metavar="SHARE",
)
@click.option(
    "--across-origins",
    "across",
    flag_value="origins",
    help="Compare a real run with one that is [emulated](../how-to/emulated-tier.md) "
    "or simulated; each ratio shows both origins.",
)
@click.option("--rerun", "rounds", type=int, help="Measure both runs again, alternately in N rounds.", metavar="N")
@click.option(
    "--across-targets",
    "across",
    flag_value="targets",
    help="Compare points of two targets, such as DRAM and a pool, if each run has one.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Directory of the runs of `--rerun`; default: `runs/TIME-compare-HOST`.",
)
@click.option(
    "--figure",
    type=click.Path(path_type=Path),
    help="Draw the ratios as a waterfall, the slowest first, with intervals and the band of no "
    "interest; with `reference:NAME`, draw both curves. The ending is `.svg`, `.png` or "
    "`.html`.",
)
@click.option("--json", "as_json", is_flag=True, help="Print [rows](json.md#compare---json).")
@allowing
def compare(
    before: Path, after: str, rounds: int | None, out: Path | None, figure: Path | None, as_json: bool, allowed: bool,
    **how: Any,
) -> int:  # fmt: skip
    """Compare run AFTER with run BEFORE point by point, or with a published table.

    Shows every point that both runs have, as the ratio after / before with its interval. The intervals are widened for
    the number of points. "No difference shown" is a valid answer. See [how to compare](../how-to/compare.md).

    With `--rerun N`, measures both runs again on this machine, alternately in N rounds, and compares the rounds. Drifts
    then cancel, and the interval contains what differs between runs. N is 3 to 99; five is a good start.

    If AFTER is `reference:NAME`, shows the run with every point that this published table also has, draws both, and
    states whether the run is normal for such hardware.
    """
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
    """Raise UsageError for what has no meaning with a published table."""
    from tierscope.errors import UsageError
    from tierscope.reference.match import ROOM

    if least is not None:
        room = f"within {100 * (ROOM - 1):.0f} %"
        raise UsageError(f"--least compares two runs; with {after}, a point is as published {room}: leave it out")
    if across:
        raise UsageError(
            f"--across-{across} compares two runs; with {after}, origin and target are always shown: leave it out"
        )


def _only_rounds(after: str, across: str | None) -> None:
    """Raise UsageError for what has no meaning where both runs are measured again."""
    from tierscope.errors import UsageError

    if after.startswith("reference:"):
        raise UsageError(f"--rerun measures two runs again, and {after} is a published table; compare without --rerun")
    if across:
        raise UsageError(
            f"--across-{across} compares two finished runs, and --rerun measures both again; give one of the two"
        )


commands.add(compare)
