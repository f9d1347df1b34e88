"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.suites.neighbors.labels import NeighborsLabels


def say(experiment: Experiment) -> str:
    """Return the victim and the range of aggressors that alternate, such as flow and 0 to 3 x triad."""
    most = sum(one.role == "aggressor" for one in experiment.groups)
    labels = NeighborsLabels.read(experiment)
    return f"{labels.victim} with 0 to {most} x {labels.aggressor_kernel}, alternately"


lives.add(Live("neighbors", say))
