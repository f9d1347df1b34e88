"""Write the settings that checks want, read each back, and put the old ones back later.

Only files of the running kernel are written, and only those that a check names itself. The old values are stored
before the first write: whatever ends the process, `restore` finds them.
"""

import os
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from tierscope.doctor import kept
from tierscope.doctor.check import checks
from tierscope.doctor.kept import Change
from tierscope.doctor.setting import Setting, same
from tierscope.errors import UsageError, reason
from tierscope.host.system import System

Write = Callable[[System, str, str], None]
"""Writes a text into a file of the system; OSError where the kernel refuses."""


class Outcome(NamedTuple):
    """The result of one change: the text that the file has now, and why it is not the wanted one; "" if it is."""

    change: Change
    now: str
    fault: str


def planned(system: System, only: Collection[str] = ()) -> list[Change]:
    """Return the changes that checks want here and that are not made yet; none is written.

    only: names of checks; these also offer what helps others and not this user. UsageError for one without settings.
    """
    for name in only:
        if not checks[name].applies:
            known = ", ".join(each for each in checks if checks[each].applies)
            raise UsageError(f"{name} does not offer a setting that can be written and put back; known: {known}")
    names = [name for name in checks if name in only or not only]
    found = [(name, one) for name in names for one in checks[name].settings(system, good_too=name in only)]
    return [change for name, setting in found for change in _changes(system, name, setting)]


def _changes(system: System, name: str, setting: Setting) -> list[Change]:
    paths = system.glob(setting.path) if "*" in setting.path else [setting.path]
    old = {path: system.choice(path) for path in paths}
    return [
        Change(check=name, path=path, old=text, new=setting.value)
        for path, text in old.items()
        if text is not None and not same(text, setting.value)
    ]


def write(system: System, path: str, text: str) -> None:
    """Write as a shell's `echo` does: the file must exist."""
    handle = os.open(system.place(path), os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
    try:
        os.write(handle, f"{text}\n".encode())
    finally:
        os.close(handle)


def apply(system: System, changes: Sequence[Change], write: Write = write) -> list[Outcome]:
    """Store the old values, then write and read back each new one. MachineError if they cannot be stored."""
    with kept.alone(system):
        kept.keep(system, changes)
        return [_written(system, change, change.new, write) for change in changes]


def restore(system: System, write: Write = write) -> list[Outcome]:
    """Put back every old value, the last change first; what cannot be put back stays stored.

    A file that is gone, as that of a CPU that went offline, has nothing to put back.
    """
    with kept.alone(system):
        changes = kept.of_this_boot(system)
        found = [_put_back(system, change, write) for change in reversed(changes)]
        failed = {outcome.change for outcome in found if outcome.fault}
        kept.store(system, tuple(change for change in changes if change in failed))
        return found


def _put_back(system: System, change: Change, write: Write) -> Outcome:
    if system.why(change.path) == "absent":
        return Outcome(change, "absent", "")
    return _written(system, change, change.old, write)


def _written(system: System, change: Change, text: str, write: Write) -> Outcome:
    """Write a setting and return the outcome; an unchanged one is not written, since the kernel may act on it."""
    try:
        if not same(system.choice(change.path), text):
            write(system, change.path, text)
        fault = ""
    except OSError as error:
        fault = f"write {text}: {reason(error)}"
    now = system.choice(change.path)
    if not fault and not same(now, text):
        fault = f"{text} was written and accepted; the file reads {now}"
    return Outcome(change, now if now is not None else "not readable", fault)
