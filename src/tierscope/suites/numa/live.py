"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.suites.numa.labels import NumaLabels


def say(experiment: Experiment) -> str:
    """Return 'read, node 0 to node 1'."""
    labels = NumaLabels.read(experiment)
    return f"{experiment.groups[-1].workload.kernel}, node {labels.initiator} to node {labels.target}"


lives.add(Live("numa", say))
