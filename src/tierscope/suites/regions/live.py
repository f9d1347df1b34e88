"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.record.work.block import BlockWork
from tierscope.record.work.hop import HopWork
from tierscope.tables.regions import FreshLabels
from tierscope.units import show_bytes


def say(experiment: Experiment) -> str:
    """Return 'read, fresh regions of 4 KiB'."""
    asked = experiment.groups[-1].workload
    work = asked.work if isinstance(asked.work, HopWork) else asked.of(BlockWork)
    return f"{FreshLabels.read(experiment).operation}, fresh regions of {show_bytes(work.locality_bytes)}"


lives.add(Live("regions", say))
