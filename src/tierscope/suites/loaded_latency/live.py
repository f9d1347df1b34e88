"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment


def say(experiment: Experiment) -> str:
    """Return 'read beside a chase, delay 200', or 'idle latency'."""
    work = experiment.groups[-1].workload
    return f"{work.kernel} beside a chase, delay {work.pace_cycles}" if len(experiment.groups) > 1 else "idle latency"


def say_tail(experiment: Experiment) -> str:
    """Return 'tail of latency, read with delay 0'."""
    return f"tail of latency, {experiment.labels['mix']} with delay {experiment.labels['delay_cycles']}"


lives.add(Live("latency_tail", say_tail))
lives.add(Live("loaded_latency", say))
