"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment


def say(experiment: Experiment) -> str:
    """Return 'watching node:0 from CPU 0'."""
    group = experiment.groups[0]
    return f"watching {group.target.word} from CPU {group.team.cpus[0]}"


lives.add(Live("background", say))
