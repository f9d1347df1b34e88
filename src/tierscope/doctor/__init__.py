"""The doctor: what in this machine's set-up touches which result, how much, and how to change it.

One file of `checks/` is one check; it reads text files, changes nothing and needs no root. On a virtual machine one
also times reads of its own memory. A state that it cannot see is `unknown`, with what would be needed: never a silent
`good`.
"""

from tierscope.doctor import check as room
from tierscope.host.system import System
from tierscope.record.result import Finding


def examine(system: System) -> tuple[Finding, ...]:
    """Return every check once, in the order of their names.

    It takes about 0.15 s, including 0.1 s of waiting for steal time, and on a virtual machine 0.6 to 1 s more.

    A check that fails (a plug-in, an unforeseen file) is a finding of its own: it never stops a measurement.
    """
    return tuple(_examine(room.checks[name], system) for name in room.checks)


def _examine(check: room.Check, system: System) -> Finding:
    try:
        return check.examine(system)
    except Exception as error:  # noqa: BLE001 a plug-in may raise anything
        state = f"the check itself failed: {type(error).__name__}: {error}"
        return Finding(name=check.name, state=state, verdict="unknown", touches=check.touches, effect="", remedy="")
