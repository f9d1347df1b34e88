"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.record.work.job import JobWork
from tierscope.suites.storage.labels import StorageLabels
from tierscope.units import show_size


def say(experiment: Experiment) -> str:
    """Return 'random 70/30 of 4 KiB, depth 32'."""
    work = experiment.groups[-1].workload.of(JobWork)
    labels = StorageLabels.read(experiment)
    return f"{work.order} {labels.mix} of {show_size(work.block_bytes)}, depth {labels.depth}"


lives.add(Live("storage", say))
