"""Whether a program had to wait for CPUs that other programs used while it was timed here.

    c = (user + system time) / wall time        CPUs that it used
    o                                           CPUs that other programs used

With c + o of at least nearly all CPUs, and others on a tenth of them or more, its threads waited for some of them. The
user time of one thread leaves such waits out, the wall time of several contains them.
Blind to: a program that may use only some of the CPUs. Nobody states what others use of these, so nothing is reported.
"""

import os

FULL = 0.9  # of the CPUs
LEAST = 0.1  # of the CPUs, used by others: a quiet machine uses some


def crowded(used: float, others: float | None, cpus: int | None = None) -> str:
    """Return what the program waited for, with what to do; "" if it had its CPUs. used: c; others: o, None: unknown."""
    count = _all_cpus() if cpus is None else cpus
    if others is None or others < LEAST * count or used + others < FULL * count or not count:
        return ""
    of = f"{count} CPUs" if count > 1 else "1 CPU"
    return f"other programs used {others:.1f} of {of} while it was timed, so repeat it on an idle machine"


def _all_cpus() -> int:
    """Return the number of CPUs; 0 if this process may use only some."""
    count = os.cpu_count() or 0
    return count if len(os.sched_getaffinity(0)) == count else 0
