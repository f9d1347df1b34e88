"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment


def say(experiment: Experiment) -> str:
    """Return 'read, node 0 to node 1'."""
    labels = experiment.labels
    return f"{experiment.groups[-1].workload.kernel}, node {labels['initiator']} to node {labels['target']}"


lives.add(Live("numa", say))
