"""The cache that arrays must exceed, from staircases that do not end flat."""

from collections.abc import Sequence

import pytest

from made_machine import made_machine
from tierscope.plans.sizes import BELIEVED, TIMES_CACHE, array, find_cache, shows_memory
from tierscope.units import GiB, KiB, MiB

NEAR = (4, 5, 8, 11, 16, 22, 32, 44, 64, 92, 128, 180, 256, 364, 512, 724, 1024, 1448, 2048, 2896, 4096, 5792, 8192)
FAR = (11584, 16384, 23172, 32768, 46340, 65536, 131072, 262144, 524288, 1048576, 1966080)
FOOTPRINTS_KIB = NEAR + FAR

IN_CACHES = [1.2] * 8 + [4.4] + [4.5] * 5 + [5.0, 4.9, 5.0, 5.2, 16.3, 31.3, 34.4, 34.6, 35.6, 38.4, 67.6, 81.8]
SLOW_HOST = [*IN_CACHES, 141.6, 146.4, 154.2, 157.3, 163.4, 171.0, 181.8, 223.6]
"""Measured on a guest that was given its memory at 10 s per GB: latency still rises at the largest footprint."""


def staircase(latencies_ns: Sequence[float]) -> dict[int, float]:
    return {size * KiB: one * 1e-9 for size, one in zip(FOOTPRINTS_KIB, latencies_ns, strict=True)}


def test_memory_that_rises_up_to_the_end_is_not_a_cache_that_nobody_reports() -> None:
    machine = made_machine(2)
    found = find_cache(machine, staircase(SLOW_HOST))
    assert found == 16 * MiB
    assert array(machine, None, (0,)).array_bytes == TIMES_CACHE * 480 * MiB
    assert array(machine, found, (0,)).array_bytes == BELIEVED


def test_memory_that_ends_flat_is_found_as_before() -> None:
    found = find_cache(made_machine(2), staircase([*IN_CACHES, *[150.0] * 8]))
    assert found
    assert 11 * MiB < found < 46 * MiB


def test_only_a_step_of_latency_shows_that_the_largest_footprint_is_memory() -> None:
    """A guest with 480 MiB of cache, a part of it far: 36 ns up to 11 MiB, 50 ns beyond that."""
    machine, far = made_machine(2), staircase([*IN_CACHES[:-2], *[50.0] * 9, 60.0])
    assert shows_memory(machine, staircase(SLOW_HOST), find_cache(machine, staircase(SLOW_HOST)))
    assert not shows_memory(machine, far, find_cache(machine, far))
    assert not shows_memory(machine, far, None)


def test_a_level_of_page_walks_is_not_the_last_cache() -> None:
    walks = [1.2] * 8 + [4.5] * 6 + [6.0] * 5 + [36.0] * 7 + [40.0 * 1.2**place for place in range(8)]
    assert find_cache(made_machine(2), staircase(walks)) is None


@pytest.mark.parametrize("step", [1.2, 1.6, 2.0])
def test_page_walks_in_the_last_cache_are_not_memory(step: float) -> None:
    """All of it may still be in the cache that is reported."""
    walks = [38.0 * step * (1 + 0.03 * octave) for octave in range(8)] + [38.0 * step * rise for rise in (1.45, 1.9)]
    assert find_cache(made_machine(2), staircase([*IN_CACHES[:-2], *walks])) is None


def test_a_cache_that_ends_beyond_the_largest_footprint_is_not_found() -> None:
    rising = [5.0 * 1.25**point for point in range(len(FOOTPRINTS_KIB) - 16)]
    assert find_cache(made_machine(2), staircase([*IN_CACHES[:16], *rising])) is None
    assert find_cache(made_machine(2), {1 * GiB: 1e-7}) is None
