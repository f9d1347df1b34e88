"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.record.work.block import BlockWork
from tierscope.units import show_size


def say(experiment: Experiment) -> str:
    """Return 'read, 64 every 256'."""
    asked = experiment.groups[-1].workload
    work = asked.of(BlockWork)
    return f"{asked.kernel}, {show_size(work.access_bytes)} every {show_size(work.element_bytes)}"


lives.add(Live("stride", say))
