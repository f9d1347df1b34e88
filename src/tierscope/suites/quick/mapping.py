"""How long this machine takes to map memory, from two points of the staircase, and what it means for arrays.

The first point of a size and page size maps its memory and fills it, the next one of these only fills it. Where a host
gives its guest each page on the first access, a byte took 3 ns, against 0.2 ns on a machine of its own. Each tour
through the plan maps all memory again, so that its visits show what a mapping changes. Arrays of the size that STREAM's
rule asks for would then leave no time for a second tour, and no interval would be known. The same is true of footprints
beyond those that show the caches.
"""

import math
from collections.abc import Generator, Sequence
from itertools import pairwise

from tierscope.plans.answer import Answer
from tierscope.record.experiment import Experiment

SHARE = 0.05  # of the limit that mapping the arrays of one tour may take: there are three tours
LONGEST_S = 600  # a longer one is not worth the wait
ARRAYS = 5  # that a tour maps: those of triad, and of a load with two


Staircase = Generator[Experiment, Answer, int | None]


def noting(plan: Staircase, answers: list[Answer]) -> Staircase:
    """Yield the experiments of a plan, and keep their answers; return what the plan returns."""
    try:
        experiment = next(plan)
        while True:
            answers.append((yield experiment))
            experiment = plan.send(answers[-1])
    except StopIteration as end:
        return end.value if isinstance(end.value, int) else None


def seconds_per_byte(answers: Sequence[Answer]) -> float:
    """Return the seconds to map a byte; 0 where no two points that follow each other show it."""
    for first, second in pairwise(answers):
        if first.record and second.record and _size(first.experiment) == _size(second.experiment):
            return max(first.record.seconds - second.record.seconds, 0.0) / _size(first.experiment)[1]
    return 0.0


def too_slow(byte_s: float, array_bytes: int, limit_s: float) -> str:
    """Return why the arrays of a kernel together should have the size of one; empty where mapping them is fast."""
    enough_s = ARRAYS * array_bytes * byte_s / SHARE
    if enough_s <= limit_s:
        return ""
    longer = math.ceil(enough_s / 10) * 10
    step = (
        f"try limit={longer}" if longer <= LONGEST_S else "try run stream and run loaded-latency, which take that time"
    )
    return f"{_takes(byte_s)}, which leaves little time for visits; {step}"


def farther(byte_s: float, top_bytes: int, limit_s: float) -> str:
    """Return why footprints beyond those that show the caches are left out; empty where mapping them is fast."""
    return f"{_takes(byte_s)}; try run latency for larger ones" if top_bytes * byte_s > SHARE * limit_s else ""


def _takes(byte_s: float) -> str:
    return f"mapping takes {byte_s * 1e9:.1f} s per GB"


def _size(experiment: Experiment) -> tuple[str, int]:
    (group,) = experiment.groups
    return group.target.pages, group.workload.footprint_bytes
