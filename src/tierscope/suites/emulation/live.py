"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.suites.emulation.labels import EmulationLabels


def say(experiment: Experiment) -> str:
    """Return 'latency of emu:node=0,...'."""
    return f"{EmulationLabels.read(experiment).quantity} of {experiment.groups[-1].target.word}"


lives.add(Live("emulation", say))
