"""The live line of a run, and the line of a plan."""

from tierscope.plans.live import Live, lives, plainly
from tierscope.record.experiment import Experiment
from tierscope.suites.groups.labels import GroupsLabels


def say(experiment: Experiment) -> str:
    """Return the label and the groups, or only the groups without a label: 'copy with reads: copy, read, 1 thread'."""
    label = GroupsLabels.read(experiment).label
    return f"{label}: {plainly(experiment)}" if label else plainly(experiment)


lives.add(Live("groups", say))
