"""`tierscope predict WHAT --on MEMORY`: run time on a memory that is not there, and how far off that was."""

from pathlib import Path

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(
    cls=Command,
    area=Area.PREDICT,
    tried=Tried(
        some=(
            "{run} --from read=100ns,cache=1MiB:5ns --on read=300ns,cache=1MiB:5ns --json",
            "{run} --from read=100ns,cache=1MiB:5ns --on read=300ns,cache=1MiB:5ns",
        )
    ),
    status={2: "MEMORY does not name a memory, WHAT does not name a preset, or the run has too few points"},
    examples=(
        "tierscope predict runs/maps-here --from runs/latency-here --on runs/latency-here,read=305ns,bandwidth=7GB/s",
        "tierscope predict runs/maps-here --from runs/latency-here --on runs/latency-there --beside runs/maps-there",
        "tierscope predict 'hashmap_tx get' --count 10000,1000000 --on read=305ns,cache=32MiB:20ns",
        (
            "tierscope predict 'document 004' --model counter_model --count 1000000 --value 1B --on 'document 004"
            " counters'"
        ),
    ),
)
@click.argument("what")
@click.option(
    "--on", "on", multiple=True, required=True, metavar="MEMORY", help="Memory that it would run on; may be repeated."
)
@click.option("--from", "here", metavar="MEMORY", help="Memory that the run WHAT ran on.")
@click.option(
    "--beside",
    type=click.Path(path_type=Path),
    help="A run of `maps` on that memory, which scores the predictions.",
    metavar="RUN",
)
@click.option(
    "--count", metavar="N,N", help="Operations, on as many keys; default: 50000. A run keeps its own numbers."
)
@click.option("--value", metavar="SIZE", help="Further bytes that each operation moves, for a preset or a fit.")
@click.option(
    "--model",
    default="structure_model",
    show_default=True,
    help="`structure_model` or `counter_model`.",
    metavar="NAME",
)
@click.option("--json", "as_json", is_flag=True, help="Print [rows](json.md#predict---json).")
def predict(
    what: str, on: tuple[str, ...], here: str | None, beside: Path | None, count: str | None, value: str | None,
    model: str, as_json: bool,
) -> int:  # fmt: skip
    """Predict the time of a structure's operations on a memory that they did not run on.

    WHAT is a run of `maps`, which is moved from the memory `--from` to each memory `--on`, or a preset of a
    [model](#models). MEMORY names runs of `latency` and `stream`, or a published device, then `read=`, `write=`,
    `bandwidth=`, `parallelism=` and `cache=SIZE:LATENCY`, joined by commas. See [how to predict run
    time](../how-to/predict.md).
    """
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
