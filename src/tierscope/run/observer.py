"""The reports of a run while it is running. The default prints nothing; the CLI draws them."""

from tierscope.record.experiment import Experiment
from tierscope.record.result import Record
from tierscope.stats.judged import Judged


class Observer:
    """A subclass may leave any method unchanged."""

    def planned(self, experiments: int, seconds: float) -> None:
        """Take the number of experiments, and about how many seconds they take."""

    def started(self, experiment: Experiment, number: int) -> None:
        """Take note that set-up of an experiment begins."""

    def measured(self, experiment: Experiment, found: Judged) -> None:
        """Take some batches more; `found` judges all so far."""

    def finished(self, record: Record, found: Judged, resumed: bool) -> None:
        """Take note that the record is on disk; `resumed` if it was there before."""
