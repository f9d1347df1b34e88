"""`tierscope trace --on PRESET -- COMMAND...`: a program's accesses through simulated caches and memories."""

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried
from tierscope.cli.names import complete, presets

if TYPE_CHECKING:
    from rich.console import Group

    from tierscope.simulated.replay import Traced


@click.command(
    cls=Command,
    area=Area.PREDICT,
    tried=Tried(),
    examples=(
        "tierscope trace --on optane100 --on ddr5 -- ./program arguments",
        "tierscope trace --on optane100,cache.2.size=11MiB -- ./program",
        "tierscope trace --on optane100 --json counters.json -- ./program arguments",
        "valgrind --tool=lackey --trace-mem=yes --log-file=t ./program; tierscope trace --on ddr5 --from t",
    ),
)
@click.option(
    "--on",
    "names",
    multiple=True,
    metavar="PRESET[,key=value]",
    shell_complete=complete(presets),
    help="A [simulated machine](../how-to/simulated-memories.md), or a path that ends in `.toml`; may be repeated.",
)
@click.option(
    "--from",
    "file",
    type=click.Path(path_type=Path),
    help="Output of `valgrind --tool=lackey --trace-mem=yes`, instead of a command.",
)
@click.option(
    "--count",
    is_flag=True,
    help="Count, without estimates of the time, which is faster; of a memory, only reads and writes are counted.",
)
@click.option(
    "--whole",
    is_flag=True,
    help="Time every instruction. Without it, a program is timed in units of a million instructions after its first"
    " 50 million.",
)
@click.option("--objects", is_flag=True, help="Show which allocations of COMMAND the time waits for, by call stack.")
@click.option(
    "--json",
    "json_to",
    metavar="FILE",
    help="Write all counters as JSON to a file. `-` is standard output, and the program's own output"
    " then goes to standard error.",
)
@click.argument("command", nargs=-1, metavar="-- COMMAND...")
def trace(
    names: tuple[str, ...], file: Path | None, count: bool, whole: bool, objects: bool, json_to: str | None,
    command: tuple[str, ...],
) -> int:  # fmt: skip
    """Send the accesses of a program through simulated caches and memories.

    Runs COMMAND in QEMU with the tracer of Tierscope, and sends its instructions, loads and stores through simulated
    machines. Shows hits and misses of every level, and an estimate of the time: that of the machine's own core, with
    the range of a small and a large core. See [how to trace a program](../how-to/trace.md).
    """
    from tierscope.cli.console import Console
    from tierscope.cli.finish import write_json
    from tierscope.errors import UsageError
    from tierscope.predict.objects.text import waits
    from tierscope.simulated.trace import trace_command, trace_file

    if (file is None) == (not command):
        raise UsageError("name a command after --, or a trace with --from, but not both")
    if objects and (count or file):
        raise UsageError("--objects needs times of a command; leave --count and --from out")
    if json_to is not None and json_to != "-" and (json_to.startswith("-") or not Path(json_to).parent.is_dir()):
        raise UsageError(f"--json {json_to} does not name a file in an existing folder; try --json FILE, or --json -")
    found = (
        trace_command(names, command, count=count, whole=whole, aside=json_to == "-", objects=objects)
        if file is None
        else trace_file(names, file, count=count)
    )
    for line in _warnings(found[0]):
        door.message(line)
    if json_to == "-":
        door.document(found)
        return 0
    if json_to:
        write_json(Path(json_to), found)
    console = Console()
    for one in found:
        console.print(_table(one))
        if objects:
            console.print(waits(one))
    return 0


def _warnings(traced: "Traced") -> list[str]:
    """Return what the reader must know of the program before the numbers."""
    from tierscope.simulated.processes import LOST, became, forks

    lines = []
    if traced.ended == -signal.SIGILL:
        lines.append("the command used an instruction that QEMU does not have, such as AVX-512; build it for AVX2")
    elif traced.ended:
        lines.append(f"{_ended(traced.ended)}: the counts end there")
    if not traced.whole and not traced.ended:
        lines.append(f"{LOST}; trace that program by itself")
    if program := became(traced):
        lines.append(f"the command became {program} (exec), which is in the trace")
    if count := forks(traced):
        children = "1 child process is" if count == 1 else f"{count} child processes are"
        lines.append(f"{children} not traced; trace what they run by itself")
    return lines


def _ended(status: int) -> str:
    how = f"signal {-status}, {signal.strsignal(-status)}" if status < 0 else f"status {status}"
    return f"the command ended with {how}"


def _table(traced: "Traced") -> "Group":
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from tierscope.simulated.trace import levels
    from tierscope.units import show_seconds

    told = f"{traced.machine}: {traced.instructions:,} instructions, {traced.loads:,} loads, {traced.stores:,} stores"
    if traced.untraced_instructions:
        every = traced.instructions + traced.untraced_instructions
        told += f" traced of {every:,} instructions, {traced.units} parts timed"
    if traced.seconds is not None and traced.seconds_low is not None and traced.seconds_high is not None:
        own, low, high = (show_seconds(t) for t in (traced.seconds, traced.seconds_low, traced.seconds_high))
        told += f"; estimated time: {own} ({low} to {high} on other cores)"
    if traced.seconds_overlapped is not None and traced.seconds_waiting is not None:
        low, high = show_seconds(traced.seconds_overlapped), show_seconds(traced.seconds_waiting)
        told += f"; estimated {low} if no load waits for another, {high} if each does (one cycle an instruction)"
    table = Table(box=None)
    for head in ("level", "loads", "missed", "stores", "missed", "share missed"):
        table.add_column(head, justify="left" if head == "level" else "right")
    for level in levels(traced):
        missed = ["" if count is None else f"{count:,}" for count in (level.load_misses, level.store_misses)]
        share = "" if level.share is None else f"{100 * level.share:.3g} %"
        table.add_row(level.level, f"{level.loads:,}", missed[0], f"{level.stores:,}", missed[1], share)
    return Group(Text(told, style="italic"), table)


commands.add(trace)
