"""The live line of a run."""

from tierscope.plans.live import Live, lives, threads_of
from tierscope.record.experiment import Experiment


def say(experiment: Experiment) -> str:
    """Return 'insert of 100000 keys, hashmap_tx, 1 thread'."""
    work = experiment.groups[-1].workload
    return f"{work.operation} of {work.count} keys, {work.kernel}, {threads_of(experiment)}"


lives.add(Live("maps", say))
