"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment


def say(experiment: Experiment) -> str:
    """Return 'read, node 0 to node 1'."""
    labels = experiment.labels
    return f"{experiment.groups[-1].workload.kernel}, node {labels['initiator']} to node {labels['target']}"


def say_all(experiment: Experiment) -> str:
    """Return 'triad, node 1 alone' or 'triad, all nodes'."""
    labels = experiment.labels
    place = "all nodes" if labels["what"] == "together" else f"node {labels['node']} alone"
    return f"{labels['kernel']}, {place}"


lives.add(Live("numa", say))
lives.add(Live("injection", say_all))
