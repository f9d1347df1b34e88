"""The live line of a run."""

from tierscope.plans.live import Live, lives
from tierscope.record.experiment import Experiment
from tierscope.suites.tlb.labels import TlbLabels

LAYOUTS = {"pages": "a page apart", "lines": "side by side", "parts": "a part of a page apart"}


def say(experiment: Experiment) -> str:
    """Return '64 lines a page apart, 4k'."""
    labels = TlbLabels.read(experiment)
    return f"{labels.touched} lines {LAYOUTS[labels.layout]}, {experiment.groups[-1].target.pages}"


lives.add(Live("tlb", say))
