"""Made memories under load, with hidden parameters that the model `loaded_family` does not assume."""

import numpy as np

from made import Maker, Teamwork, made_facts, one_group
from tierscope.arrays import Floats
from tierscope.units import GiB

SHARES = np.round(np.linspace(0, 1, 11), 2)
PARTS = np.array([0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0])
Points = tuple[Floats, Floats, Floats]
"""Shares of reads, bandwidths in bytes/s, latencies in s."""
MIXES = ((1.0, "none"), (0.75, "nt"), (0.5, "nt"), (0.0, "nt"), (0.5, "plain"), (0.25, "plain"), (0.0, "plain"))
"""Shares of the program's bytes that are read, and stores."""


def memory(seed: int, noise: float = 0.0, shares: Floats = SHARES, parts: Floats = PARTS) -> Points:
    """Idle latency, rates of reads and of writes, the cost of turning between both, and the queue are drawn."""
    draw = np.random.default_rng(seed)
    idle, reads, writes, turn = draw.uniform(70e-9, 400e-9), 1 / 100e9, draw.uniform(1, 2.5) / 100e9, draw.uniform(0, 1)
    height, power, slack = draw.uniform(0.05, 0.3), draw.uniform(1, 3), draw.uniform(0.05, 0.3)
    every, part = (a.ravel() for a in np.meshgrid(shares, parts, indexing="ij"))
    peak = 1 / (every * reads + (1 - every) * writes + turn * reads * every * (1 - every))
    latency = idle * (1 + height * part**power / (1 + slack - part))
    return every, part * peak, latency * draw.normal(1, noise, every.size)


def add_loads(maker: Maker, seed: int, parts: Floats = PARTS) -> None:
    """Loads of MIXES, without the chaser alone: non-temporal stores on that memory, plain ones on the next one."""
    for share, store in MIXES:
        _, bandwidth, latency = memory(seed + (store == "plain"), shares=np.array([share]), parts=parts)
        for number, (rate, time) in enumerate(zip(bandwidth, latency, strict=True)):
            groups = (one_group("chase", (0,), GiB, role="chaser"), one_group("mix", (1,), GiB, role="load"))
            facts = (made_facts(groups[0]), made_facts(groups[1], store=store))
            labels = {"read_share": share, "store": store, "delay_cycles": number, "load_threads": 1}
            work = (Teamwork((1 / time,), noise=0.005), Teamwork((rate / 64,), noise=0.005))
            maker.add("loaded_latency", labels, groups, work, facts=facts)
