"""Small models of what `run policy` looks for, drawn at random: interleaved memories, migrations, a combining queue."""

from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats, Integers, Truths
from tierscope.stats.combining import UNITS
from tierscope.stats.interleave import share
from tierscope.units import LINE_BYTES

Random = np.random.Generator

WAYS = tuple(range(1, 13))
INTERRUPTS, INTERRUPT_S = 250.0, 3e-6  # per second of a shared machine, as core/simulate/noise.cpp
STEALS, STEAL_S, KNOWN = 5.0, 2e-3, 0.9
JITTER = 0.01


@dataclass(frozen=True)
class Overwritten:
    """Region 0 of `unit` bytes and more is written 256 bytes at a time; the votes of one place decide."""

    writes: int
    unit: int
    stall_s: float
    jitter: float = 0.0
    write_s: float = 250e-9

    def take(self, rng: Random, region: int, count: int, scale: float) -> tuple[Floats, Truths]:
        """(seconds, clean) of shape (count,)."""
        seconds = np.full(count, self.write_s)
        if self.writes and region <= self.unit:
            at = 0.0
            while (at := at + self.writes * (1 + self.jitter * rng.uniform(-1, 1))) < count:
                seconds[int(at)] += self.stall_s
        return noisy(rng, seconds, scale)


def noisy(rng: Random, seconds: Floats, scale: float) -> tuple[Floats, Truths]:
    """The series of a shared machine with this noise, and the moments without a known disturbance."""
    seen = seconds * np.exp(scale * JITTER * rng.normal(size=seconds.size))
    clean = np.ones(seconds.size, dtype=bool)
    hit = rng.random(seconds.size) < scale * INTERRUPTS * seconds
    seen[hit] += rng.exponential(INTERRUPT_S, hit.sum())
    stolen = rng.random(seconds.size) < scale * STEALS * seconds
    seen[stolen] += rng.exponential(STEAL_S, stolen.sum())
    clean[stolen] = rng.random(stolen.sum()) >= KNOWN
    return seen, clean


def timer(rng: Random, count: int, every: int, length_s: float) -> Floats:
    """Writes under the ticks of a timer, which come in step wherever one writes."""
    seconds = np.full(count, 250e-9)
    seconds[int(rng.integers(every)) :: every] += length_s
    return seconds


def strides() -> Integers:
    """As the suite takes them, all at the same time."""
    return np.array([odd << power for odd in (1, 3, 5, 7, 9, 11) for power in range(7, 22) if odd << power <= 1 << 21])


def bandwidth(rng: Random, ways: int, grain: int, *, slack: float = 1.0, scale: float = 0.0) -> tuple[Floats, Floats]:
    """(at each stride, at its control): one memory gives 2e9 bytes/s, the processor asks for all over `slack`."""
    most = 2e9 * ways / slack
    shares = np.array([share(int(stride), ways, grain) for stride in strides()])
    jitter = np.exp(rng.normal(0, 0.01 * scale, size=(2, shares.size)))
    own = np.minimum(most, 2e9 * ways * shares) * np.exp(rng.normal(0, 0.02, shares.size))
    return own * jitter[0], most * jitter[1]


def written(rng: Random, regions: Floats, entries: int, unit_lines: int, drain_s: float, start_s: float) -> Floats:
    """Seconds per line over fresh regions of the very queue: a FIFO, the oldest takes its neighbours along."""
    return np.array(
        [
            max(drain_s * drained(rng, int(region) // LINE_BYTES, entries, unit_lines), start_s * LINE_BYTES / region)
            for region in regions
        ]
    )


def drained(rng: Random, lines: int, entries: int, unit_lines: int, least: int = 3000) -> float:
    """Drains per line of a queue that is full all the time."""
    queue: dict[int, int] = {}  # unit -> lines; in the order of the first
    held = drains = total = 0
    for region in range(max(2 + 4 * entries // lines, -(-least // lines))):
        for line in region * lines + rng.permutation(lines):
            total += 1
            if entries == 0:
                drains += 1
                continue
            if held == entries:
                held -= queue.pop(next(iter(queue)))
                drains += 1
            unit = int(line) // unit_lines
            queue[unit] = queue.get(unit, 0) + 1
            held += 1
    return (drains + len(queue) * (entries > 0)) / total


__all__ = ["UNITS", "WAYS", "Overwritten", "bandwidth", "drained", "noisy", "strides", "timer", "written"]
