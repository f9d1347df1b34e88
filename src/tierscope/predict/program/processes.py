"""Processes that a program starts: which of them the trace contains, and what the time here contains of the others.

Where they can be followed, `members` and `whole` serve them. The rules below are for a system that lets nobody follow
them.

They are served if they take a small part of its CPU time, as `dirname` in a script that starts the real program. Their
time is then like other time that the model does not explain: it may stay or grow with the memory.
The kernel adds up only processes that the program waited for. Others can delay a program that waits. So they are served
only if it ran most of its wall time.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tierscope.predict.program.members import Household, Member
from tierscope.predict.program.native import RAN, Native
from tierscope.simulated.processes import LOST, became, forks
from tierscope.simulated.replay import WHY_SIGNAL, Traced

BEGINS = "begins "  # note of the tracer: a path, and digests of words
DIGESTS = re.compile(r"( [0-9a-f]{16})*$")
EXEC = "exec"  # note of the tracer
CUT = f"in the tracer it ended before its end here; {WHY_SIGNAL}"
SMALL = 0.05  # of the CPU time, up to which processes that are not traced are served


def lost(native: Native, own: Traced) -> str:
    """Return why the trace contains too little of the program, with what to do; "" if it does not."""
    if not own.whole:
        return CUT if native.apart and EXEC not in own.notes else f"{LOST}; predict that program by itself"
    doubt = _doubt(native) if forks(own) and not native.apart else ""
    step = f"then it became {became(own)}: predict that program" if became(own) else "predict what they run by itself"
    return f"it started {_processes(forks(own))}, not traced, {doubt}; {step}" if doubt else ""


def served(native: Native, own: Traced) -> tuple[str, ...]:
    """Return notes on what is served."""
    program = became(own)
    notes: tuple[str, ...] = (f"it became {program} (exec), which is in the trace",) if program else ()
    if forks(own) and not native.apart and not lost(native, own):
        notes += (
            f"it started {_processes(forks(own))}, not traced, with at most {_share(native):.1%} of its CPU time",
        )
    return notes


def strayed(member: Member, own: Traced) -> str:
    """Return why the trace is of another process; "" if it is of this one."""
    if not member.number:
        return ""
    file, *digests = _begun(own)
    here, there = Path(member.first_file).name, Path(file).name
    same = all(one in ("", found) for one, found in zip(member.digests, digests, strict=False))
    if here == there and len(digests) == len(member.digests) and same:
        return ""
    return (f"in the tracer, {there or 'another program'} ran in the place of {member.command}: the program starts its "
            "processes in another order there; predict that process by itself")  # fmt: skip


def _begun(own: Traced) -> list[str]:
    """Return the path of the program with which the trace begins, and the digests of its words."""
    note = next((note for note in own.notes if note.startswith(BEGINS)), "").removeprefix(BEGINS)
    digests = DIGESTS.search(note)
    at = digests.start() if digests else len(note)
    return [note[:at], *note[at:].split()]


def followed_notes(
    home: Household, fits: Sequence[float | None], limits: Mapping[str, tuple[float, float]]
) -> tuple[str, ...]:
    """Return notes on what was followed, and on the rest.

    fits: model / measured of each that was followed; limits: of each tier, the factors of the rest.
    """
    notes = [
        f"{one.share:.0%} of the time here is {one.command}, which was followed"
        + ("" if fit is None else f" (model / measured {fit:.2f})")
        for one, fit in zip(home.followed, fits, strict=True)
    ]
    others = home.count + 1 - len(home.followed)
    most = ", ".join(f"{max(most, 1.0):.2f}x on {tier}" for tier, (_, most) in limits.items())
    if others:
        rest = home.rest_s / home.wall_s
        notes.append(
            f"{_processes(others)}, not followed, had {_percent(rest)} of the time; "
            f"the bounds contain that it stays, and the most of the patterns that were tried: {most}"
        )
    return tuple(notes)


def _percent(share: float) -> str:
    return f"{share:.1%}" if share < SMALL else f"{share:.0%}"


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
