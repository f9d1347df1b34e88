"""The verdict about a file that a run stores before it changes the machine, and removes once all is put back."""

from collections.abc import Callable
from typing import TypeVar

from tierscope.doctor.check import Seen, bad, good, note, unknown
from tierscope.errors import MachineError
from tierscope.host.kept import RESTORE, KeptFile, OfStart

K = TypeVar("K", bound=OfStart)


def left(file: KeptFile[K], changed: Callable[[K], str], effect: str, reset: str) -> Seen:
    """Return whether a run has left something changed.

    changed: where values differ from the stored ones now, such as 'on 2 CPUs'; "" for nowhere. reset: what the start of
    the machine did since, for a file of an earlier one.
    """
    try:
        kept = file.read()
        if kept is None:
            return good("no run has left them changed")
        if file.is_earlier(kept):
            return note(f"{file.stored} is of a run before the last start", reset, RESTORE)
        what = changed(kept)
    except MachineError as error:
        return unknown(f"a run may have changed them: {error}", effect, RESTORE)
    if not what:
        return note(f"{file.stored} is left, but nothing is changed; or such a run has not ended", effect, RESTORE)
    return bad(f"changed by a run {what}; or such a run has not ended", effect, RESTORE)
