"""`tierscope preset RUN...`: a simulated machine made from what was measured, as TOML."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(
    cls=Command,
    area=Area.PREDICT,
    tried=Tried(some=("{run}",)),
    examples=(
        "tierscope preset runs/latency-here > here.toml",
        "tierscope preset runs/latency-here runs/stream-here runs/tlb-here --name here > here.toml",
        "tierscope run latency target=sim:here.toml,cache.1.size=4MiB",
    ),
)
@click.argument("directories", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@click.option("--name", default="", help="Its name in results; default: the name of the host.", metavar="NAME")
def preset(directories: tuple[Path, ...], name: str) -> int:
    """Print a simulated machine, as TOML, made from what runs measured.

    Caches come from the staircase of a `run latency` or `run quick`. Further runs of the same machine add the bandwidth
    (`run stream kernels=read`) and the TLB (`run tlb`). A comment next to each number shows its source. See [simulated
    memories](../how-to/simulated-memories.md#a-machine-that-was-measured).
    """
    from tierscope.record.result import load
    from tierscope.simulated.preset import preset as made

    door.lines(made([load(directory) for directory in directories], name))
    return 0


commands.add(preset)
