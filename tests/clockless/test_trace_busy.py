"""The time in which threads of a trace work, added up: without that in which one waits for another."""

from pathlib import Path

import pytest

import made_flows as flows
from flow_replay import machine, replayed
from tierscope.simulated.replay import Traced

WORK, CALL = 1, 2  # blocks
SYSTEM = 20
STEPS, ROUNDS = 500, 40
CPUS = machine().replace("count = 1", "count = 4")


def work(thread: int, *, calls: bool = False) -> bytes:
    """Return steps of a thread that each take the same time; calls: the last one is a call to the system."""
    return flows.events(*[WORK] * STEPS, *([CALL] if calls else []), thread=thread)


def of(folder: Path, *parts: bytes) -> Traced:
    chain = [flows.instruction(flows.INTEGER, data=[0], writes=[0]) for _ in range(50)]
    blocks = flows.block(WORK, *chain) + flows.block(CALL, flows.instruction(SYSTEM))
    (found,) = replayed(folder, [CPUS], blocks, *parts)
    return found


def test_one_thread_works_all_of_its_time(tmp_path: Path) -> None:
    found = of(tmp_path, work(0), flows.gap(200_000), work(0))
    assert found.seconds is not None
    assert found.busy_s == pytest.approx(found.seconds)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_that_work_next_to_each_other_add_up(tmp_path: Path, threads: int) -> None:
    found = of(tmp_path, *(work(thread) for _ in range(ROUNDS) for thread in range(threads)))
    assert found.seconds is not None
    assert found.busy_s / found.seconds == pytest.approx(threads, rel=0.1)


def test_a_thread_that_waits_for_another_does_not_work(tmp_path: Path) -> None:
    """The first one waits in a call to the system until the second one has ended."""
    found = of(tmp_path, work(0, calls=True), *(work(1) for _ in range(ROUNDS)), work(0))
    assert found.seconds is not None
    assert found.threads == 2
    assert found.busy_s / found.seconds == pytest.approx(1, abs=0.1)


def test_gaps_have_the_rate_of_the_parts(tmp_path: Path) -> None:
    parts = [work(thread) for _ in range(ROUNDS) for thread in range(2)]
    found = of(tmp_path, *parts, flows.gap(10_000_000), *parts)
    assert found.seconds is not None
    assert found.busy_s / found.seconds == pytest.approx(2, rel=0.1)
