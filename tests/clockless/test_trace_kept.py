"""A last cache that others use loses lines by the time of a replay, in one part, over gaps, and in phases."""

from pathlib import Path

import pytest

import made_flows as flows
from flow_replay import LINE, loads, machine, replayed

pytestmark = pytest.mark.slow

LINES = [0x100000 + LINE * n for n in range(512)]  # more than the nearest cache has
OTHERS = [0x10000000 + LINE * n for n in range(40_000)]  # 4 ms
COMPUTE = flows.block(1, *[flows.instruction(flows.INTEGER) for _ in range(64)])
SLACK = 16  # lines at either end


def compute(blocks: int) -> bytes:
    return flows.events(*([1] * blocks))


def gap(lines: list[int], instructions: int) -> list[bytes]:
    """Return a gap that states its lines, in chunks of 64."""
    chunks = [flows.lines(*lines[n : n + 64]) for n in range(0, len(lines), 64)]
    return [flows.gap(0), *chunks, flows.gap(instructions, 0, instructions)]


def folders(tmp_path: Path) -> Path:
    for number in "01":
        (tmp_path / number).mkdir(exist_ok=True)
    return tmp_path


def lost(folder: Path, *parts: bytes, keep: str = "1ms", warm_once: bool = False) -> int:
    """Return the further reads from memory of a machine with `keep`. warm_once: behind another machine."""
    reads = []
    for number, word in enumerate(("", f'keep = "{keep}"')):
        machines = [machine(last="8MiB", ways=16, more=word)] * (2 if warm_once else 1)
        *_, one = replayed(folder / str(number), machines, COMPUTE, *parts, warm_once=warm_once)
        reads.append(one.counters["dram.reads"])
    return round(reads[1] - reads[0])


def test_a_part_that_takes_long_loses_its_first_lines(tmp_path: Path) -> None:
    assert lost(folders(tmp_path), loads(LINES + OTHERS + LINES)) >= len(LINES) - SLACK
    assert lost(folders(tmp_path), loads(LINES + OTHERS[:4000] + LINES)) == 0  # 0.4 ms


def test_a_gap_takes_the_time_of_the_phase_that_it_is_in(tmp_path: Path) -> None:
    """A hundred million instructions of computing come first. The gap of 100,000 loads takes some 10 ms."""
    parts = (
        compute(100), flows.gap(10**8, 0, 10**8), compute(100), flows.gap(0), loads(LINES + OTHERS[:6000]),
        flows.gap(10**5, 0, 10**5), loads(LINES),
    )  # fmt: skip
    assert lost(folders(tmp_path), *parts) >= len(LINES) - SLACK


def test_a_gap_of_computing_behind_a_slow_phase_loses_nothing(tmp_path: Path) -> None:
    """It takes some 8 us. A mean over the whole program would make it 1 ms or more."""
    parts = (
        loads(OTHERS[:8000]), flows.gap(10**7, 0, 10**7), loads(OTHERS[8000:16000]), flows.gap(0), compute(200),
        loads(LINES), compute(200), flows.gap(10**5, 0, 10**5), compute(100), loads(LINES),
    )  # fmt: skip
    assert lost(folders(tmp_path), *parts) == 0


@pytest.mark.parametrize("first", [1, 100, 20_000])
@pytest.mark.parametrize("warm_once", [False, True])
def test_lines_of_a_gap_are_never_dated_beyond_the_gap_before(tmp_path: Path, first: int, *, warm_once: bool) -> None:
    """The gap before had few lines, and this one has many in a few instructions. Then come 24 ms of computing."""
    more = [0x40000000 + LINE * n for n in range(1000)]
    parts = [
        compute(100), *gap(OTHERS[:first], 10**7), compute(100), *gap(more + LINES, 10**5),
        *(part for _ in range(3) for part in (compute(100), *gap([], 10**8))), compute(100), loads(LINES),
    ]  # fmt: skip
    assert lost(folders(tmp_path), *parts, warm_once=warm_once) >= len(LINES) - SLACK


def test_lines_of_the_first_instructions_have_the_same_clock(tmp_path: Path) -> None:
    parts = (loads(LINES), compute(200), flows.gap(10**6, 0, 10**6), compute(100), loads(LINES))
    assert lost(folders(tmp_path), *parts, keep="30us") >= len(LINES) - SLACK
