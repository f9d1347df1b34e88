"""Processes that a traced program starts, and programs that it becomes (exec): what the trace lacks of them.

The tracer follows a program that becomes another one, unless that is a 32-bit program, one of another processor, one
with the rights of another user, or one in /proc. It does not follow processes that the program starts.
"""

from tierscope.simulated.replay import Traced

FORK, FOLLOWED = "fork", "followed "  # notes of the tracer; a path is behind the second
LOST = (
    "it replaced itself by another program (exec), which the tracer cannot follow: one of 32 bits, of another "
    "processor, with the rights of another user (setuid), or in /proc"
)


def forks(traced: Traced) -> int:
    """Return the number of processes that it started."""
    return traced.notes.count(FORK)


def became(traced: Traced) -> str:
    """Return the path of the last program that it became, which the trace contains; "" if it stayed the same."""
    programs = [note.removeprefix(FOLLOWED) for note in traced.notes if note.startswith(FOLLOWED)]
    return programs[-1] if programs else ""
