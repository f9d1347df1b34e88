"""The choice of objects for the faster memory: the best set for a size, and sets that grow.

    best set       maximise the sum of shares of the objects in it; the sum of their bytes is at most the size
    sets that grow the objects in the order of share per byte. Each of these sets is the best one for its own size.

Bytes of a set are the sum of the most bytes of each object: its objects may have them at different times, so that the
set may need less.
Source: G. B. Dantzig, "Discrete-Variable Extremum Problems", Operations Research 5(2), 1957 (share per byte).
"""

from collections.abc import Sequence

import numpy as np

from tierscope.predict.objects.objects import ProgramObject, Shares

USEFUL = 0.001  # share of an object that is worth a place
LEAST = 0.005  # share of an object that gets a set of its own
MOST = 8  # sets that grow, without none and all

Set = tuple[int, ...]
"""Numbers of objects, ascending."""


def best(objects: Sequence[ProgramObject], share: Shares, size: int) -> Set:
    """Return the set with the largest share that fits in `size` bytes."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    useful = [i for i, one in enumerate(objects) if share[i] >= USEFUL and one.bytes <= size]
    if not useful:
        return ()
    # in units of the size, so that the solver's tolerance is relative
    weights = np.array([[objects[i].bytes / max(size, 1) for i in useful]])
    found = milp(-share[useful], constraints=LinearConstraint(weights, ub=1.0), integrality=np.ones(len(useful)),
                 bounds=Bounds(0, 1), options={"mip_rel_gap": 0})  # fmt: skip
    chosen = tuple(i for i, taken in zip(useful, found.x, strict=True) if taken > 0.5) if found.x is not None else ()
    return chosen if bytes_of(objects, chosen) <= size else ()


def growing(objects: Sequence[ProgramObject], share: Shares) -> list[Set]:
    """Return sets, each with the one before, from none to all objects that are worth a place."""
    useful = (i for i in range(len(objects)) if share[i] >= USEFUL)
    order = sorted(useful, key=lambda i: -share[i] / max(objects[i].bytes, 1))
    sets: list[Set] = [()]
    covered = 0.0
    step = max(LEAST, float(share.sum()) / (4 * MOST))
    for end, i in enumerate(order, 1):
        covered += float(share[i])
        if covered >= step and len(sets) <= MOST:
            sets.append(tuple(sorted(order[:end])))
            covered = 0.0
    everything = tuple(sorted(order))
    return sets if sets[-1] == everything else [*sets, everything]


def bytes_of(objects: Sequence[ProgramObject], chosen: Set) -> int:
    """Return the bytes of a set."""
    return sum(objects[i].bytes for i in chosen)
