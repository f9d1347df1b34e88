"""Random persistent-memory DIMMs that need not be as the probers expect.

This file was written before its author had read the fits, and states what hardware could be, not what is found. Drawn
evenly where nothing else is stated, sizes and times by their logarithm:
  - buffers      0 to 3 of 2 KiB to 512 MiB each, any multiple of the unit; one in four is only 1.1x to 2x the one
                 before; four units or more
  - units        64 B to 64 KiB, half of them powers of two, the others any multiple of 64 B; none smaller than before
  - replacement  lru, clock, fifo, random
  - sets         half of the buffers have one set, the others sets of 2 to 32 ways, with a plain or a hashed index
  - times        10 to 400 ns for each buffer, 20 to 600 ns for the medium, 10 to 40 ns for the processor's caches
  - memories     half of the devices have one memory, the others 2 to 12, 64 B to 64 KiB each, half of them in a hashed
                 order. One in six devices is four memories of 64 to 256 B each, without buffers and with a queue of at
                 most one line: they take four lines in the time of one, as a queue that joins them does
  - medium       units of 64 B to 2 KiB, half of them 256 B; a write takes 150 to 500 ns
  - queue        0 to 128 lines
  - migration    half of the devices, as in `devices`; of units of 1 to 256 units of the medium, of one in a third
  - write buffer one in three devices with buffers has units of the medium in the nearest one, which then merges writes
  - noise        as in `devices`
With several memories, the unit drawn divides the grain. A unit that is cut among memories has no size that a region
shows, so that no answer to it is right or wrong.
"""

import math

import numpy as np

from tierscope.suites.closed_loop.device import HASH, PLAIN, Buffer, Device, Migration
from tierscope.suites.closed_loop.drawn import drawn, drawn_time
from tierscope.units import LINE_BYTES, KiB, MiB

POLICIES = ("lru", "clock", "fifo", "random")
NOISELESS = 1 / 3  # share of devices
TWIN = 0.25  # share of buffers that are hardly larger than the one before
CHANNELS = 1 / 6  # share of devices that are four memories and nothing else
LEAST, MOST = 2 * KiB, 512 * MiB  # of a buffer
LEAST_UNITS, MOST_UNITS = 4, 1 << 20
LARGEST_UNIT = 64 * KiB
MOST_WAYS, MOST_ENTRIES = 12, 128


def draw(seed: int, number: int, most_noise: float) -> Device:
    """Return device `number` of a seed; the same at every call."""
    random = np.random.default_rng([seed, number, 17])
    ways, grain = 1, 4 * KiB
    channels = random.random() < CHANNELS
    if channels:
        ways, grain = 4, LINE_BYTES << int(random.integers(0, 3))
    elif random.random() < 0.5:
        ways, grain = int(random.integers(2, MOST_WAYS + 1)), LINE_BYTES << int(random.integers(0, 11))
    media = 256 if random.random() < 0.5 else LINE_BYTES << int(random.integers(0, 6))
    joins = random.random() < 1 / 3
    return Device(
        seed=number,
        path_s=drawn_time(random, 10, 40),
        buffers=() if channels else _buffers(random, grain if ways > 1 else LARGEST_UNIT, media if joins else 0),
        read_s=drawn_time(random, 20, 600),
        write_s=drawn_time(random, 150, 500),
        entries=int(random.integers(0, 2 if channels else MOST_ENTRIES + 1)),
        ways=ways,
        grain_bytes=grain,
        migration=_migration(random, media) if random.random() < 0.5 else None,
        noise=0.0 if random.random() < NOISELESS else round(float(random.uniform(0, most_noise)), 2),
        media_bytes=media,
        order=HASH if ways > 1 and random.random() < 0.5 else PLAIN,
    )


def _buffers(random: np.random.Generator, grain: int, joined: int) -> tuple[Buffer, ...]:
    """Return random buffers.

    grain: what units must divide; joined: unit of the nearest one, 0 for any.
    """
    units = sorted(_unit(random, grain) for _ in range(int(random.integers(0, 4))))
    if units and 0 < joined <= grain:
        units = [joined, *(max(unit, joined) for unit in units[1:])]
    sizes = sorted(drawn(random, LEAST, MOST) for _ in units)
    for place in range(1, len(sizes)):
        if random.random() < TWIN:
            sizes[place] = sizes[place - 1] * random.uniform(1.1, 2)
    return tuple(_buffer(random, size, unit) for size, unit in zip(sizes, units, strict=True))


def _buffer(random: np.random.Generator, size: float, unit: int) -> Buffer:
    places = min(max(round(size / unit), LEAST_UNITS), MOST_UNITS)
    ways = 0 if random.random() < 0.5 else int(random.integers(2, 33))
    if ways > places // 2:
        ways = 0
    if ways:
        places -= places % ways
    return Buffer(
        size_bytes=places * unit,
        unit_bytes=unit,
        latency_s=drawn_time(random, 10, 400),
        policy=str(random.choice(POLICIES)),
        ways=ways,
        index=HASH if ways and random.random() < 0.5 else PLAIN,
    )


def _unit(random: np.random.Generator, grain: int) -> int:
    """Return a unit that divides the grain, a power of two; or, with one memory, any multiple of a line."""
    most = min(grain, LARGEST_UNIT)
    power = LINE_BYTES << int(random.integers(0, int(math.log2(most // LINE_BYTES)) + 1))
    if grain < LARGEST_UNIT or random.random() < 0.5:
        return power
    return LINE_BYTES * round(drawn(random, 1, most // LINE_BYTES))


def _migration(random: np.random.Generator, media: int) -> Migration:
    return Migration(
        writes=round(drawn(random, 2000, 50_000)),
        unit_bytes=media if random.random() < 1 / 3 else media << int(random.integers(1, 9)),
        stall_s=drawn_time(random, 5_000, 200_000),
        jitter=round(float(random.uniform(0, 0.15)), 3),
    )
