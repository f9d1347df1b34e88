"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.suites.contention.labels import SplitLabels


def say(experiment: Experiment) -> str:
    """Return 'mixed, A:B = 1:1'."""
    labels = SplitLabels.read(experiment)
    return f"{labels.way}, A:B = {labels.a_threads}:{labels.b_threads}"


lives.add(Live("contention", say))
