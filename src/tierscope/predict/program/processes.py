"""Processes that a program starts: the trace lacks them, and the time here may contain them.

They are served if they take a small part of its CPU time, as `dirname` in a script that starts the real program. Their
time is then like other time that the model does not explain: it may stay or grow with the memory.
The kernel adds up only processes that the program waited for. Others can delay a program that waits. So they are served
only if it ran most of its wall time.
"""

import os

from tierscope.predict.program.native import RAN, Native
from tierscope.simulated.processes import LOST, became, forks
from tierscope.simulated.replay import Traced

SMALL = 0.05  # of the CPU time, up to which processes that are not traced are served


def lost(native: Native, own: Traced) -> str:
    """Return why the trace contains too little of the program, with what to do; "" if it does not."""
    if not own.whole:
        return f"{LOST}; predict that program by itself"
    doubt = _doubt(native) if forks(own) else ""
    step = f"then it became {became(own)}: predict that program" if became(own) else "predict what they run by itself"
    return f"it started {_processes(forks(own))}, not traced, {doubt}; {step}" if doubt else ""


def served(native: Native, own: Traced) -> tuple[str, ...]:
    """Return notes on what is served."""
    program = became(own)
    notes: tuple[str, ...] = (f"it became {program} (exec), which is in the trace",) if program else ()
    if forks(own) and not lost(native, own):
        notes += (
            f"it started {_processes(forks(own))}, not traced, with at most {_share(native):.1%} of its CPU time",
        )
    return notes


def _processes(count: int) -> str:
    return "1 process" if count == 1 else f"{count} processes"


def _doubt(native: Native) -> str:
    """Return what its processes may have done to the time here; "" if that is little."""
    if (share := _share(native)) > SMALL:
        return f"with up to {share:.0%} of its CPU time"
    ran = (native.user_s.middle + native.system_s) / native.wall_s.middle
    return "" if ran >= RAN else f"and ran for {ran:.0%} of its wall time: it may have waited for them"


def _share(native: Native) -> float:
    """Return the most that its processes took of its CPU time: the kernel states theirs in ticks."""
    charged = native.user_s.middle + native.system_s
    return min((native.children_s + 1 / os.sysconf("SC_CLK_TCK")) / charged, 1.0) if charged else 1.0
