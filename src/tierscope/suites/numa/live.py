"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.suites.numa.labels import InjectionLabels, NumaLabels


def say(experiment: Experiment) -> str:
    """Return 'read, node 0 to node 1'."""
    labels = NumaLabels.read(experiment)
    return f"{experiment.groups[-1].workload.kernel}, node {labels.initiator} to node {labels.target}"


def say_all(experiment: Experiment) -> str:
    """Return 'triad, node 1 alone' or 'triad, all nodes'."""
    labels = InjectionLabels.read(experiment)
    place = "all nodes" if labels.what == "together" else f"node {labels.node} alone"
    return f"{labels.kernel}, {place}"


lives.add(Live("numa", say))
lives.add(Live("injection", say_all))
