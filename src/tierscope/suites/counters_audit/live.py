"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment


def say(experiment: Experiment) -> str:
    """Return 'triad, repeat 2'."""
    labels = experiment.labels
    return f"{labels['kernel']}, repeat {int(str(labels['repeat'])) + 1}"


lives.add(Live("event_counts", say))
