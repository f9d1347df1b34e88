"""Whether a program had to wait for CPUs that other programs used while it was timed here.

    c = (user + system time) / wall time        CPUs that it used
    o                                           CPUs that other programs used

With c + o of at least nearly all CPUs, its threads waited for some of them. The user time of one thread leaves such
waits out, the wall time of several contains them.
"""

import os

FULL = 0.9  # of the CPUs
LEAST = 0.1  # CPUs of others, which a quiet machine may use


def crowded(used: float, others: float | None, cpus: int | None = None) -> str:
    """Return what the program waited for, with what to do; "" if it had its CPUs. used: c; others: o, None: unknown."""
    if others is None or others < LEAST:
        return ""
    count = len(os.sched_getaffinity(0)) if cpus is None else cpus
    if used + others < FULL * count:
        return ""
    of = f"{count} CPUs" if count > 1 else "1 CPU"
    return f"other programs used {others:.1f} of {of} while it was timed, so repeat it on an idle machine"
