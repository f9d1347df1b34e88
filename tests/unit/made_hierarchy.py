"""Random hierarchies of caches whose truth is known, and the staircase that a walk over them would show.

Hits of a cyclic walk by kind of replacement, as `test_stats_levels` has them; what misses one level goes to the next.
In addition to caches there are page walks, which are not a cache: a share of accesses that misses the TLB adds a walk.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats, Truths
from tierscope.stats.levels_doubt import Known
from tierscope.units import GiB, KiB, MiB

Hits = Callable[[Floats, float], Floats]
Random = np.random.Generator


def least_recent(footprint: Floats, capacity: float) -> Floats:
    """Cyclic walk, least recently used is replaced: all or nothing."""
    return np.where(footprint <= capacity, 1.0, 0.0)


def uniform(footprint: Floats, capacity: float) -> Floats:
    """Uniform draws: the share that fits."""
    return np.minimum(1.0, capacity / footprint)


def at_random(footprint: Floats, capacity: float) -> Floats:
    """Cyclic walk, random replacement: h = exp(-(1 - h) footprint / capacity)."""
    hits = np.zeros_like(footprint)
    for _ in range(500):
        hits = np.exp(-(1 - hits) * footprint / capacity)
    return np.where(footprint <= capacity, 1.0, hits)


def uneven(footprint: Floats, capacity: float) -> Floats:
    """Sets filled unevenly: some miss long before the cache is full."""
    return 1 / (1 + (footprint / capacity) ** 6)


def shared(footprint: Floats, capacity: float) -> Floats:
    """Neighbours take a varying part: half to twice the capacity, uniform draws."""
    return np.mean([uniform(footprint, capacity * 2**part) for part in np.linspace(-1, 1, 21)], axis=0)


@dataclass(frozen=True)
class Hierarchy:
    """`caches`: capacity, latency and kind of hits, nearest first; `walk`: reach of the TLB, seconds of a walk."""

    caches: tuple[tuple[float, float, Hits], ...]
    memory_s: float
    reported_bytes: float
    walk: tuple[float, float] | None = None
    small_pages: bool = False

    def seconds(self, sizes: Floats) -> Floats:
        total, missing = np.zeros_like(sizes), np.ones_like(sizes)
        for capacity, latency, hits in self.caches:
            share = hits(sizes, capacity)
            total += missing * share * latency
            missing = missing * (1 - share)
        total += missing * self.memory_s
        if self.walk is not None:
            reach, walk_s = self.walk
            total += walk_s * (1 - uniform(sizes, reach))
        return total

    @property
    def known(self) -> Known:
        return Known(small_pages=self.small_pages, reported_bytes=self.reported_bytes)


@dataclass(frozen=True)
class Curve:
    """The measurements of a hierarchy."""

    truth: Hierarchy
    sizes: Floats
    latency_s: Floats
    spread: Floats
    sure: Truths


def _log(rng: Random, low: float, high: float) -> float:
    return float(low * (high / low) ** rng.random())


def _kind(rng: Random) -> Hits:
    return (least_recent, at_random, uneven)[rng.integers(3)]


def _l1(rng: Random) -> tuple[float, float, Hits]:
    return float(rng.choice([32, 48, 64, 128])) * KiB, _log(rng, 0.8e-9, 2e-9), _kind(rng)


def _l2(rng: Random) -> tuple[float, float, Hits]:
    return float(rng.choice([0.25, 0.5, 1, 1.25, 2, 3])) * MiB, _log(rng, 3e-9, 6e-9), _kind(rng)


def two_levels(rng: Random) -> Hierarchy:
    """No third level."""
    second = _l2(rng)
    return Hierarchy((_l1(rng), second), _log(rng, 70e-9, 160e-9), second[0])


def three_levels(rng: Random) -> Hierarchy:
    """A server."""
    third = _log(rng, 8 * MiB, 128 * MiB)
    walls = (_l1(rng), _l2(rng), (third, _log(rng, 12e-9, 60e-9), _kind(rng)))
    return Hierarchy(walls, _log(rng, 90e-9, 250e-9), third)


def small_slice(rng: Random) -> Hierarchy:
    """A guest that gets a part of a large cache, barely more than its second level, which neighbours share."""
    first, second = _l1(rng), _l2(rng)
    third = second[0] * _log(rng, 1.5, 8), _log(rng, 20e-9, 70e-9), shared
    return Hierarchy((first, second, third), _log(rng, 100e-9, 200e-9), float(rng.choice([32, 105, 260])) * MiB)


def victim(rng: Random) -> Hierarchy:
    """A last level that contains what the second one drops: the chip serves the sum of both."""
    first, second = _l1(rng), _l2(rng)
    third = second[0] + _log(rng, 1 * MiB, 64 * MiB)
    return Hierarchy((first, second, (third, _log(rng, 15e-9, 50e-9), _kind(rng))), _log(rng, 80e-9, 200e-9), third)


def crowded(rng: Random) -> Hierarchy:
    """Levels so near to each other that no plateau is there."""
    caches, size, latency = [], 32.0 * KiB, 1e-9
    for _ in range(int(rng.integers(3, 6))):
        caches.append((size, latency, shared if rng.random() < 0.5 else _kind(rng)))
        size, latency = size * _log(rng, 1.3, 3), latency * _log(rng, 1.5, 3)
    return Hierarchy(tuple(caches), latency * 2, size)


def huge_fourth(rng: Random) -> Hierarchy:
    """A cache next to the memory that the system does not report."""
    inner = three_levels(rng)
    fourth = _log(rng, 256 * MiB, 1 * GiB), inner.memory_s, _kind(rng)
    return Hierarchy((*inner.caches, fourth), inner.memory_s * _log(rng, 1.3, 3), inner.reported_bytes)


def walked(rng: Random) -> Hierarchy:
    """Page walks of large pages in a guest."""
    inner = three_levels(rng)
    reach = float(rng.choice([64, 128, 1024])) * MiB
    walk = reach, inner.memory_s * _log(rng, 0.02, 0.33)
    return Hierarchy(inner.caches, inner.memory_s, inner.reported_bytes, walk)


def walked_small(rng: Random) -> Hierarchy:
    """Page walks of small pages, which no large page avoids."""
    inner = three_levels(rng) if rng.random() < 0.5 else small_slice(rng)
    reach = float(rng.choice([0.25, 6, 8, 512])) * MiB
    walk = reach, min(inner.memory_s * _log(rng, 0.1, 1.5), reach / MiB * 10e-9)
    return Hierarchy(inner.caches, inner.memory_s, inner.reported_bytes, walk, small_pages=True)


SHAPES = (two_levels, three_levels, small_slice, victim, crowded, huge_fourth, walked, walked_small)


def measured(rng: Random, truth: Hierarchy) -> Curve:
    """Some footprints, noise of some size, a few points that are disturbed, inconclusive or missing."""
    per_octave = int(rng.choice([1, 2, 2, 2, 4]))
    low, high = 4 * KiB, float(rng.choice([8 * MiB, 64 * MiB, 512 * MiB, 512 * MiB, 2 * GiB, 2 * GiB]))
    sizes = low * 2 ** (np.arange(int(np.log2(high / low) * per_octave) + 1) / per_octave) // 64 * 64
    noise = float(rng.choice([0.0, 0.005, 0.01, 0.02, 0.05]))
    latency = truth.seconds(sizes) * np.exp(rng.normal(0, noise, sizes.size))
    disturbed = rng.random(sizes.size) < rng.choice([0.0, 0.0, 0.05])
    latency[disturbed] *= np.exp(rng.uniform(0, 0.4, sizes.size))[disturbed]
    sure = rng.random(sizes.size) >= rng.choice([0.0, 0.0, 0.1, 1.0])
    there = rng.random(sizes.size) >= rng.choice([0.0, 0.0, 0.1])
    spread = np.full(sizes.size, noise / 2 + 0.002)
    return Curve(truth, sizes[there], latency[there], spread[there], sure[there])
