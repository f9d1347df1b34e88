"""`tierscope predict WHAT --on MEMORY`: run time on a memory that is not there, and how far off that was."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Command

EPILOG = """\
WHAT is a run of maps, which is moved from the memory --from to each --on, or a preset of a model (`tierscope models`).
MEMORY: runs of latency and stream, or a published device, then read=, write=, bandwidth=, parallelism=,
cache=SIZE:LATENCY, joined by commas.

Examples:
  tierscope predict runs/maps-here --from runs/latency-here --on runs/latency-here,read=305ns,bandwidth=7GB/s
  tierscope predict runs/maps-here --from runs/latency-here --on runs/latency-there --beside runs/maps-there
  tierscope predict 'hashmap_tx get' --count 10000,1000000 --on read=305ns,cache=32MiB:20ns
  tierscope predict 'document 004' --model counter_model --count 1000000 --value 1B --on 'document 004 counters'
"""


@click.command(cls=Command, epilog=EPILOG)
@click.argument("what")
@click.option("--on", "on", multiple=True, required=True, metavar="MEMORY", help="Where it would run; may be repeated.")
@click.option("--from", "here", metavar="MEMORY", help="Where the run WHAT ran.")
@click.option("--beside", type=click.Path(path_type=Path), help="A run of maps there: predictions are scored by it.")
@click.option("--count", metavar="N,N", help="Operations, on as many keys; of a run: those that it has.")
@click.option("--value", metavar="SIZE", help="Bytes that each operation moves besides, of a preset or a fit.")
@click.option("--model", default="structure_model", show_default=True, help="structure_model or counter_model.")
@click.option("--json", "as_json", is_flag=True, help="Rows as JSON on standard output.")
def predict(
    what: str, on: tuple[str, ...], here: str | None, beside: Path | None, count: str | None, value: str | None,
    model: str, as_json: bool,
) -> int:  # fmt: skip
    """Predict the time of a structure's operations on a MEMORY that it did not run on."""
    from tierscope.cli.console import Console
    from tierscope.errors import Exit
    from tierscope.predict import text
    from tierscope.predict.asked import Asked, predicted

    found, notes = predicted(Asked(what, on, here, beside, count, value, model))
    if as_json:
        door.document([one.row() for one in found])
    else:
        text.show(found, notes, Console())
    return Exit.GOOD


commands.add(predict)
