"""The family of latency under load on simulated memories with hidden parameters, by the real core."""

import random
from pathlib import Path

import numpy as np
import pytest

from tiers import first
from tierscope.models.loaded_family import MOST
from tierscope.plans import suites
from tierscope.record.result import load
from tierscope.run import start
from tierscope.suites.loaded_latency.row import LoadedLatencyRow
from tierscope.tables import tables

WORDS = {
    "mixes": "read,mix_3r1w_nt,mix_1r1w_nt,write_nt",
    "delays": "0,4000,5000,6500,9000,15000,30000,100000",
    "budget": "0.01",
    "visits": "1",
    "array": "1MiB",
}
NEAR_THE_PEAK = 0.8


def loads(folder: Path, seed: int) -> list[LoadedLatencyRow]:
    draw = random.Random(seed)
    read, rate = draw.uniform(60, 250), draw.uniform(12, 30)
    memory = f"memory.flat.read={read:.0f}ns,memory.flat.write={read:.0f}ns,memory.flat.bandwidth={rate:.1f}GB/s"
    options = suites["loaded-latency"].read(WORDS | {"target": f"sim:flat,{memory}"})
    directory, manifest = start.begin("loaded-latency", options, "", ("tierscope",), folder / "run")
    start.execute(directory, manifest)
    return [row for row in tables["loaded_latency"].rows(load(directory)) if row.load_threads]


@pytest.mark.parametrize("seed", first(1, [1, 2, 3]))
def test_twelve_loads_give_all_others(tmp_path: Path, seed: int) -> None:
    rows = loads(tmp_path, seed)
    most: dict[float | None, float] = {}
    for row in rows:
        most[row.read_share] = max(most.get(row.read_share, 0.0), row.bandwidth.middle if row.bandwidth else 0.0)
    assert sum(row.model is None for row in rows if row.conclusive) <= MOST
    off, inside = [], []
    for row in rows:
        if row.model and row.latency and row.bandwidth and row.conclusive:
            inside.append(row.model.low <= row.latency.middle <= row.model.high)
            if row.bandwidth.middle < NEAR_THE_PEAK * most[row.read_share]:
                off.append(abs(row.model.middle / row.latency.middle - 1))
    assert len(off) >= 8
    assert np.mean(off) < 0.06
    assert np.mean(inside) > 0.75
