"""Machines that time the begin of each part of a trace: the same times as those that time all of it."""

from pathlib import Path

import pytest

import made_flows as flows
from flow_replay import machine, replayed
from tierscope.simulated.begun import begin, completed
from tierscope.simulated.replay import Traced

CHAIN, LOAD = 1, 2  # blocks: a chain of 50 additions, and a load
STEPS = 4000  # of a part: 204 000 instructions
AT = 0x100000
OWN, SLOW = machine(cpu="[core]\nwidth = 4"), machine(cpu="[core]\nwidth = 1", read_ns=300)
BLOCKS = flows.block(CHAIN, *[flows.instruction(flows.INTEGER, data=[0], writes=[0]) for _ in range(50)]) + flows.block(
    LOAD, flows.instruction(flows.MOVE, address=[0], writes=[0])
)


def part(number: int, thread: int = 0, lines: int = 0) -> bytes:
    """Return steps of a thread, with loads of this number of its own lines; 0: of others each time."""
    words = []
    for step in range(STEPS):
        words += [CHAIN, LOAD, flows.access(AT + 64 * (number * STEPS + (step % lines if lines else 0)))]
    return flows.events(*words, thread=thread)


def of(folder: Path, *parts: bytes, begun: tuple[int, ...]) -> list[Traced]:
    """Return what machines of OWN, SLOW and OWN make of it; begun: those that time begins alone."""
    machines = [OWN, SLOW, SLOW]
    more = [begin("", 100_000) if number in begun else "" for number in range(len(machines))]
    return replayed(folder, machines, BLOCKS, *parts, warm_once=True, more=more)


def test_a_completed_time_is_that_of_all_parts(tmp_path: Path) -> None:
    """Parts differ by how many lines they load, which cost one machine three times what they cost the other."""
    parts = [part(number, lines=16 * 4**number) for number in range(4)]
    trace = [one for number, each in enumerate(parts) for one in ([flows.gap(10**6, 0)] if number else [], [each])]
    stream = [word for words in trace for word in words]
    own, slow, begun = of(tmp_path, *stream, begun=(2,))
    assert [count for _, count, _ in own.parts] == [51 * STEPS] * 4
    assert [count for _, count, _ in begun.parts] == [51 * STEPS, *[125_000] * 3]
    assert begun.units == 4
    found = completed(begun, own)
    assert [one[:2] for one in found.parts] == [one[:2] for one in slow.parts]
    assert found.seconds == pytest.approx(slow.seconds, rel=0.1)
    assert own.seconds != pytest.approx(slow.seconds, rel=0.3)


def test_instructions_are_counted_where_they_are_not_timed(tmp_path: Path) -> None:
    stream = [
        part(0),
        flows.phase(b"one"),
        flows.gap(10**6, 100),
        part(1),
        flows.phase(b"two"),
        flows.gap(500, 0),
        part(2),
    ]
    own, whole, begun = of(tmp_path, *stream, begun=(2,))
    assert begun.phases == whole.phases == own.phases
    gaps = [sum(gap + count for gap, count, _ in one.parts) + one.last_gap for one in (own, begun)]
    assert gaps[0] == gaps[1]
    assert completed(begun, own).last_gap == whole.last_gap


def test_threads_are_timed_as_a_whole(tmp_path: Path) -> None:
    """They take another order on each machine, so that no instruction is the end of a begin on all of them."""
    both = [part(0, 0), part(1, 1), part(2, 0), part(3, 1)]
    own, whole, begun = of(tmp_path, *both, flows.gap(10**6, 0), *both, begun=(2,))
    assert begun.threads == 2
    assert begun.parts == whole.parts
    assert completed(begun, own).seconds == pytest.approx(whole.seconds)
