"""The grid of the contours: many memories replay one real trace, and the time follows latency and bandwidth."""

import subprocess
from pathlib import Path

import pytest

from made import Maker, add_latency, add_stream
from made_machine import made_machine
from needs import TRACER
from tierscope.predict.program.grid import BANDWIDTHS, LATENCIES
from tierscope.predict.program.machines import LARGE_PAGE, places
from tierscope.predict.program.replays import replay_words

FOLDER = Path(__file__).parents[2] / "benchmarks" / "predict"

pytestmark = TRACER


def test_one_trace_gives_the_whole_grid_and_the_time_follows_latency_and_bandwidth(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "run")
    add_latency(maker)
    add_stream(maker, ("read",))
    run = maker.save("latency", made_machine(2))
    machines = tmp_path / "machines"
    machines.mkdir()
    here = places([run], ["read=500ns,bandwidth=8GB/s"], machines, LARGE_PAGE, contours=True)
    assert len(here.grid) == LATENCIES * BANDWIDTHS
    program = tmp_path / "kernels"
    subprocess.run(["cc", "-O1", "-w", "-o", program, FOLDER / "kernels.c"], check=True)
    words = [place.words[0] for place in (here.own, *here.grid)]
    found, _ = replay_words([str(program), "gather", "262144", "20000", "2"], words, 600, user_s=0.0)
    seconds = {(place.over, place.bandwidth_over): found[place.words[0]].seconds for place in here.grid}
    latencies, bandwidths = (sorted({key[axis] or 0.0 for key in seconds}) for axis in (0, 1))
    assert latencies[0] == pytest.approx(1.0, rel=1e-4)
    for width in bandwidths:
        over = [seconds[x, width] or 0.0 for x in latencies]
        assert over == pytest.approx(sorted(over), rel=5e-3)
        assert over[-1] > over[0]
    for x in latencies:
        along = [seconds[x, width] or 0.0 for width in bandwidths]
        assert along == pytest.approx(sorted(along, reverse=True), rel=5e-3)
    own = found[words[0]].seconds
    assert seconds[latencies[0], bandwidths[-1]] == pytest.approx(own, rel=0.02)
