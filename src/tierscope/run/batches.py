"""How long a batch lasts, and how long a visit of a point lasts at least and at most."""

import msgspec

from tierscope.record.experiment import Experiment, Schedule
from tierscope.stats.repeats import FEWEST

BATCH_S = 0.1  # between two looks at the interval: a hundred blocks
BLOCKS = 100  # of a visit, at least: twice as many as a summary needs


def one_visit(schedule: Schedule) -> Schedule:
    """Return the times of one visit: its share of those of the point, and time for BLOCKS at least."""
    if schedule.visits < 2:
        return schedule
    minimum = min(schedule.minimum_s, max(schedule.minimum_s / schedule.visits, BLOCKS * schedule.block_s))
    budget = max(schedule.budget_s / schedule.visits, minimum)
    return msgspec.structs.replace(schedule, minimum_s=minimum, budget_s=budget)


def batch_seconds(experiment: Experiment, timed: float, budget: float, *, first: bool) -> float:
    """Of the next batch of each take: the minimum, then what the budget leaves; all equal where batches are points."""
    minimum = experiment.schedule.minimum_s
    if experiment.against or experiment.schedule.repeats:
        return minimum
    return max(min(minimum if first else min(BATCH_S, minimum), budget - timed), least_batch_seconds(experiment))


def least_seconds(schedule: Schedule) -> float:
    """What a point gets even beyond the limit: of repeats as many as an interval needs, if the budget has them."""
    return min(FEWEST * schedule.minimum_s, schedule.budget_s) if schedule.repeats else schedule.minimum_s


def least_batch_seconds(experiment: Experiment) -> float:
    """Shorter batches are mostly start-up; an experiment of short takes, pairs of CPUs, asks for less itself."""
    return min(BATCH_S, experiment.schedule.minimum_s) / 2
