"""`tierscope vm [MACHINE [-- COMMAND]]`: try a command on an emulated machine with memory that this one lacks."""

import rich_click as click

from tierscope.called import called
from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried, two_columns
from tierscope.cli.names import complete, machines


@click.command(
    cls=Command,
    area=Area.MACHINE,
    tried=Tried(),
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    examples=(
        "tierscope vm",
        "tierscope vm cxl",
        "tierscope vm cxl -- run cxl array=1MiB budget=0.05",
        "tierscope vm nvdimm -- run flush target=fsdax:/mnt/ext4/made footprint=2MiB budget=0.05",
        "tierscope vm numa:tcg -- topology",
        "tierscope vm --get-kernel",
    ),
)
@click.option("--get-kernel", is_flag=True, help="Download the kernel of the machines to your data folder, and end.")
@click.argument("machine", required=False, shell_complete=complete(machines))
@click.argument("words", nargs=-1, metavar="[-- COMMAND [WORDS]...]", type=click.UNPROCESSED)
def vm(machine: str | None, words: tuple[str, ...], *, get_kernel: bool) -> int:
    """Try a command on an emulated machine with memory that this one lacks.

    Boots MACHINE by QEMU, runs COMMAND of Tierscope on it, and ends it. COMMAND is any with the option `--host`: `run`,
    `resume`, `rerun`, `topology`, `doctor`. Without MACHINE it lists the machines, without COMMAND what MACHINE offers.
    All results are marked *emulated*: **no time is one of a memory**. `MACHINE:tcg` and `MACHINE:kvm` choose how the
    processor is emulated. See [how to try memory that you do not have](../how-to/emulated-machines.md).
    """
    from tierscope.vm import needs
    from tierscope.vm.reached import SCHEME, named

    if get_kernel:
        needs.get_kernel(needs.own_folder())
        door.line(f"kernel   {needs.kernel()}")
    elif machine is None:
        _list()
    elif not words:
        _show(machine)
    else:
        name, _ = named(SCHEME + machine)
        return _on(f"{SCHEME}{machine}", name.name, [word for word in words if word != "--" or word is not words[0]])
    return 0


def _list() -> None:
    from tierscope.vm.machine import machines

    door.lines(two_columns({name: machines[name].summary for name in machines}))
    door.line("what one offers: tierscope vm MACHINE; try it: tierscope vm MACHINE -- run SUITE [KEY=VALUE]...")


def _show(word: str) -> None:
    from tierscope.vm.reached import SCHEME, named

    machine, _ = named(SCHEME + word)
    door.line(f"{machine.name}: {machine.summary}")
    door.lines(two_columns(machine.offers))
    door.line(f"emulated: {machine.blind}")
    for words in machine.try_:
        door.line(f"try: tierscope vm {machine.name} -- {words}")


def _on(host: str, name: str, words: list[str]) -> int:
    """Run a command with that host; UsageError for a command that cannot be given one."""
    from tierscope.errors import UsageError

    able = [one for one in commands if _takes_host(commands[one])]
    if not words or words[0] not in able:
        asked = words[0] if words else ""
        raise UsageError(f"{asked!r} cannot run on {host}; try {', '.join(able)}, as `tierscope vm {name}` shows")
    first, *rest = words
    done = commands[first].main([*rest, "--host", host], prog_name=f"{called()} {first}", standalone_mode=False)
    return int(done) if isinstance(done, int) else 0


def _takes_host(command: click.Command) -> bool:
    return any("--host" in one.opts for one in command.params)


commands.add(vm)
