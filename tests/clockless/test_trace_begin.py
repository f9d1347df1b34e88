"""Machines that time the begin of each part of a trace: the same times as those that time all of it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import made_flows as flows
from flow_replay import machine, replayed
from tierscope.errors import UsageError
from tierscope.simulated.begun import whole
from tierscope.simulated.replay import Traced

CHAIN, LOAD, CHASE = 1, 2, 3  # blocks: a chain of 50 additions; a load; a load that waits for the one before
FILLERS = [flows.instruction(flows.INTEGER, writes=[1])] * 4
STEPS = 4000  # of a part: 204 000 instructions
BEGIN = 51_000
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


def of(folder: Path, *parts: bytes, begin: int = BEGIN, cut: Sequence[str] = (OWN, SLOW, SLOW)) -> list[Traced]:
    """Return what these machines make of it; the last one times begins alone."""
    more = [f",{'begin' if number == len(cut) - 1 else 'knot'}={begin}" for number in range(len(cut))]
    return replayed(folder, cut, BLOCKS, *parts, warm_once=True, more=more)


def test_a_completed_time_is_that_of_all_parts(tmp_path: Path) -> None:
    """Parts differ by how many lines they load, which cost one machine three times what they cost the other."""
    parts = [part(number, lines=16 * 4**number) for number in range(4)]
    trace = [one for number, each in enumerate(parts) for one in ([flows.gap(10**6, 0)] if number else [], [each])]
    stream = [word for words in trace for word in words]
    own, slow, begun = of(tmp_path, *stream)
    assert [count for _, count, _ in own.parts] == [51 * STEPS] * 4
    assert [count for _, count, _ in begun.parts] == [51 * STEPS, *[BEGIN] * 3]
    assert begun.units == 4
    found = whole(begun, own)
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
    own, slow, begun = of(tmp_path, *stream)
    assert begun.phases == slow.phases == own.phases
    gaps = [sum(gap + count for gap, count, _ in one.parts) + one.last_gap for one in (own, begun)]
    assert gaps[0] == gaps[1]
    assert whole(begun, own).last_gap == slow.last_gap


def test_threads_are_timed_as_a_whole(tmp_path: Path) -> None:
    """They take another order on each machine, so that no instruction is the end of a begin on all of them."""
    both = [part(0, 0), part(1, 1), part(2, 0), part(3, 1)]
    own, slow, begun = of(tmp_path, *both, flows.gap(10**6, 0), *both)
    assert begun.threads == 2
    assert begun.parts == slow.parts
    assert whole(begun, own).seconds == pytest.approx(slow.seconds)


def test_a_knot_at_which_a_thread_stops_is_within_its_part(tmp_path: Path) -> None:
    """Its last load has not come when another thread comes to the next knot."""
    loads = flows.events(*[word for n in range(5000) for word in (LOAD, flows.access(AT + 64 * n))])
    own, *_ = of(tmp_path, loads, part(1, 1), begin=5000)
    ((_, count, seconds),) = own.parts
    assert own.knots[0][1] == 5000
    assert [knot[1] for knot in own.knots] == sorted({knot[1] for knot in own.knots})
    assert all(0 < time <= seconds and done <= count for _, done, time in own.knots)


@pytest.mark.parametrize("reorder", [64, 512])
def test_the_reorder_buffer_does_not_bias_the_begin(tmp_path: Path, reorder: int) -> None:
    """Loads wait for each other, so that no core is faster. A large buffer has read ahead of what it has ended."""
    chase = flows.block(CHASE, flows.instruction(flows.MOVE, address=[0], writes=[0]), *FILLERS)
    lines = [AT + 64 * (n * 7919 % 100_000) for n in range(4000)]
    each = flows.events(*[word for line in lines for word in (CHASE, flows.access(line))])
    small, other = (machine(cpu=f"[core]\nwidth = 4\nreorder = {entries}") for entries in (224, reorder))
    own, all_, begun = of(tmp_path, chase, each, flows.gap(10**6, 0), each, begin=5000, cut=(small, other, other))
    assert all_.seconds == pytest.approx(own.seconds, rel=0.002)
    assert whole(begun, own).seconds == pytest.approx(all_.seconds, rel=0.002)


def test_a_trace_that_begins_with_a_gap_has_its_first_part_timed_as_a_whole(tmp_path: Path) -> None:
    own, _, begun = of(tmp_path, flows.gap(10**6, 0), part(0), flows.gap(10**6, 0), part(1))
    assert [count for _, count, _ in begun.parts] == [51 * STEPS, BEGIN]
    assert begun.cut == (1,)
    assert own.cut == ()


@pytest.mark.parametrize("word", ["begin=0", "begin=4999", "knot=x", "begin=5000,cpu.loads=4", "knot=1e6", "begin="])
def test_a_begin_without_a_number_is_refused(tmp_path: Path, word: str) -> None:
    with pytest.raises(UsageError, match="begin=|knot="):
        replayed(tmp_path, [OWN], part(0), more=[f",{word}"])
