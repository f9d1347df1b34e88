"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.units import show_bytes


def say(experiment: Experiment) -> str:
    """Return 'read, fresh regions of 4 KiB'."""
    size = show_bytes(experiment.groups[-1].workload.locality_bytes)
    return f"{experiment.labels['operation']}, fresh regions of {size}"


lives.add(Live("regions", say))
