"""The live line of a run."""

from tierscope.plans.live import Live, flushes, lives, plainly
from tierscope.record.experiment import Experiment


def say(experiment: Experiment) -> str:
    """Return '4 KiB chunks, a fence after each chunk: clflush, clwb'."""
    taken = experiment.groups[-1].workload.kernel.startswith("flush_") and experiment.takes
    return flushes(experiment) if taken else plainly(experiment)


lives.add(Live("flush", say))
