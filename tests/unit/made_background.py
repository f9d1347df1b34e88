"""A machine whose memory is slower next to a load, and on which others cause traffic while it is watched."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from fake_core import FakeCore, put_in_place, speed
from tierscope.cli.main import main
from tierscope.errors import Exit
from tierscope.record.experiment import Group
from tierscope.record.result import Run, load

FULL = 30e9  # bytes/s at which an access waits for ever
WAIT = 0.15  # of an access at half of it, over idle
WATCH = "prepare chase+busy"
WORDS = ("budget=0.3", "duration=2s", "delays=0,150,500,2000", "mixes=read,write", "array=2GiB", "cpus=0,1")


class Memory:
    """others: bytes/s while the memory is watched; core: how many times slower the core itself is then.

    watch: the number of the watch; the first one of a run that measures the curve is the moment before it.
    """

    def __init__(self, fake: FakeCore, others: float, core: float, watch: int) -> None:
        self._fake, self._others, self._core, self._watch = fake, others, core, watch

    def __call__(self, group: Group, ran: Sequence[Group]) -> float:
        prepared = [line for line in self._fake.log if line.startswith("prepare")]
        watched = prepared[-1] == WATCH and prepared.count(WATCH) >= self._watch
        slower = self._core if watched else 1.0
        if group.workload.kernel != "chase":
            return slower
        load = sum(64 * speed(one) * (2 if one.workload.kernel == "write" else 1) for one in ran if one is not group)
        return slower * over_idle(load + self._others * watched)


def over_idle(load: float) -> float:
    """Return how many times longer an access takes next to a load, bytes/s on the bus."""
    used = min(load / FULL, 0.95)
    return 1 + WAIT * used / (1 - used)


def background_run(directory: Path, others: float = 8e9, core: float = 1.0, *words: str) -> Run:
    """A whole run on the fake core."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        fake = put_in_place(FakeCore(noise=lambda group: 0.003), monkeypatch)
        fake.slow = Memory(fake, others, core, 1 if any(word.startswith("curve=") for word in words) else 2)
        status = main(["run", "background", *WORDS, *words, "--out", str(directory), "--quiet"])
    assert status in (Exit.GOOD, Exit.INCONCLUSIVE), f"run background on the fake core: status {status}"
    return load(directory)
