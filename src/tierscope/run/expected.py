"""The expected experiments of a plan and its time, before anything is measured."""

import msgspec

from tierscope.plans import Answer, Plan
from tierscope.record.experiment import Experiment, Schedule
from tierscope.run.batches import least_seconds, one_visit
from tierscope.stats.contrast import least_rounds
from tierscope.stats.takes import takes_of

START_S = 0.8  # of a program that measures by itself, with its ramp: seen with fio on a busy guest


def imagine(plan: Plan) -> list[Experiment]:
    """Return the experiments of a plan that gets no answers: how many there will be, near enough."""
    experiments = []
    try:
        experiment = next(plan)
        while True:
            experiments.append(experiment)
            experiment = plan.send(Answer(experiment))
    except StopIteration:
        return experiments


def expected_seconds(experiment: Experiment) -> float:
    """Return the time of the first visit: 0.2 s of calibration shared by the points, and the blocks."""
    return 0.2 * experiment.calibrate + _visit_seconds(experiment, one_visit(experiment))


def shortest_seconds(experiment: Experiment) -> float:
    """Return the time of a visit that is as short as it may be, without a calibration."""
    short = one_visit(experiment)
    return _visit_seconds(experiment, msgspec.structs.replace(short, budget_s=short.minimum_s))


def further_seconds(experiment: Experiment) -> float:
    """Return the time of all visits but the first, each as short as it may be."""
    return further_visits(experiment) * shortest_seconds(experiment)


def further_visits(experiment: Experiment) -> int:
    """Return how many visits the plan asks for after the first."""
    return max(experiment.schedule.visits - 1, 0)


def _visit_seconds(experiment: Experiment, schedule: Schedule) -> float:
    """Return the time of filling and page faults, as measured on a small guest, and the blocks."""
    setup = sum(g.workload.footprint_bytes for g in experiment.groups if g.workload.kernel in ("chase", "probe")) / 4e9
    rounds = (2 * schedule.minimum_s + schedule.budget_s) / 3
    if experiment.against:
        rounds = max(rounds, least_rounds(schedule) * schedule.minimum_s)
    if schedule.repeats:
        rounds = max(rounds, least_seconds(schedule)) * (1 + START_S / schedule.minimum_s)
    return 0.05 + setup + rounds * len(takes_of(experiment))
