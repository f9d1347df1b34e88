"""Serialised misses of made streams on our machine of the comparison with ChampSim: their number is known."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from made_flows import END, INTEGER, MAGIC, MOVE, access, block, events, instruction
from scripts import with_neighbours

SCRIPT = Path(__file__).parents[2] / "benchmarks/predict/champsim.py"
LOADS = 4000


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    with with_neighbours(SCRIPT) as module:
        yield module


def serialised(script: ModuleType, folder: Path, *instructions: bytes) -> float:
    """Return the misses of LOADS instructions that load a line each. The first quarter is not timed."""
    words = [word for one in range(LOADS) for word in (0, access(0x100000 + 64 * one))]
    raw = b"".join((MAGIC, block(0, *instructions), events(*words), END))
    stream: Any = sys.modules["independent.stream"]
    path = folder / "made.flow"
    with path.open("wb") as file:
        script.write(stream.read(io.BytesIO(raw)), LOADS // 4 * len(instructions), file)
    return float(script.simulators.tierscope(path, folder).serialised)


def test_each_load_of_a_chain_waits(script: ModuleType, tmp_path: Path) -> None:
    found = serialised(script, tmp_path, instruction(MOVE, address=(0,), writes=(0,), loads=1))
    assert found == pytest.approx(0.75 * LOADS, rel=0.02)
    assert found >= 0.75 * LOADS


def test_sixteen_lines_in_flight_count_as_one(script: ModuleType, tmp_path: Path) -> None:
    found = serialised(script, tmp_path, instruction(MOVE, address=(0,), writes=(1,), loads=1))
    assert found == pytest.approx(0.75 * LOADS / script.machine.LINES, rel=0.1)


def test_the_reorder_buffer_limits_how_many_overlap(script: ModuleType, tmp_path: Path) -> None:
    """A load and 63 other instructions: four loads are in the buffer of 256 at the same time."""
    others = [instruction(INTEGER, writes=(2,))] * 63
    found = serialised(script, tmp_path, instruction(MOVE, address=(0,), writes=(1,), loads=1), *others)
    assert found == pytest.approx(0.75 * LOADS / 4, rel=0.1)
