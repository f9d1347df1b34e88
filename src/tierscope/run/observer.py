"""The reports of a run while it is running. The default prints nothing; the CLI draws them."""

from tierscope.record.experiment import Experiment
from tierscope.record.result import Record
from tierscope.stats.judged import Judged


class Observer:
    """A subclass may leave any method unchanged."""

    def planned(self, experiments: int, seconds: float) -> None:
        """How many experiments there will be, and about how long they take."""

    def started(self, experiment: Experiment, number: int) -> None:
        """Set-up of an experiment begins."""

    def measured(self, experiment: Experiment, found: Judged) -> None:
        """Some batches more; `found` judges all so far."""

    def finished(self, record: Record, found: Judged, resumed: bool) -> None:
        """The record is on disk; `resumed` if it was there before."""
