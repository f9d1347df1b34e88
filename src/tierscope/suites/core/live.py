"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.record.work.code import CodeWork
from tierscope.record.work.loop import LoopWork
from tierscope.suites.core.labels import ProbeLabels
from tierscope.units import show_bytes


def say(experiment: Experiment) -> str:
    """Return 'window: 2 chains, 181 nop'."""
    work = experiment.groups[0].workload.of(LoopWork)
    parts = [f"{work.chains * (1 + work.beside)} lines"] if work.chains and not work.train else []
    parts += [f"{work.train} visits, stride {work.stride}, {work.ahead} ahead"] if work.train else []
    parts += [f"{work.fillers} {work.filler or 'nop'}"] if work.fillers else []
    return f"{ProbeLabels.read(experiment).probe}: {', '.join(parts)}"


def say_code(experiment: Experiment) -> str:
    """Return 'code: 96 KiB, runs of 4 lines'."""
    workload = experiment.groups[0].workload
    work = workload.of(CodeWork)
    runs = f"{work.jumps} jumps in a line" if work.jumps > 1 else f"runs of {work.straight} lines"
    return f"{ProbeLabels.read(experiment).probe}: {show_bytes(workload.footprint_bytes)}, {runs}"


lives.add(Live("core_points", say))
lives.add(Live("core_code", say_code))
