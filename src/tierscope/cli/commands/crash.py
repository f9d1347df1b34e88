"""`tierscope crash FILE --check COMMAND -- WRITER...`: does what the writer calls persisted survive a power cut?"""

from pathlib import Path
from typing import Any

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Command

EPILOG = """\
Exit status: 0 every image passed, 1 one did not, 4 at least half of the points were not reached.

Examples:
  tierscope crash /dev/shm/pool --check './check {image} {log}' -- ./writer {file}
  tierscope crash pool --points 500 --drop-flush 37 --check './check {image}' -- ./writer pool
"""


@click.command(cls=Command, epilog=EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("writer", nargs=-1, required=True, metavar="-- WRITER...")
@click.option(
    "--check", required=True, metavar="COMMAND", help="Ends with 0 if {image} is good; {log}: what was printed."
)
@click.option("--points", default=30, show_default=True, type=click.IntRange(1), help="Power cuts.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0, 2**64 - 1), help="Of all draws.")
@click.option("--drop-flush", default=0, metavar="N", type=click.IntRange(0), help="Lose every N-th flush.")
@click.option("--drop-fence", default=0, metavar="N", type=click.IntRange(0), help="Lose every N-th fence.")
@click.option("--limit", "limit_s", default=10.0, show_default=True, type=click.FloatRange(0, min_open=True),
              help="Seconds for one check; more is a hang.")  # fmt: skip
@click.option("--keep", type=click.Path(path_type=Path), help="Directory for images that failed.")
@click.option("--json", "as_json", is_flag=True, help="All points as JSON on standard output.")
def crash(file: Path, writer: tuple[str, ...], check: str, as_json: bool, **how: Any) -> int:
    """Cut the power of WRITER, which maps FILE, at many moments, and CHECK what is left each time."""
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
        raise UsageError(f"--check {check!r} is no command line: {error}") from error
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
