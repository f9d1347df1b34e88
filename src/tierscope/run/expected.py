"""What a plan will be, and how long it takes, before anything is measured."""

from collections.abc import Sequence

import msgspec

from tierscope.plans import Answer, Plan
from tierscope.record.experiment import Experiment, Schedule
from tierscope.run.batches import least_seconds, one_visit
from tierscope.run.calibrate import SEARCH_S
from tierscope.run.walks import key_of
from tierscope.stats.contrast import least_rounds
from tierscope.stats.takes import takes_of

SHARE = 0.2  # of the limit that all searches may take together
LEAST_S = 0.5  # of a search
SHARED_S = 0.15  # of a point, where several share one search
START_S = 0.8  # of a program that measures by itself, with its ramp: seen with fio on a busy guest


def imagine(plan: Plan) -> list[Experiment]:
    """The experiments of a plan that gets no answers: how many there will be, near enough."""
    experiments = []
    try:
        experiment = next(plan)
        while True:
            experiments.append(experiment)
            experiment = plan.send(Answer(experiment))
    except StopIteration:
        return experiments


def search_seconds(experiments: Sequence[Experiment], limit_s: float) -> float:
    """Return how long each search for a loop variant may take, so that all take at most SHARE of the limit."""
    searches = len({key_of(experiment) for experiment in experiments if experiment.calibrate})
    return max(LEAST_S, min(SEARCH_S, SHARE * limit_s / max(searches, 1)))


def expected_of(experiments: Sequence[Experiment], search_s: float) -> list[float]:
    """Seconds of the first visit of each: the blocks, and a search where no point before had the same group.

    A variant that is kept from an earlier run takes less.
    """
    known: set[tuple[object, ...]] = set()
    seconds = []
    for experiment in experiments:
        searches = experiment.calibrate and key_of(experiment) not in known
        known.add(key_of(experiment))
        seconds.append(expected_seconds(experiment, search_s if searches else 0.0))
    return seconds


def expected_seconds(experiment: Experiment, search_s: float | None = None) -> float:
    """Of the first visit: the blocks, and the search for a loop variant; None: one that points share, SHARED_S each."""
    search = SHARED_S * experiment.calibrate if search_s is None else search_s
    return search + _visit_seconds(experiment, one_visit(experiment))


def further_seconds(experiment: Experiment) -> float:
    """Of all visits but the first, each as short as it may be."""
    short = one_visit(experiment)
    short = msgspec.structs.replace(short, budget_s=short.minimum_s)
    return further_visits(experiment) * _visit_seconds(experiment, short)


def further_visits(experiment: Experiment) -> int:
    """Return how many visits the plan asks for after the first."""
    return max(experiment.schedule.visits - 1, 0)


def _visit_seconds(experiment: Experiment, schedule: Schedule) -> float:
    """Filling and page faults as seen on a small guest, and the blocks."""
    setup = sum(g.workload.footprint_bytes for g in experiment.groups if g.workload.kernel in ("chase", "probe")) / 4e9
    rounds = (2 * schedule.minimum_s + schedule.budget_s) / 3
    if experiment.against:
        rounds = max(rounds, least_rounds(schedule) * schedule.minimum_s)
    if schedule.repeats:
        rounds = max(rounds, least_seconds(schedule)) * (1 + START_S / schedule.minimum_s)
    return 0.05 + setup + rounds * len(takes_of(experiment))
