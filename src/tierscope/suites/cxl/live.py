"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.suites.cxl.labels import PagesLabels


def say(experiment: Experiment) -> str:
    """Return 'read, pages 3:1 of node:0 and node:1'."""
    labels = PagesLabels.read(experiment)
    turn = f"{labels.near_pages}:{labels.far_pages}"
    return f"{experiment.groups[0].workload.kernel}, pages {turn} of {labels.near} and {labels.far}"


lives.add(Live("page_ratio", say))
