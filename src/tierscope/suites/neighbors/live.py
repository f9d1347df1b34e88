"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment


def say(experiment: Experiment) -> str:
    """Return 'flow beside 0 to 3 x triad, in turns'."""
    most = sum(one.role == "aggressor" for one in experiment.groups)
    return f"{experiment.labels['victim']} beside 0 to {most} x {experiment.labels['aggressor_kernel']}, in turns"


lives.add(Live("neighbors", say))
