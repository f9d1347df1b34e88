"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.suites.core_to_core.labels import TransferLabels


def say(experiment: Experiment) -> str:
    """Return 'hand-over between CPU 0 and 3 others'."""
    first, last = experiment.groups[-1].team.cpus
    pairs = len(experiment.groups)
    return f"hand-over between CPU {first} and {f'{pairs} others' if pairs > 1 else f'CPU {last}'}"


def say_transfer(experiment: Experiment) -> str:
    """Return 'lines that are modified, read by CPU 0'."""
    labels = TransferLabels.read(experiment)
    return f"lines that are {labels.state}, read by CPU {labels.reader_cpu}"


lives.add(Live("cache_to_cache", say_transfer))
lives.add(Live("core_to_core", say))
