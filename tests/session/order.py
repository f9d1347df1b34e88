"""The tests that run next to others, and those that have the machine to themselves.

Tests of the folders in CLOCKLESS look at no clock: workers of pytest-xdist share them, a file each. All others look at
a clock, at placement or at counters. One worker runs them, after the rest is done.
"""

from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

CLOCKLESS = ("tests/builds/", "tests/clockless/", "tests/unit/", "tests/catalogue/")  # the longest files begin
ALONE = "alone"
MOST_WORKERS = 8  # each collects all tests: from there on that takes longer than it saves


def rank(nodeid: str) -> int:
    """Return the place of a test in the order: that of its folder in CLOCKLESS, or after them all."""
    return next((place for place, folder in enumerate(CLOCKLESS) if nodeid.startswith(folder)), len(CLOCKLESS))


def beside(nodeid: str) -> bool:
    """Whether this test may run while others do."""
    return rank(nodeid) < len(CLOCKLESS)


def workers(config: pytest.Config, cpus: int) -> int:
    """Return how many workers a run takes: one for each CPU, and none where files are named or one CPU is all."""
    folders = all(Path(argument.partition("::")[0]).is_dir() for argument in config.args)
    return min(cpus, MOST_WORKERS) if folders and cpus > 1 else 0


class Order(LoadScopeScheduling):  # type: ignore[misc]
    """A file at a time to each worker; what must be alone to the first of them, when the others are done."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        config.option.loadscopereorder = False  # the order is that of `rank`, not of the number of tests
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.partition("::")[0] if beside(nodeid) else ALONE

    def _assign_work_unit(self, node: WorkerController) -> None:
        """Give the next file to this worker. The other workers end before the first one gets what must be alone."""
        first, *others = self.nodes
        if next(iter(self.workqueue)) != ALONE:
            super()._assign_work_unit(node)
        elif node is not first:
            node.shutdown()
        elif not any(self._pending_of(self.assigned_work[other]) for other in others):
            super()._assign_work_unit(node)

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """Look at the first worker, too: it may have waited for this test of another one."""
        super().mark_test_complete(node, item_index, duration)
        if self.workqueue and self.nodes:
            self._reschedule(self.nodes[0])
