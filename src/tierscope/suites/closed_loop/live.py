"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment


def say(experiment: Experiment) -> str:
    """Return 'policy on device 7'."""
    return f"{experiment.labels['prober']} on device {experiment.labels['device']}"


lives.add(Live("closed_loop", say))
