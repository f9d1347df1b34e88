"""How long a batch lasts, and how long a point lasts at least."""

from tierscope.record.experiment import Experiment, Schedule
from tierscope.stats.repeats import FEWEST

BATCH_S = 0.1  # between two looks at the interval: a hundred blocks


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
