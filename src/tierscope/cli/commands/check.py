"""`tierscope check FILE [RUN]`: whether memory keeps the thresholds of a file; for pipelines and prologs."""

from pathlib import Path
from typing import Any

import rich_click as click

from tierscope.cli import running
from tierscope.cli.agreed import Agreement, allowing
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried

PORT = "arm"


@click.command(
    cls=Command,
    area=Area.COMPARE,
    tried=Tried(some=("--write {run} --margin 10%",)),
    examples=(
        "tierscope check --write runs/quick-here --margin 10% > memory.toml",
        "tierscope check memory.toml --junit check.xml",
        "tierscope check memory.toml runs/quick-here --json",
        "tierscope check arm",
    ),
    status={
        1: "a point is outside of its threshold",
        2: "the file is wrong, or the run does not have what it names",
        4: "no point failed, and whether a point keeps its threshold is not known",
    },
)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.argument("run", required=False, type=click.Path(path_type=Path))
@click.option("--junit", type=click.Path(path_type=Path), help="Write JUnit XML to this file, also after an error.")
@click.option("--json", "as_json", is_flag=True, help="Print a [JSON document](json.md#check---json) instead.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Directory of the new run; default: `runs/TIME-SUITE-HOST` in the current directory.",
)
@click.option(
    "--write",
    "source",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Print a thresholds file made of this run, and end. Needs `--margin`.",
)
@click.option(
    "--margin",
    metavar="SHARE",
    help="Distance of the thresholds of `--write` from the measured interval, such as `10%`.",
)
@running.quiet
@allowing
def check(
    file: Path | None, run: Path | None, source: Path | None, margin: str | None, *, quiet: bool, allowed: bool,
    **forms: Any,
) -> int:  # fmt: skip
    """Check whether memory keeps the thresholds in FILE.

    Measures what FILE asks for, or takes the numbers of RUN. Prints one line, and one more for each point that did not
    pass. A point passes if its whole interval is within the threshold, and fails if its whole interval is outside;
    otherwise the answer is not known. Without a suite in FILE, the measurement takes about ten seconds. See [how to
    check thresholds](../how-to/check.md).

    `check arm` measures nothing. On ARM, it prints what this machine has next to what the port to ARM assumed, and the
    commands that measure what no file shows. Elsewhere it prints the assumptions and the commands only. See [how to
    use ARM machines](../how-to/arm.md). For a thresholds file of that name, write `./arm`.
    """
    from tierscope.cli.checked import Asked, write_thresholds
    from tierscope.errors import UsageError

    if str(file) == PORT and run is None and source is None and margin is None:
        from tierscope.cli.ports import show_port

        return show_port(as_json=bool(forms["as_json"]))
    junit, out, as_json = (forms[name] for name in ("junit", "out", "as_json"))
    if source is not None or margin is not None:
        if file or junit or out or as_json:
            raise UsageError("--write RUN makes a thresholds file and checks nothing; give --margin and nothing else")
        return write_thresholds(source, margin)
    if file is None:
        raise UsageError("no thresholds file is named; make one with `tierscope check --write RUN --margin 10% > FILE`")
    if run is not None and (out or allowed):
        raise UsageError(f"{run} is measured already; --out and --allow-commands are for a new measurement")
    return Asked(file, junit, as_json, quiet).check(run, out, Agreement(file, allowed=allowed))


commands.add(check)
