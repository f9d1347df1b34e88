"""`tierscope crash FILE --check COMMAND -- WRITER...`: does what the writer calls persisted survive a power failure?"""

from pathlib import Path
from typing import Any

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(
    cls=Command,
    area=Area.PREDICT,
    tried=Tried(),
    status={
        1: "at least one image failed its check",
        4: "no image failed, and at least half of the drawn power failures could not be "
        "simulated, because the second run of the writer made fewer fences",
    },
    examples=(
        "tierscope crash /dev/shm/pool --check './check {image} {log}' -- ./writer {file}",
        "tierscope crash pool --points 500 --drop-flush 37 --check './check {image}' -- ./writer pool",
    ),
)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("writer", nargs=-1, required=True, metavar="-- WRITER...")
@click.option(
    "--check",
    required=True,
    metavar="COMMAND",
    help="Command that ends with 0 if the image is good; it is started without a shell.",
)
@click.option(
    "--points", default=30, show_default=True, type=click.IntRange(1), help="Number of power failures.", metavar="N"
)
@click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(0, 2**64 - 1), help="Seed of all draws.", metavar="N"
)
@click.option("--drop-flush", default=0, metavar="N", type=click.IntRange(0), help="Lose every N-th flush of the file.")
@click.option(
    "--drop-fence",
    default=0,
    metavar="N",
    type=click.IntRange(0),
    help="Lose every N-th fence, and simulate a power failure at the fence after a lost one.",
)
@click.option("--limit", "limit_s", default=10.0, show_default=True, type=click.FloatRange(0, min_open=True),
              help="Longest time of one check; a longer check counts as a hang.", metavar="SECONDS")  # fmt: skip
@click.option("--keep", type=click.Path(path_type=Path), help="Directory for the images that failed.")
@click.option("--json", "as_json", is_flag=True, help="Print [all points](json.md#crash---json).")
def crash(file: Path, writer: tuple[str, ...], check: str, as_json: bool, **how: Any) -> int:
    """Simulate power failures of a program, and check what survives.

    Runs WRITER, which maps FILE, simulates a power failure at many moments, and runs COMMAND on each image that is
    left. In the arguments of the writer, `{file}` is a copy of FILE. In COMMAND, `{image}` is the image and `{log}` is
    what the writer had printed. See [how to find out whether data survive](../how-to/crash-safety.md).
    """
    import shlex

    from rich.text import Text

    from tierscope.cli.console import Console
    from tierscope.crash.asked import Asked
    from tierscope.crash.hunt import hunt
    from tierscope.crash.text import show
    from tierscope.errors import Exit, UsageError

    try:
        words = tuple(shlex.split(check))
    except ValueError as error:
        raise UsageError(f"--check {check!r} is not a command line: {error}") from error
    asked = Asked(file=file, writer=writer, check=words, **how)
    told = Console(stderr=True)
    if told.is_terminal:
        with told.status(Text("the writer runs")) as status:
            found = hunt(asked, lambda words: status.update(Text(words)))
    else:
        found = hunt(asked)
    if as_json:
        door.document(found)
    else:
        show(found, asked, Console())
    if found.failed:
        return Exit.FAILED
    return Exit.INCONCLUSIVE if found.shows_little else Exit.GOOD


commands.add(crash)
