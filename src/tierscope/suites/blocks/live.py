"""The live line of a run."""

from tierscope.plans.live import Live, lives, threads_of
from tierscope.record.experiment import Experiment
from tierscope.record.work.block import BlockWork
from tierscope.units import show_size


def say(experiment: Experiment) -> str:
    """Return 'random write of 8 KiB blocks, 2 threads'."""
    group = experiment.groups[-1]
    name = f"{group.role.replace('_', ' ')} of {show_size(group.workload.of(BlockWork).element_bytes)} blocks"
    return f"{name}, {threads_of(experiment)}"


lives.add(Live("blocks", say))
