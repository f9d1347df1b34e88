"""The live line of a run."""

from tierscope.plans.live import Live, lives, plainly, written
from tierscope.record.experiment import Experiment
from tierscope.tables.policy_found import COMBINING, INTERLEAVE, MIGRATION

TEXTS = {
    INTERLEAVE: "lines stored every {}",
    MIGRATION: "single writes to {}",
    COMBINING: "lines stored in fresh regions of {}",
}
"""The texts by table; {} is a size."""


def say(experiment: Experiment) -> str:
    """Return 'single writes to 256 KiB'."""
    if experiment.groups[-1].role != "writer":
        return plainly(experiment)
    return written(experiment, TEXTS[experiment.table])


for table in TEXTS:
    lives.add(Live(table, say))
