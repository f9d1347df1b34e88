"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.suites.response.labels import BETWEEN, ResponseLabels


def say(experiment: Experiment) -> str:
    """Return 'lever load: 4 steps, alternately'."""
    labels = ResponseLabels.read(experiment)
    return f"lever {labels.lever}: {len(labels.steps.split(BETWEEN))} steps, alternately"


lives.add(Live("response", say))
