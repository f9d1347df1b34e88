"""`tierscope fleet run`: a plan on many hosts through an engine."""

from pathlib import Path

import rich_click as click

from tierscope.cli import names
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried


@click.command(
    name="fleet run",
    cls=Command,
    area=Area.COMPARE,
    tried=Tried(),
    examples=(
        "tierscope fleet run --via slurm --out fleet",
        "tierscope fleet run --via ssh --hosts hosts.txt --out fleet",
        "tierscope fleet run --via ssh --hosts hosts.txt --out fleet --together --limit 120",
        "tierscope fleet run --via slurm --out fleet --confirm",
        "tierscope fleet run stream threads=1 --via slurm --out fleet",
    ),
    status={
        3: "no host answered, or the engine cannot be used",
        4: "some hosts did not answer; they are listed, and `tierscope fleet resume DIR` repeats them",
    },
)
@click.argument("plan", default="canary", metavar="[PLAN]")
@click.argument("words", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--via", cls=names.Named, known=names.engines, required=True, metavar="ENGINE", help="One of {}.")
@click.option(
    "--hosts", type=click.Path(path_type=Path), help="File with one host on each line. Default with Slurm: all nodes."
)
@click.option("--out", type=click.Path(path_type=Path), default=Path("fleet"), help="Directory of the fleet.")
@click.option("--session", type=click.IntRange(0, 99), default=0, help="0: that of the day; 1 and up: repeats.")
@click.option("--together", is_flag=True, help="Start on all hosts at the same time.")
@click.option("--at-once", type=click.IntRange(1, 4096), default=16, help="Hosts that measure at the same time.")
@click.option(
    "--limit",
    type=click.IntRange(5, 86400),
    help="Seconds that the plan may take on a host; default: 60, and 3600 for a suite.",
)
@click.option("--confirm", is_flag=True, help="Repeat what `fleet outliers` asks for: suspects with controls.")
def fleet_run(
    plan: str, words: tuple[str, ...], via: str, hosts: Path | None, out: Path, session: int, **how: bool | int | None
) -> int:
    """Measure many hosts with the same plan.

    PLAN is `canary`, which takes at most 20 seconds, a [file of groups](../how-to/own-groups.md), or a suite with its
    options. Each host receives the static core, and needs no Python. Each leaves one JSON file in the directory of the
    fleet. Hosts that fail, hang or answer something else are listed with the reason, and do not affect the others. The
    same command on the same day measures only hosts that are missing. See [how to measure a
    fleet](../how-to/fleet-run.md).
    """
    from tierscope.cli.fleet_session import Wanted, run

    return run(Wanted(plan, words, via, hosts, out, session, **how))  # type: ignore[arg-type]


commands.add(fleet_run)
