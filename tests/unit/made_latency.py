"""The plan of the suite latency on a made machine, on which each step takes a stated time."""

from collections.abc import Callable, Iterable
from pathlib import Path

from made import Maker, Teamwork, made_facts
from tierscope.plans import Answer, suites
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.record.result import Clock, Record, Run
from tierscope.record.work.hop import HopWork
from tierscope.stats.median import Interval

CLOCK = Clock(source="tsc", hz=2e9, resolution_s=5e-10, read_cost_s=2e-8)
Asked = list[tuple[Experiment, float]]


class Point:
    """A judged point of one rate."""

    def __init__(self, rate: float) -> None:
        self.groups = (type("Judged", (), {"interval": Interval(rate, rate, rate, 100)})(),)


def asked(machine: Machine, step_s: Callable[[int, HopWork], float], **words: str) -> Asked:
    """Return the experiments of the plan, and the seconds of a step of each. step_s: by footprint and work."""
    suite, found = suites["latency"], []
    plan = suite.plan(machine, suite.read(words))
    experiment: Experiment = next(plan)
    try:
        while True:
            workload = experiment.groups[0].workload
            seconds = step_s(workload.footprint_bytes, workload.of(HopWork))
            found.append((experiment, seconds))
            record = Record(
                number=0, experiment=experiment, groups=(made_facts(experiment.groups[0]),), clock=CLOCK, samples="",
                blocks=1, started="", seconds=0.1, largest_relative_error=0.0,
            )  # fmt: skip
            experiment = plan.send(Answer(experiment, record, Point(1 / seconds)))  # type: ignore[arg-type]
    except StopIteration:
        return found


def saved(folder: Path, points: Iterable[tuple[Experiment, float]], machine: Machine) -> Run:
    maker = Maker(folder)
    for experiment, seconds in points:
        maker.add(
            experiment.table, dict(experiment.labels), experiment.groups, (Teamwork((1 / seconds,), noise=0.002),)
        )
    return maker.save("latency", machine)
