"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment


def say(experiment: Experiment) -> str:
    """Return 'CPU 0 and CPU 1 alone and together'."""
    a, b = (group.team.cpus[0] for group in experiment.groups[:2])
    return f"CPU {a} and CPU {b} alone and together"


lives.add(Live("sharing", say))
