"""A core with small caches over a near and a far memory, and runs that take the simulated time."""

from pathlib import Path

import msgspec

from tierscope.predict.program.anchor import seconds_of
from tierscope.predict.program.native import Native
from tierscope.simulated.replay import Traced
from tierscope.stats.median import Interval

LIMIT_S = 1800.0  # of a trace, on a busy machine
OFTEN = 100  # times that a short program runs, so that it is long enough to be measured
NEAR, FAR = ("flat,memory.flat.read={0}ns,memory.flat.write={0}ns,memory.flat.bandwidth={1}GB/s".format(*memory)
             for memory in ((100, 20), (300, 5)))  # fmt: skip
CACHES = """name = "here"
summary = "a core with small caches"
source = "made"
memories = "{memory}"
[cpu]
count = 4
cycle = "0.3ns"
[pages]
bytes = "4KiB"
[[cache]]
name = "L1d"
size = "32KiB"
ways = 8
latency = "1.2ns"
[[cache]]
name = "L2"
size = "256KiB"
ways = 8
latency = "5ns"
prefetch = "stride"
"""


def two_machines(folder: Path) -> tuple[str, str]:
    """Return this machine and the tier, as words."""
    for name, memory in (("near", NEAR), ("far", FAR)):
        (folder / f"{name}.toml").write_text(CACHES.format(memory=memory))
    return str(folder / "near.toml"), str(folder / "far.toml")


def exactly(traced: Traced) -> Native:
    """Return runs without noise that take the simulated time."""
    time = seconds_of(traced)
    return Native(Interval(time, time, time, 9), Interval(time, time, time, 9), 0.0, 9)


def often(traced: Traced) -> Traced:
    """Return a program that runs OFTEN."""
    parts = tuple((gap, count, OFTEN * time) for gap, count, time in traced.parts)
    knots = tuple((part, count, OFTEN * time) for part, count, time in traced.knots)
    return msgspec.structs.replace(traced, seconds=OFTEN * seconds_of(traced), parts=parts, knots=knots)
