"""`tierscope run SUITE [key=value ...]`: measure, keep everything, show the report."""

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click
from click.shell_completion import CompletionItem

from tierscope.cli import running
from tierscope.cli.agreed import Agreement, allowing
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Tried
from tierscope.cli.markup import plain
from tierscope.cli.suite_command import SuiteCommand

if TYPE_CHECKING:
    from tierscope.plans import SuiteOptions
    from tierscope.run.hosts import Host


def _suites(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return completions for the shell: suites whose name begins so, else files."""
    from tierscope.plans import suites

    found = [CompletionItem(name, help=plain(suites[name].summary)) for name in suites if name.startswith(begun)]
    return found or [CompletionItem(begun, type="file")]


def _keys(ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return completions for the shell: options of the suite before, and after their `=` the possible values."""
    from tierscope.cli.values import values_of
    from tierscope.plans import SuiteOptions, suites
    from tierscope.plans.options import all_options

    suite = str(ctx.params.get("suite"))
    known = {one.name: one for one in all_options(suites[suite].options if suite in suites else SuiteOptions)}
    before = list(ctx.params.get("words") or ())
    alone = before[:-1] if before[-1:] == ["="] else before  # bash cuts words at each =, and completes the last part
    if alone and alone[-1] in known:
        return [CompletionItem(word) for word in values_of(known[alone[-1]], begun)]
    name, equals, value = begun.partition("=")
    if equals:
        return [CompletionItem(f"{name}={word}") for word in (values_of(known[name], value) if name in known else ())]
    return [
        CompletionItem(f"{one.name}=", help=plain(one.help))
        for one in known.values()
        if f"{one.name}=".startswith(begun)
    ]


@click.command(
    cls=SuiteCommand,
    area=Area.MEASURE,
    tried=Tried(),
    status=running.STATUS,
    examples=(
        "tierscope run quick",
        "tierscope run stream kernels=triad,triad_nt threads=1,2 peak=307.2GB/s",
        "tierscope run latency pages=4k to=1GiB --json -",
        "tierscope run loaded-latency mixes=read,mix_1r1w_nt delays=0,100,1000 --out runs/mixes",
        "tierscope run contention a=node:0 b=node:1 modes=b-b splits=15:1,8:8",
        "tierscope run neighbors victim=flow size=train aggressors=0,1,4,8",
        "tierscope run neighbors victim='cmd ./solve instance.txt'",
        "tierscope run my-groups.toml",
        "tierscope run stream --dry-run",
        "tierscope run quick --host ssh:server",
        "tierscope run stream --help",
    ),
)
@click.argument("suite", shell_complete=_suites)
@click.argument("words", nargs=-1, metavar="[KEY=VALUE]...", shell_complete=_keys)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Directory of the run, new or empty; default: `runs/TIME-SUITE-HOST` in the current directory.",
)
@running.host
@running.rows
@running.strict
@running.quiet
@click.option(
    "--dry-run",
    is_flag=True,
    help="List the experiments with their expected time and the commands that they start, and end.",
)
@allowing
def run(
    suite: str, words: tuple[str, ...], out: Path | None, json_to: str | None, strict: bool, quiet: bool,
    dry_run: bool, allowed: bool,
) -> int:  # fmt: skip
    """Measure SUITE, or the groups of a TOML file, and show the report.

    Keeps everything in a run directory, writes `report.html` there, and prints tables and plots. SUITE is one of the
    [suites](#options-of-the-suites) that `tierscope suites` lists. A name that ends in `.toml` is a [file of
    groups](../how-to/own-groups.md). `--host` measures [another machine](../how-to/remote.md), which needs no Python.
    `tierscope run SUITE --help` lists the options of SUITE. `--key=value` and `--key value` mean `key=value`.
    """
    from tierscope.cli.finish import run_and_finish
    from tierscope.cli.words import read_words
    from tierscope.run.asked import asked
    from tierscope.run.commands import typed
    from tierscope.run.hosts import connected
    from tierscope.run.start import begin, command_line

    name, options, text = asked(suite, read_words(words))
    with connected(running.asked_host(), running.telling(quiet)) as host:
        if dry_run:
            return _list(name, options, text, host)
        agree = Agreement(suite, allowed=allowed, on=host.word) if text else typed
        directory, _ = begin(name, options, text, command_line(), out, agree, host)
        return run_and_finish(directory, json_to, strict, quiet, fresh=True, host=host)


def _list(name: str, options: "SuiteOptions", text: str, host: "Host") -> int:
    from tierscope.cli.console import Console
    from tierscope.plans.live import describe
    from tierscope.printable import printable
    from tierscope.run.commands import commands_of
    from tierscope.run.expected import expected_seconds, further_seconds
    from tierscope.run.planned import imagined

    _, experiments = imagined(name, options, text, host)
    console = Console()
    for number, experiment in enumerate(experiments):
        console.print(printable(f"{number:4}  {describe(experiment)}"), soft_wrap=True)
    for command in commands_of(experiments):
        console.print(printable(f"starts {command}"), soft_wrap=True)
    seconds = sum(expected_seconds(e) + further_seconds(e) for e in experiments)
    console.print(f"{len(experiments)} experiments, about {seconds:.0f} s; sizes may change with the caches found")
    return 0


commands.add(run)
