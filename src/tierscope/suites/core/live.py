"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.record.work.loop import LoopWork
from tierscope.suites.core.labels import ProbeLabels


def say(experiment: Experiment) -> str:
    """Return 'window: 2 chains, 181 nop'."""
    work = experiment.groups[0].workload.of(LoopWork)
    parts = [f"{work.chains * (1 + work.beside)} lines"] if work.chains and not work.train else []
    parts += [f"{work.train} visits, stride {work.stride}, {work.ahead} ahead"] if work.train else []
    parts += [f"{work.fillers} {work.filler or 'nop'}"] if work.fillers else []
    return f"{ProbeLabels.read(experiment).probe}: {', '.join(parts)}"


lives.add(Live("core_points", say))
