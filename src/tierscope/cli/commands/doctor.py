"""`tierscope doctor`: what in this machine's set-up touches which number, how much, and the remedy."""

import rich_click as click

from tierscope.cli import door, names
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried
from tierscope.errors import UsageError


@click.command(
    cls=Command,
    area=Area.MACHINE,
    tried=Tried(),
    examples=("tierscope doctor", "sudo tierscope doctor --apply", "sudo tierscope doctor --restore"),
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.option("--measure", is_flag=True, help="Also measure, for a second or two, what CPUs share.")
@click.option("--apply", "to_apply", is_flag=True, help="Write the settings that checks offer, after asking.")
@click.option(
    "--restore",
    "to_restore",
    is_flag=True,
    help="Put back what `--apply` or an interrupted run changed.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="CHECK",
    help="With `--apply`: the settings of this check alone.",
    shell_complete=names.complete(names.checks),
)
@click.option("--yes", is_flag=True, help="With `--apply`: do not ask.")
@click.option(
    "--host",
    "where",
    metavar="HOST",
    help="Machine to check: `ssh:NAME`, a [remote one](../how-to/remote.md), or `vm:NAME`, an [emulated "
    "one](../how-to/emulated-machines.md). Default: this machine.",
)
def doctor(
    as_json: bool, measure: bool, to_apply: bool, to_restore: bool, only: tuple[str, ...], yes: bool, where: str | None
) -> int:
    """Check which settings of this machine affect which numbers.

    Runs all [checks](doctor.md). Without `--apply` and `--restore` it changes nothing and does not need root. On a
    virtual machine it takes about a second, because `host_faults` waits until memory has rested.

    With `--measure` it also loads two CPUs and the memory for a few seconds. The finding `sharing` then reports
    whether CPUs share a core that the system lists as two. It also reports whether two threads get more from memory
    than one. `run sharing` and `run quick` measure the same.

    With `--apply` it shows each [setting](../how-to/settings.md) that a check offers, its old and its new value, and
    asks. It stores the old values, writes the new ones and reads them back. `--restore` puts the old values back.

    `--restore` also puts back [prefetchers](../how-to/prefetchers.md) that a run with `prefetch=` left changed, and
    clocks and caps that a run of [response](../how-to/response.md) did, because it was killed with its guard. Do not
    use it during such a run.
    """
    from tierscope.cli.settings import apply_settings, remind, restore_settings
    from tierscope.host.system import System

    if to_apply or to_restore:
        if as_json or measure or where or (to_apply and to_restore) or (to_restore and (only or yes)):
            raise UsageError(
                "--apply takes --only and --yes, --restore takes nothing else, and both work on this machine"
            )
        return apply_settings(System(), only, yes=yes) if to_apply else restore_settings(System())
    if only or yes:
        raise UsageError("--only and --yes need --apply")
    _show(where, as_json=as_json, measure=measure)
    if not where:
        remind(System())
    return 0


def _show(where: str | None, *, as_json: bool, measure: bool) -> None:
    from tierscope.cli.console import Console
    from tierscope.doctor import examine
    from tierscope.doctor.text import show
    from tierscope.run.examined import examined
    from tierscope.run.hosts import connected

    with connected(where, door.message) as host:
        findings = examined(host) if measure else examine(host.system())
    if as_json:
        door.document(findings)
    else:
        show(findings, Console())


commands.add(doctor)
