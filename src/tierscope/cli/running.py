"""The options that every command has that measures: `run`, `resume` and `rerun`."""

from collections.abc import Callable
from pathlib import Path

import rich_click as click

from tierscope.cli import door

STATUS = {4: "at least half of the points of a table are inconclusive; with `--strict`, any point is"}
HOST = "tierscope.host"  # of the context: the machine to measure


def _keep(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    ctx.meta[HOST] = value


def asked_host() -> str | None:
    """Return the value of --host of the command that runs; None without it."""
    context = click.get_current_context(silent=True)
    return context.meta.get(HOST) if context else None


def telling(quiet: bool) -> Callable[[str], None]:
    """Return what takes a line on the host: standard error, or nothing."""
    return (lambda _: None) if quiet else door.message


def _writable(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    """Refuse a file in a folder that is not there, before anything is measured."""
    from tierscope.errors import UsageError

    if value not in (None, "-") and not (folder := Path(value).parent).is_dir():
        raise UsageError(f"--json {value}: {folder} is not a folder; make it, or name another file")
    return value


host = click.option(
    "--host",
    metavar="HOST",
    expose_value=False,
    callback=_keep,
    help="Machine to measure: `ssh:NAME`, a [remote one](../how-to/remote.md), `slurm:NODE`, a node of a cluster, "
    "`vm:NAME`, an [emulated one](../how-to/emulated-machines.md), or `here`. Default: this machine; `resume` and "
    "`rerun` of a run of another machine must name it.",
)
rows = click.option(
    "--json",
    "json_to",
    metavar="FILE",
    callback=_writable,
    help="Write all rows as one [JSON document](json.md); `-` is standard output, and tables then go to "
    "standard error.",
)
strict = click.option(
    "--strict",
    is_flag=True,
    help="End with 4 if any point is inconclusive, not only if half of the points of a table are.",
)
quiet = click.option("--quiet", is_flag=True, help="Print only errors.")
