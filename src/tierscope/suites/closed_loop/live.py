"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.suites.closed_loop.labels import LoopLabels


def say(experiment: Experiment) -> str:
    """Return 'policy on device 7'."""
    labels = LoopLabels.read(experiment)
    return f"{labels.prober} on device {labels.device}"


lives.add(Live("closed_loop", say))
