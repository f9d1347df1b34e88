"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.suites.loaded_latency.labels import TailLabels


def say(experiment: Experiment) -> str:
    """Return the mix with its delay, or 'idle latency'."""
    work = experiment.groups[-1].workload
    return f"{work.kernel} with a chase, delay {work.pace_cycles}" if len(experiment.groups) > 1 else "idle latency"


def say_tail(experiment: Experiment) -> str:
    """Return 'tail of latency, read with delay 0'."""
    labels = TailLabels.read(experiment)
    return f"tail of latency, {labels.mix} with delay {labels.delay_cycles}"


lives.add(Live("latency_tail", say_tail))
lives.add(Live("loaded_latency", say))
