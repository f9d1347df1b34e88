"""The durations of batches and visits, and the batches after which a point is judged."""

import msgspec

from tierscope.record.experiment import Experiment, Schedule
from tierscope.record.facts import Clock
from tierscope.stats.repeats import FEWEST

BATCH_S = 0.1  # a hundred blocks
GROWTH = 1.1  # of the timed duration from one judgement to the next; each costs as much as all blocks so far:
# together they cost 11 times the last one. A point lasts at most a tenth longer than it needs, or one batch
BLOCKS = 100  # of a visit, at least: twice as many as a summary needs
STEPS = 1000  # of the clock in a timed block, at least: its rounding is then 0.1 % of the block at most


def one_visit(experiment: Experiment) -> Schedule:
    """Return the times of one visit: its share of those of the point, and time for BLOCKS at least.

    The minimum of a comparison is the length of its batches, in any number of visits.
    """
    schedule = experiment.schedule
    if schedule.visits < 2:
        return schedule
    minimum = schedule.minimum_s
    if not experiment.against:
        minimum = max(min(minimum, max(minimum / schedule.visits, BLOCKS * schedule.block_s)), schedule.piece_s)
    budget = max(schedule.budget_s / schedule.visits, minimum)
    return msgspec.structs.replace(schedule, minimum_s=minimum, budget_s=budget)


def batch_seconds(experiment: Experiment, timed: float, budget: float, *, first: bool) -> float:
    """Return the times of each take's next batch: first the minimum, then the rest; equal where batches are points."""
    minimum = experiment.schedule.minimum_s
    if experiment.against or experiment.schedule.repeats:
        return minimum
    return max(min(minimum if first else min(BATCH_S, minimum), budget - timed), least_batch_seconds(experiment))


def is_due(timed: float, judged: float) -> bool:
    """Return whether to judge a point again. timed, judged: seconds that are timed now, and were at the last time."""
    return timed >= GROWTH * judged - 1e-9  # sums of batches that are a little less than equal


def least_seconds(schedule: Schedule) -> float:
    """Return a point's time even beyond the limit: for the repeats of an interval, if the budget has it."""
    return min(FEWEST * schedule.minimum_s, schedule.budget_s) if schedule.repeats else schedule.minimum_s


def least_batch_seconds(experiment: Experiment) -> float:
    """Return the shortest batch: shorter ones are mostly start-up. Experiments of short takes may ask for less."""
    return min(BATCH_S, experiment.schedule.minimum_s) / 2


def long_enough(block_s: float, clock: Clock) -> float:
    """Return the length of a block, no shorter than STEPS steps of the clock: 42 us at 24 MHz."""
    return max(block_s, STEPS / clock.hz)
