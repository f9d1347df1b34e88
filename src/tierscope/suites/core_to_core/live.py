"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment


def say(experiment: Experiment) -> str:
    """Return 'hand-over between CPU 0 and 3 others'."""
    first, last = experiment.groups[-1].team.cpus
    pairs = len(experiment.groups)
    return f"hand-over between CPU {first} and {f'{pairs} others' if pairs > 1 else f'CPU {last}'}"


lives.add(Live("core_to_core", say))
