"""A run of `response` on a fake core whose memory slows down by a stated law, and whose program answers by another."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from fake_core import FakeCore, put_in_place
from tierscope.cli.main import main
from tierscope.errors import Exit
from tierscope.record.experiment import Group
from tierscope.record.result import Run, load
from tierscope.stats.contrast import VICTIM


@dataclass(frozen=True)
class Answering:
    """share: of the program's time that grows with latency; most: latency under the full load over the idle one."""

    share: float = 0.6
    most: float = 2.0
    task_s: float = 0.4
    bend: float = 0.0  # quadratic

    def over(self, delay: int) -> float:
        """Return the latency over that without a load."""
        return 1 + (self.most - 1) / (1 + delay / 500)

    def slowdown(self, over: float) -> float:
        """Return the time over that without a load."""
        return 1 + self.share * (over - 1) + self.bend * (over - 1) ** 2

    def slow(self, group: Group, ran: Sequence[Group]) -> float:
        """Return how many times longer an operation of the group takes."""
        over = max((self.over(one.workload.pace_cycles) for one in ran if one.role == "load"), default=1.0)
        if group.role == VICTIM:
            return self.slowdown(over)
        return over if group.workload.kernel in ("chase", "read") else 1.0

    def core(self) -> FakeCore:
        """Return the core."""
        return FakeCore(slow=self.slow, task=lambda group: self.task_s, noise=lambda group: 0.004)


def response_run(directory: Path, *words: str, made: Answering | None = None) -> Run:
    """Return the run of the suite with these options."""
    given = words or ("victim=cmd ./solve in.txt",)
    with pytest.MonkeyPatch.context() as monkeypatch:
        put_in_place((made or Answering()).core(), monkeypatch)
        status = main(["run", "response", *given, "visits=1", "budget=1s", "--out", str(directory), "--quiet"])
    assert status in (Exit.GOOD, Exit.INCONCLUSIVE), f"status {status}"
    return load(directory)
