"""The live line of a run."""

from tierscope.plans.live import Live, lives, plainly, written
from tierscope.record.experiment import Experiment
from tierscope.stats.pairs import PairLabels
from tierscope.tables.policy_found import COMBINING, INTERLEAVE, MIGRATION, PAIRS

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


def say_reads(experiment: Experiment) -> str:
    """Return 'reads that start together: 2'."""
    return f"reads that start together: {PairLabels.read(experiment).reads}"


lives.add(Live(PAIRS, say_reads))
for table in TEXTS:
    lives.add(Live(table, say))
