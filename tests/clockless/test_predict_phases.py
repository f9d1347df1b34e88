"""Phases that a program marks itself, and equal parts of its time, on two simulated memories."""

import subprocess
import tempfile
from pathlib import Path

import pytest

from needs import TRACER
from tierscope.predict.program.anchor import anchor
from tierscope.predict.program.phases import Cores, phases
from tierscope.simulated.replay import Traced, replayed
from tierscope.simulated.trace import words_of
from two_memories import LIMIT_S, exactly, often, two_machines

pytestmark = TRACER

CORES = 13  # the own one first
ROUNDS = 4
GAPS = "all=200000,skip=300000,warm=100000,unit=100000"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("phases") / "program"
    source = Path(__file__).with_name("placed_program.c")
    subprocess.run(["cc", "-O1", "-o", made, source], check=True)
    return made


def traced(program: Path, folder: Path, sampling: str) -> tuple[Traced, Traced]:
    words = words_of(two_machines(folder))
    with tempfile.TemporaryFile() as said:
        near, far = replayed(
            words, [str(program), str(ROUNDS)], sampling=sampling, output=said.fileno(), limit_s=LIMIT_S
        )
    return often(near), often(far)


@pytest.mark.parametrize("sampling", ["", GAPS])
def test_a_phase_has_the_ratio_of_what_it_does(program: Path, tmp_path: Path, sampling: str) -> None:
    """A chase waits for the latency, which is 3x there, and takes some time in caches and core."""
    near, far = traced(program, tmp_path, sampling)
    assert [name for name, _ in near.phases] == [*["chase", "stream"] * ROUNDS, "end"]
    assert near.phases == far.phases
    here = anchor(exactly(near), [near] * CORES)
    found = {one.name: one for one in phases(here, [Cores("far", [(near, far)] * CORES, None, None)], 0)}
    assert list(found) == ["begin", "chase", "stream", "end"]
    assert found["chase"].visits == ROUNDS
    assert sum(one.share for one in found.values()) == pytest.approx(1, abs=1e-6)
    (chase,), (stream,) = found["chase"].there, found["stream"].there
    assert chase.ratio is not None
    assert stream.ratio is not None
    if not sampling:
        assert chase.ratio == pytest.approx(2.9, abs=0.15)
        assert 1.5 < stream.ratio < 4  # latencies are 3 to 1, bandwidths 1 to 4
        whole = sum(one.share * (one.there[0].ratio or 0) for one in found.values())
        assert whole == pytest.approx((far.seconds or 0) / (near.seconds or 1), rel=1e-3)
        return
    assert chase.low is not None
    assert chase.high is not None
    assert near.units > 1
    assert chase.low <= 2.9 <= chase.high


def test_parts_of_the_time_are_equal_here(program: Path, tmp_path: Path) -> None:
    near, far = traced(program, tmp_path, "")
    plain = type(near)(**{name: getattr(near, name) for name in near.__struct_fields__} | {"phases": ()})
    found = phases(anchor(exactly(near), [plain] * CORES), [Cores("far", [(plain, far)] * CORES, None, None)], 4)
    assert [one.name for one in found] == ["1 of 4", "2 of 4", "3 of 4", "4 of 4"]
    assert [one.share for one in found] == pytest.approx([0.25] * 4)
    whole = sum(one.share * (one.there[0].ratio or 0) for one in found)
    assert whole == pytest.approx((far.seconds or 0) / (near.seconds or 1), rel=1e-3)
