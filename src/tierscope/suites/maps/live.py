"""The live line of a run."""

from tierscope.plans.live import Live, lives, threads_of
from tierscope.record.experiment import Experiment
from tierscope.record.work.key import KeyedWork


def say(experiment: Experiment) -> str:
    """Return 'insert of 100000 keys, hashmap_tx, 1 thread'."""
    asked = experiment.groups[-1].workload
    work = asked.of(KeyedWork)
    return f"{work.operation} of {work.count} keys, {asked.kernel}, {threads_of(experiment)}"


lives.add(Live("maps", say))
