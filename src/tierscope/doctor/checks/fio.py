"""fio: is the program of `run storage` there, and is it new enough?

The check asks fio for its version, nothing else. The files of another machine do not show it.
Source: fio 3.33, HOWTO.
"""

import shutil
from pathlib import Path

from tierscope.doctor.check import NONE, Check, Seen, checks, good, note, unknown
from tierscope.errors import MachineError
from tierscope.fio.program import BRING, OLDEST, find
from tierscope.host.system import System

LONGEST_S = 5.0  # fio answers within some 20 ms
EFFECT = "`run storage`, and fio as a neighbour, cannot be run; no other result changes"


def look(system: System) -> Seen:
    if system.root != Path("/"):
        return unknown("not checked: these are files of another machine, or a record", EFFECT)
    if shutil.which("fio") is None:
        return note("not installed", EFFECT, BRING)
    try:
        path, version = find(LONGEST_S)
    except MachineError as error:
        least = ".".join(map(str, OLDEST))
        return note(str(error).partition(";")[0].partition(": install")[0], EFFECT, f"{BRING}  # {least} or newer")
    return good(f"{version}, {path}")


checks.add(
    Check("fio", NONE, look, looks_at="whether fio is installed, and new enough for `run storage`", advice="install it")
)
