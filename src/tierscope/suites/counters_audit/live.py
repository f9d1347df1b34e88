"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.suites.counters_audit.labels import EventLabels


def say(experiment: Experiment) -> str:
    """Return 'triad, repeat 2'."""
    labels = EventLabels.read(experiment)
    return f"{labels.kernel}, repeat {labels.repeat + 1}"


lives.add(Live("event_counts", say))
