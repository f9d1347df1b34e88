"""Pairs of reads at random: what they show of memories side by side, and when they show nothing."""

import itertools

import numpy as np
import pytest

from tiers import first
from tierscope.arrays import Floats
from tierscope.stats.pairs import ALONE, HASHED, UNMEASURED, infer_pairs, overlap

ALL = list(itertools.product((0.0, 3e-9, 10e-9, 20e-9, 60e-9, 250e-9), (0.0, 0.03, 0.1)))
"""A wait in seconds, and a noise."""
FEW = [(0.0, 0.0), (10e-9, 0.0), (3e-9, 0.03), (20e-9, 0.03), (250e-9, 0.03), (0.0, 0.1), (10e-9, 0.1), (60e-9, 0.1)]
"""Each wait and each noise is in the first tier."""


def seeds(count: int) -> list[object]:
    """Return the first seed, and others for the slow tests."""
    return [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, count))]


def times(ways: int, wait_s: float, seed: int, *, noise: float = 0.04, count: int = 6000) -> tuple[Floats, Floats]:
    """Times of single reads of 300 ns, and of pairs. One pair in `ways` waits for `wait_s`."""
    rng = np.random.default_rng(seed)
    alone, pair = np.full(count, 300e-9), 302e-9 + wait_s * (rng.random(count) < 1 / ways)
    late = rng.random((2, count)) < 0.005
    both = np.array([alone, pair]) * np.exp(rng.normal(0, noise, (2, count))) + late * rng.exponential(3e-6, (2, count))
    return both[0], both[1]


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("ways", [1, 2, 3, 4, 6, 9, 12])
def test_the_number_of_memories_is_in_the_range(ways: int, seed: int) -> None:
    found = infer_pairs(*times(ways, 120e-9, seed), overlapped=True)
    assert found.one == (ways == 1)
    if ways > 1:
        assert found.several is not None
        low, _, high = found.several
        assert low - 0.05 <= ways <= high + 0.05


@pytest.mark.parametrize("seed", seeds(4))
@pytest.mark.parametrize(("wait_s", "noise"), first(len(FEW), [*FEW, *(case for case in ALL if case not in FEW)]))
def test_several_memories_are_never_one_and_one_is_never_several(wait_s: float, noise: float, seed: int) -> None:
    many = infer_pairs(*times(2, wait_s, seed, noise=noise), overlapped=True)
    single = infer_pairs(*times(1, wait_s, seed, noise=noise), overlapped=True)
    assert not many.one
    assert single.several is None


def test_a_wait_that_is_too_short_shows_nothing() -> None:
    for ways in (1, 4):
        found = infer_pairs(*times(ways, 5e-9, 1, noise=0.1), overlapped=True)
        assert not found.one
        assert found.several is None


def test_a_processor_that_does_not_overlap_reads_shows_nothing() -> None:
    alone, pair = times(1, 290e-9, 5)
    found = infer_pairs(alone, pair, overlapped=False)
    assert not found.one
    assert "overlap" in found.doubt(1)


def test_reads_from_a_cache_show_whether_the_processor_overlaps_them() -> None:
    one, cost = np.full(100, 20e-9), 15e-9
    assert overlap(one, np.full(100, 24e-9), cost)
    assert not overlap(one, np.full(100, 95e-9), cost)
    assert not overlap(np.zeros(0), one, cost)


def test_times_of_another_shape_show_nothing() -> None:
    rng = np.random.default_rng(7)
    alone = 300e-9 * np.exp(rng.normal(0, 0.02, 5000))
    found = infer_pairs(alone, 300e-9 * np.exp(rng.uniform(0, 0.7, 5000)), overlapped=True)
    assert not found.one
    assert found.several is None


def test_doubt_names_the_hash_unless_pairs_show_one_memory() -> None:
    one, many = (infer_pairs(*times(ways, 120e-9, 3), overlapped=True) for ways in (1, 4))
    assert one.doubt(1) == ""
    assert HASHED in many.doubt(1)
    assert "4 memories" in many.doubt(1)
    assert many.doubt(4) == ""
    assert one.doubt(4) == ALONE
    assert "not timed" in UNMEASURED.doubt(1)
    assert UNMEASURED.doubt(4) == ""
