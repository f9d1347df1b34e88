"""`tierscope predict WHAT --on MEMORY`: run time on a memory that is not there, and how far off that was.

`tierscope predict --on TIER -- PROGRAM...` does the same for a program; what follows `--` is never a WHAT.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from tierscope.cli import door, names
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried

if TYPE_CHECKING:
    from tierscope.predict.program.asked import Asked as AskedProgram
    from tierscope.predict.program.found import Found

BEHIND = "tierscope.behind"  # in the context: the words behind --


class Divided(Command):
    """A command that keeps what follows `--` apart."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[Any]:
        """Keep the words behind the first `--`; parse those before it."""
        if "--" in args:
            at = args.index("--")
            ctx.meta[BEHIND] = tuple(args[at + 1 :])
            args = args[:at]
        return super().parse_args(ctx, args)


@click.command(
    cls=Divided,
    area=Area.PREDICT,
    tried=Tried(
        some=(
            "{run} --from read=100ns,cache=1MiB:5ns --on read=300ns,cache=1MiB:5ns --json",
            "{run} --from read=100ns,cache=1MiB:5ns --on read=300ns,cache=1MiB:5ns",
        )
    ),
    status={
        2: "MEMORY does not name a memory, WHAT does not name a preset, the run has too few points, or PROGRAM cannot"
        " be served",
        4: "the time of PROGRAM there is not known; the output states the reason",
    },
    examples=(
        "tierscope predict --on optane100 --on read=350ns,bandwidth=12GB/s -- ./program arguments",
        "tierscope predict --on cxl_dram --fast 1GiB --fast 4GiB -- ./program arguments",
        "tierscope predict runs/maps-here --from runs/latency-here --on runs/latency-here,read=305ns,bandwidth=7GB/s",
        "tierscope predict runs/maps-here --from runs/latency-here --on runs/latency-there --beside runs/maps-there",
        "tierscope predict 'hashmap_tx get' --count 10000,1000000 --on read=305ns,cache=32MiB:20ns",
        (
            "tierscope predict 'document 004' --model counter_model --count 1000000 --value 1B --on 'document 004"
            " counters'"
        ),
    ),
)
@click.argument("what", required=False)
@click.option(
    "--on",
    "on",
    multiple=True,
    required=True,
    metavar="MEMORY",
    help="Memory that it would run on; may be repeated.",
    shell_complete=names.complete(names.presets),
)
@click.option(
    "--from",
    "here",
    metavar="MEMORY",
    help="Memory that the run WHAT ran on. For a PROGRAM: runs of `latency`, `tlb`, `stream`, `core` and `response`"
    " of this machine, or a simulated machine that stands for it; default: runs in `runs/`, or new ones that are kept.",
)
@click.option("--limit", metavar="TIME", help="Most that one run of PROGRAM may take here; default: 60s.")
@click.option(
    "--phases",
    type=click.IntRange(1, 100),
    metavar="COUNT",
    help="Show this number of equal parts of the time of PROGRAM, if it does not mark its phases itself.",
)
@click.option(
    "--objects", is_flag=True, help="Show which allocations of PROGRAM should be in the memory here; traces it twice."
)
@click.option(
    "--fast",
    multiple=True,
    metavar="SIZE",
    help="Show the objects of PROGRAM to keep in this size of memory here; may be repeated; implies --objects.",
)
@click.option(
    "--figure",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="SVG, PNG or HTML file of the time of PROGRAM over the size of the memory here; implies --objects.",
)
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
    cls=names.Named,
    known=names.run_times,
    default="structure_model",
    show_default=True,
    help="One of {}.",
    metavar="NAME",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Directory for the answers of a PROGRAM as a run, with a page: contours, phases, and objects if asked for.",
    metavar="DIRECTORY",
)
@click.option("--json", "as_json", is_flag=True, help="Print [rows](json.md#predict---json).")
@click.pass_context
def predict(  # noqa: PLR0913, PLR0917 (each is an option)
    ctx: click.Context, what: str | None, on: tuple[str, ...], here: str | None, limit: str | None,
    phases: int | None, objects: bool, fast: tuple[str, ...], figure: Path | None, beside: Path | None,
    count: str | None, value: str | None, model: str, out: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Predict the time of a structure's operations, or of `-- PROGRAM...`, on a memory that they did not run on.

    WHAT is a run of `maps`, which is moved from the memory `--from` to each memory `--on`, or a preset of a
    [model](#models). MEMORY names runs of `latency` and `stream`, or a published device, then `read=`, `write=`,
    `bandwidth=`, `parallelism=`, `line=` and `cache=SIZE:LATENCY`, joined by commas. See [how to predict run
    time](../how-to/predict.md).

    PROGRAM runs here several times, and once in a tracer. MEMORY then names a simulated machine whose memory it is, or
    `read=`, `write=` and `bandwidth=`. See [how to predict a program](../how-to/predict-program.md). With `--objects`,
    it is traced again with its allocations in two memories. See [how to place objects](../how-to/place-objects.md).
    """
    from tierscope.cli.console import Console
    from tierscope.errors import Exit, UsageError

    if (program := ctx.meta.get(BEHIND)) is not None:
        if what or beside or count or value or model != "structure_model":
            raise UsageError("a program after -- takes only --on, --from, --limit, --phases, --objects, --fast, "
                             "--figure, --out and --json; leave the others out")  # fmt: skip
        if not program:
            raise UsageError("no program follows --; name one, such as -- ./program arguments")
        from tierscope.predict.program.asked import LIMIT_S, parsed_limit
        from tierscope.predict.program.asked import Asked as AskedProgram
        from tierscope.units import parse_bytes

        asked = AskedProgram(
            program, on, (here,) if here else (), LIMIT_S if limit is None else parsed_limit(limit),
            objects or bool(figure), tuple(dict.fromkeys(map(parse_bytes, fast))), phases or 0, out is not None,
        )  # fmt: skip
        return _program(asked, figure, out, as_json)
    if what is None:
        raise UsageError("name a run of maps or a preset of a model, or a program after --")
    if limit is not None or phases or objects or fast or figure or out:
        raise UsageError("--limit, --phases, --objects, --fast, --figure and --out are for a program after --; "
                         "leave them out")  # fmt: skip
    from tierscope.predict import text
    from tierscope.predict.asked import Asked, predicted

    found, notes = predicted(Asked(what, on, here, beside, count, value, model))
    if as_json:
        door.document([one.row() for one in found])
    else:
        text.show(found, notes, Console())
    return Exit.GOOD


def _program(asked: "AskedProgram", figure: Path | None, out: Path | None, as_json: bool) -> int:
    from tierscope.cli.console import Console
    from tierscope.cli.drawn import drawable
    from tierscope.errors import Exit
    from tierscope.predict.program import text
    from tierscope.predict.program.asked import predicted

    drawable(figure)
    with _kept(out):
        found = predicted(asked, door.message)
    pages = [] if out is None else _stored(found, out)  # before what may fail: the answers took minutes
    if figure:
        _draw(found, figure)
    if as_json:
        door.document(found.document())
    else:
        text.show(found, Console())
        for path in pages:
            door.message(f"page: {path}")
    return Exit.INCONCLUSIVE if any(one.unknown for one in found.tiers) else Exit.GOOD


@contextmanager
def _kept(out: Path | None) -> Iterator[None]:
    """Claim the directory before anything is measured; free it again if nothing is."""
    from tierscope.run.owned import abandon
    from tierscope.run.place import taken

    directory = taken(out) if out is not None else None
    try:
        yield
    except BaseException:
        if directory is not None:
            abandon(directory)
        raise


def _draw(found: "Found", path: Path) -> None:
    """Draw the time over the size of the memory here, with its rows below it."""
    from tierscope.cli.drawn import draw
    from tierscope.draw import cells, figures
    from tierscope.predict.program.stored import unsaved
    from tierscope.report.figure_page import Beside
    from tierscope.tables import flat, tables

    chart, table = figures["prediction_placement"], tables["prediction_placement"]
    run = unsaved(found)
    rows = table.rows(run)
    spec = chart.draw(run, rows, [])
    if spec is None:
        door.message(f"{path} is not written: the time with objects in the memory here is not known for any tier")
        return
    lines = [[cells.cell(flat(row)[column.name], column) for column in table.columns] for row in rows]
    draw(spec, path, Beside(chart.reading, "", (), [cells.head(column) for column in table.columns], lines))


def _stored(found: "Found", out: Path) -> list[Path]:
    """Store the answers as a run; return its page."""
    from tierscope.predict.program.stored import store
    from tierscope.report.formats import write

    run = store(found, out)
    return list(write("html", run, run.path))


commands.add(predict)
