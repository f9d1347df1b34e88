"""`tierscope catalogue`: kernels, ISAs, targets, structures and victims of this build, and performance events of this
machine; what cannot run here with the reason.
"""

from typing import TYPE_CHECKING

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried

if TYPE_CHECKING:
    from tierscope.record.catalogue import Catalogue


@click.command(cls=Command, area=Area.MACHINE, tried=Tried())
@click.option("--json", "as_json", is_flag=True, help="Print the [catalogue of the core](plan.md#catalogue).")
def catalogue(as_json: bool) -> int:
    """List the kernels, ISAs, targets, structures and victims of this build.

    Shows the stores of each kernel, its bytes and its floating-point operations (flops) per operation, and the ISAs
    that it runs on here. Entries that cannot run here stay in the list, with the reason.
    """
    from tierscope.run import planned

    found = planned.catalogue()
    if as_json:
        door.document(found)
    else:
        _kernels(found)
        door.line("")
        _others(found)
    return 0


def _kernels(found: "Catalogue") -> None:
    """Print a line for each kernel, and how the answers are checked."""
    from tierscope.draw.cells import NOTHING

    wide = max(len(name) for name in found.names()) + 2
    door.line(f"{'kernel':{wide}}{'stores':8}{'program':>9}{'bus':>8}{'flops':>7}  {'answer':12}ISAs here")
    for name in found.names():
        every = [k for k in found.kernels if k.kernel == name]
        one = every[0]
        bus = "unknown" if one.bus_bytes_per_operation is None else f"{one.bus_bytes_per_operation:g} B"
        isas = ", ".join(k.isa for k in found.variants(name)) or f"none: {one.reason}"
        program = f"{one.program_bytes_per_operation:g} B"
        flops = one.flops_per_operation or NOTHING
        door.line(f"{name:{wide}}{one.store:8}{program:>9}{bus:>8}{flops:>7}  {one.check:12}{isas}")
    door.lines(
        "\nprogram and bus: bytes per operation, a line of each array (triad: 3 lines, 4 with write-allocate)\n"
        "flops: floating-point operations of the same; each element of a line has an eighth of all three\n"
        "answer: how it is checked after the blocks. replayed: scalar code, once more, must change nothing\n"
        "recomputed: from the first content and the number of passes\n"
    )
    for why in dict.fromkeys(k.unchecked for k in found.kernels if k.unchecked):
        names = dict.fromkeys(k.kernel for k in found.kernels if k.unchecked == why)
        door.line(f"none ({', '.join(names)}): {why}")


def _others(found: "Catalogue") -> None:
    """Print a line for each target, structure, victim, simulated machine and event."""
    lines = [(f"target {one.word}", one.summary if one.available else _absent(one.reason)) for one in found.targets]
    lines += [
        (f"structure {one.name}", one.summary if one.available else _absent(one.reason)) for one in found.structures
    ]
    lines += [(f"victim {one.name}", one.summary if one.available else _absent(one.reason)) for one in found.victims]
    lines += [(f"sim:{one.name}", one.summary) for one in found.simulated]
    lines += [(f"event {one.name}", "counted by counters=") for one in found.events if one.available]
    reasons = dict.fromkeys(one.reason for one in found.events if not one.available)
    lines += [
        (f"{sum(one.reason == reason for one in found.events)} other events", _absent(reason)) for reason in reasons
    ]
    wide = max(len(word) for word, _ in lines) + 2
    for word, summary in lines:
        door.line(f"{word:{wide}}{summary}")


def _absent(reason: str) -> str:
    return f"not here: {reason}"


commands.add(catalogue)
