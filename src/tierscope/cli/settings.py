"""`tierscope doctor --apply` and `--restore`: what is shown, what is asked, and how it ends."""

import sys
from collections.abc import Sequence
from itertools import groupby

from tierscope.cli import door
from tierscope.doctor import kept
from tierscope.doctor.apply import Outcome, apply, planned, restore
from tierscope.doctor.kept import Change
from tierscope.errors import Exit, UsageError
from tierscope.host.levers_kept import KeptFiles
from tierscope.host.prefetchers import Registers
from tierscope.host.system import System

BACK = "tierscope doctor --restore"


def apply_settings(system: System, only: Sequence[str], *, yes: bool) -> int:
    """Show each change, ask for each check, write, read back. UsageError where nobody can be asked."""
    changes = planned(system, only)
    if not changes:
        door.line("No check offers a setting that differs from what this machine has. Nothing was changed.")
        return Exit.GOOD
    if not (yes or (sys.stdin.isatty() and sys.stderr.isatty())):
        _show(changes)
        raise UsageError("doctor --apply asks on a terminal, and this is not one; read the changes, then give --yes")
    agreed = [change for some in _by_check(changes) if _agreed(some, yes=yes) for change in some]
    if not agreed:
        door.line("Nothing was changed.")
        return Exit.GOOD
    found = apply(system, agreed)
    for outcome in found:
        door.line(f"{outcome.change.path}: {outcome.change.old} -> {outcome.now}{_why(outcome)}")
    door.line(f"Put back with `{BACK}`; a restart of the machine puts them back, too.")
    return _status(found)


def restore_settings(system: System) -> int:
    """Put everything back, prefetchers first, and report what became of each file."""
    registers, levers = Registers(system.root), KeptFiles(system.root)
    earlier = registers.file.forget_earlier()
    if earlier:
        door.line("Prefetchers: the machine was restarted since; the firmware has set them. Nothing was written.")
    if cpus := registers.restore():
        door.line(f"Prefetchers of {cpus} CPUs: as they were before the run.")
    if reset := levers.file.forget_earlier():
        door.line("Levers: the machine was restarted since, which has reset them. Nothing was written.")
    if files := levers.restore():
        door.line(f"{files} settings of a lever: as they were before the run.")
    stored = kept.load(system)
    found = restore(system)
    for outcome in found:
        door.line(f"{outcome.change.path}: {outcome.now}{_why(outcome)}")
    if not (found or cpus or earlier or files or reset):
        door.line(
            "The machine was restarted since; its settings are those of the start. Nothing to put back."
            if stored and stored.changes
            else "Nothing to put back."
        )
    return _status(found)


def remind(system: System) -> None:
    """Print one line on standard error while changed settings wait to be put back."""
    waiting = kept.of_this_boot(system) if system.is_folder(kept.FOLDER) else ()
    if waiting:
        one = (
            "1 setting that doctor --apply changed is"
            if len(waiting) == 1
            else f"{len(waiting)} settings that doctor --apply changed are"
        )
        door.message(f"{one} not put back yet: {BACK}")


def _by_check(changes: Sequence[Change]) -> list[list[Change]]:
    return [list(some) for _, some in groupby(changes, key=lambda change: change.check)]


def _agreed(changes: Sequence[Change], *, yes: bool) -> bool:
    """Show the changes of one check; then --yes, or an answer."""
    _show(changes)
    return yes or door.ask(f"Write {'it' if len(changes) == 1 else f'these {len(changes)}'}?")


def _show(changes: Sequence[Change]) -> None:
    for change in changes:
        door.line(f"{change.check}: write {change.new} to {change.path}, now {change.old}")


def _why(outcome: Outcome) -> str:
    return f" ({outcome.fault})" if outcome.fault else ""


def _status(found: Sequence[Outcome]) -> int:
    return Exit.CANNOT if any(outcome.fault for outcome in found) else Exit.GOOD
