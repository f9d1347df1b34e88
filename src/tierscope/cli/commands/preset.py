"""`tierscope preset RUN...`: a simulated machine made from what was measured, as TOML."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Command

EPILOG = """\
Examples:
  tierscope preset runs/latency-here > here.toml
  tierscope preset runs/latency-here runs/stream-here runs/tlb-here --name here > here.toml
  tierscope run latency target=sim:here.toml,cache.1.size=4MiB
"""


@click.command(cls=Command, epilog=EPILOG)
@click.argument("directories", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@click.option("--name", default="", help="Its name in results; default: the host's.")
def preset(directories: tuple[Path, ...], name: str) -> int:
    """Write a simulated machine with the caches, TLB and memory that RUN measured, on standard output."""
    from tierscope.record.result import load
    from tierscope.simulated.preset import preset as made

    door.lines(made([load(directory) for directory in directories], name))
    return 0


commands.add(preset)
