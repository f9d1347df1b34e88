"""Random persistent-memory DIMMs as the authors of the probers imagined them (see `strangers` for others).

Unless noted, the draw is even; sizes and times are drawn by their logarithm.

* buffers: 0 to 3, of 4 KiB to 64 MiB over all memories, each at least 4x the one before.
* capacities: three in five are powers of two, the others 1.5, 1.25 or 1.75 times one.
* units: 128 B to 8 KiB, none smaller than before, 8 or more of them in a buffer.
* times: 20 to 400 ns for each buffer, 50 to 600 ns more for the medium, 10 to 40 ns for the processor's caches.
* memories: one of three devices has one, the others have 2 to 12, interleaved by 256 B to 64 KiB.
* queue: 0 to 128 lines; a write to the medium takes 150 to 500 ns, more than the controller allows through.
* migration: half of the devices, after 2000 to 50 000 writes to 4 to 256 KiB, for 5 to 200 us.
* jitter: the number of writes until a migration scatters by up to 15 %.
* noise: one of three devices has none, the others up to the requested scale; 1 is a shared machine.

A unit is never larger than the grain, because no region can show a unit that is divided among memories. Units of single
lines are also left out, because no line of a fresh region is read twice (`stats.buffers` does not detect them).
Source of the ranges: published DIMMs are well inside (`reference`); the draw is ours.
"""

import itertools
import math

import numpy as np

from tierscope.suites.closed_loop.device import Buffer, Device, Migration, parse
from tierscope.suites.closed_loop.drawn import drawn, drawn_time
from tierscope.units import LINE_BYTES, KiB, MiB

__all__ = ["Buffer", "Device", "Migration", "draw", "parse"]
ODD = (1.5, 1.25, 1.75)
ROUND = 0.6  # share of capacities that are powers of two
APART = 4  # least factor on the capacity of the buffer before
ENTRIES = 8  # units in a buffer at least
MOST_WAYS, MOST_ENTRIES = 12, 128
PLAIN = 1 / 3  # share of devices of one memory, and of those without noise


def draw(seed: int, number: int, most_noise: float) -> Device:
    """Return device `number` of a seed; the same at every call."""
    random = np.random.default_rng([seed, number])
    count = int(random.integers(0, 4))
    ways = 1 if random.random() < PLAIN else int(random.integers(2, MOST_WAYS + 1))
    grain = 256 << int(random.integers(0, 9))
    buffers = _buffers(random, count, ways, grain if ways > 1 else 64 * KiB)
    return Device(
        seed=number,
        path_s=drawn_time(random, 10, 40),
        buffers=buffers,
        read_s=drawn_time(random, 50, 600),
        write_s=drawn_time(random, 150, 500),
        entries=int(random.integers(0, MOST_ENTRIES + 1)),
        ways=ways,
        grain_bytes=grain,
        migration=_migration(random) if random.random() < 0.5 else None,
        noise=0.0 if random.random() < PLAIN else round(float(random.uniform(0, most_noise)), 2),
    )


def _buffers(random: np.random.Generator, count: int, ways: int, largest: int) -> tuple[Buffer, ...]:
    """Return buffers, drawn until they can be built."""
    while True:
        sizes = sorted(_size(random, ways) for _ in range(count))
        exponents = random.integers(1, int(math.log2(min(largest, 8 * KiB) // LINE_BYTES)) + 1, count)
        widths = [LINE_BYTES << int(step) for step in sorted(exponents)]
        apart = all(far >= APART * near for near, far in itertools.pairwise(sizes))
        built = all(size % unit == 0 and size >= ENTRIES * unit for size, unit in zip(sizes, widths, strict=True))
        if apart and built and all(4 * KiB <= size * ways <= 64 * MiB for size in sizes):
            times = [drawn_time(random, 20, 400) for _ in sizes]
            return tuple(Buffer(*one) for one in zip(sizes, widths, times, strict=True))


def _size(random: np.random.Generator, ways: int) -> int:
    """Return the size of a buffer in one of the memories."""
    power = 2.0 ** math.floor(random.uniform(math.log2(4 * KiB / ways), math.log2(64 * MiB / ways) + 1))
    return int(power if random.random() < ROUND else power * random.choice(ODD))


def _migration(random: np.random.Generator) -> Migration:
    return Migration(
        writes=round(drawn(random, 2000, 50_000)),
        unit_bytes=4 * KiB << int(random.integers(0, 7)),
        stall_s=drawn_time(random, 5_000, 200_000),
        jitter=round(float(random.uniform(0, 0.15)), 3),
    )
