"""The live line of a run. Without this file it shows kernels and threads."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.units import show_bytes


def say(experiment: Experiment) -> str:
    """Return 'reads of 64 MiB'."""
    return f"reads of {show_bytes(experiment.groups[0].workload.footprint_bytes)}"


lives.add(Live("skeleton", say))
