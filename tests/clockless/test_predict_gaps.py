"""Gaps that state the lines of their last part alone, as those of a long program: the bounds contain the whole program.

A program makes ROUNDS rounds, each a part that is timed and one that the gap leaves out, but for STATED instructions.
Most of its loads are of the same lines. The others show what a gap may do to the last cache, which has 64 lines.
"""

from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path

import msgspec
import pytest

import made_flows as flows
from flow_replay import LINE, LINES, loads, machine, replayed
from tierscope.predict.program.anchor import anchor
from tierscope.predict.program.answer import answer
from tierscope.predict.program.cold import doubt
from tierscope.predict.program.native import Native
from tierscope.simulated.replay import Traced
from tierscope.stats.median import Interval

pytestmark = pytest.mark.slow

ROUNDS, TIMED, LEFT_OUT, STATED = 100, 1000, 9000, 100
EACH = 300  # loads of the same lines for each other one
SAME = [0x10000 + LINE * n for n in range(32)]
CLOCKS = (0.3, 0.301, 0.302, 0.303, 0.304)  # ns
HERE, THERE, AT_ONCE = 100, 300, 0  # ns
REPEATED = 1000  # a program of less than 10 ms is not predicted


def others(kind: str) -> Iterator[int]:
    """Yield the other lines, of all rounds.

    `new`: each round has 24 lines of its own, which fit the cache together with the same ones. `swept`: 65 lines, one
    after the other, which do not fit. After two rounds, most of those that are timed come again.
    """
    for number in range(ROUNDS):
        for turn in range((LEFT_OUT + TIMED) // EACH):
            at = 24 * number + turn % 24 if kind == "new" else (turn + number * 33) % 65
            yield 0x100000 + LINE * at


def addresses(kind: str) -> list[int]:
    """Return those of all loads. A round begins in what the gap leaves out."""
    same, other = cycle(SAME), others(kind)
    return [next(same) if n % EACH else next(other, SAME[0]) for n in range(ROUNDS * (LEFT_OUT + TIMED))]


def sampled(every: Sequence[int]) -> Iterator[bytes]:
    """Yield a part of the first loads, and then gaps and parts."""
    yield loads(every[:TIMED])
    for start in range(0, len(every), LEFT_OUT + TIMED):
        stated = start + LEFT_OUT - STATED
        begin = TIMED if start == 0 else 0
        yield flows.gap(LEFT_OUT - STATED - begin)
        yield flows.lines(*every[stated : stated + STATED])
        yield flows.gap(STATED, 0, STATED)
        yield loads(every[start + LEFT_OUT : start + LEFT_OUT + TIMED])


def times_of(folder: Path, *parts: bytes) -> dict[tuple[int, float], Traced]:
    """Return the times of the cores on three memories."""
    keys = [(read, clock) for read in (HERE, THERE, AT_ONCE) for clock in CLOCKS]
    machines = [
        machine(cpu=f'cycle = "{clock}ns"', ways=LINES, read_ns=read, bandwidth="100GB/s") for read, clock in keys
    ]
    found = replayed(folder, machines, *parts)
    return dict(zip(keys, map(repeated, found), strict=True))


def repeated(one: Traced) -> Traced:
    assert one.seconds is not None
    parts = tuple((gap, count, REPEATED * time) for gap, count, time in one.parts)
    return msgspec.structs.replace(one, seconds=REPEATED * one.seconds, parts=parts)


@pytest.mark.parametrize("kind", ["new", "swept"])
def test_bounds_contain_what_a_long_gap_did_to_the_last_cache(tmp_path: Path, kind: str) -> None:
    every = addresses(kind)
    truth, found = times_of(tmp_path, loads(every)), times_of(tmp_path, *sampled(every))
    time, there = (truth[read, CLOCKS[0]].seconds or 0.0 for read in (HERE, THERE))
    exact = Interval(time, time, time, 9)
    here, far = ([found[read, clock] for clock in CLOCKS] for read in (HERE, THERE))
    unsure = doubt(here[0], LINES)
    made = anchor(Native(exact, exact, 0.0, 9), here, instant=found[AT_ONCE, CLOCKS[0]], doubt=unsure)
    told = answer("far", made, far, None, None, None)
    assert told.unknown == ""
    assert told.low is not None
    assert told.high is not None
    assert told.ratio != pytest.approx(there / time, rel=0.02), "else the gaps do not matter"
    assert told.low <= there / time <= told.high
