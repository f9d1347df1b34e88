"""Machines with the same caches share the warming between timed parts of a trace."""

import subprocess
import tempfile
from pathlib import Path

import pytest

from needs import TRACER
from tierscope.simulated.replay import Traced, replayed
from tierscope.simulated.trace import words_of
from two_memories import LIMIT_S, two_machines

pytestmark = TRACER

KERNELS = Path(__file__).parents[2] / "benchmarks" / "predict" / "kernels.c"
GAPS = "all=200000,skip=300000,warm=200000,unit=100000"
OTHERS = (",core.width=2,core.reorder=64", ",core.reorder=512,cpu.loads=40", ",cache.1.prefetch=none")


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("kernels") / "kernels"
    subprocess.run(["cc", "-O1", "-w", "-o", made, KERNELS], check=True)
    return made


@pytest.mark.parametrize("kernel", ["gather 262144 60000 2", "sorted 60000 0", "tree 20000 10000"])
def test_times_hardly_depend_on_who_warms_the_caches(kernels: Path, tmp_path: Path, kernel: str) -> None:
    """The sets of the caches differ from run to run, as addresses do; the same machine shows by how much."""
    near, far = words_of(two_machines(tmp_path))
    words = [near, far, *(near + other for other in OTHERS)]
    command = [str(kernels), *kernel.split()]

    def traced(*, warm_once: bool) -> tuple[Traced, ...]:
        with tempfile.TemporaryFile() as said:
            return replayed(
                words, command, sampling=GAPS, output=said.fileno(), limit_s=LIMIT_S, warm_once=warm_once
            )  # fmt: skip

    alone, together = (traced(warm_once=once) for once in (False, True))
    for one, other in zip(alone, together, strict=True):
        assert one.units == other.units >= 4
        assert other.seconds == pytest.approx(one.seconds, rel=0.02), one.machine
        assert [gap for gap, _, _ in other.parts] == pytest.approx([gap for gap, _, _ in one.parts], rel=0.01)
