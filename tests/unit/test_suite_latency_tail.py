"""Percentiles of timed batches, where the clock's own time is known: they contain the truth, or there is none."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from made_machine import made_server
from tierscope.plans import suites
from tierscope.record.experiment import Experiment
from tierscope.run.expected import imagine
from tierscope.suites.loaded_latency.table_tails import SHARES, Batches


def plans(**words: str) -> list[Experiment]:
    suite = suites["loaded-latency"]
    asked = {"mixes": "read", "delays": "0", "array": "64MiB"} | words
    return [one for one in imagine(suite.plan(made_server(), suite.read(asked))) if one.table == "latency_tail"]


def made(rng: np.random.Generator, count: int = 300_000, clock_s: float = 20e-9, jitter: float = 0.1) -> Batches:
    """Accesses of 200 ns with an exponential tail of 50 ns; a clock with jitter."""
    clock = clock_s * (1 + jitter * np.abs(rng.normal(size=2 * count)))
    return Batches(clock=clock[:count], chaser=200e-9 + rng.exponential(50e-9, count) + clock[count:])


def truth(share: float) -> float:
    return float(200e-9 - 50e-9 * np.log(1 - share))


def test_no_tail_is_measured_unless_it_is_asked_for() -> None:
    assert plans() == []


def test_the_clock_the_chaser_and_both_alternate_and_a_batch_has_the_accesses_asked_for() -> None:
    first, second = plans(tail="0,1000", tail_hops="4")
    for one, delay in ((first, 0), (second, 1000)):
        assert [group.role for group in one.groups] == ["clock", "chaser", "load"]
        assert one.takes == ((0,), (1,), (1, 2))
        assert [group.workload.per_block for group in one.groups] == [1, 4, 0]
        assert one.groups[0].team == one.groups[1].team
        assert one.groups[2].workload.pace_cycles == delay


@pytest.mark.parametrize("share", SHARES.values())
def test_the_interval_contains_the_truth(share: float) -> None:
    """95 % of 20 runs do by construction, and nearly all do, because the clock's part is a bound."""
    rng = np.random.default_rng(17)
    found = [made(rng, 300_000 if share > 0.999 else 50_000).bounded(share, 0.95)[0] for _ in range(20)]
    known = [one for one in found if one]
    assert len(known) >= 18
    assert sum(one.low <= truth(share) <= one.high for one in known) >= 0.9 * len(known)


def test_percentiles_rise() -> None:
    found = [made(np.random.default_rng(3)).bounded(share, 0.95)[0] for share in SHARES.values()]
    middles = [one.middle for one in found if one]
    assert len(middles) == 5
    assert all(a < b for a, b in pairwise(middles))


@pytest.mark.parametrize(("count", "supported"), [(1_000, 2), (20_000, 3), (300_000, 5)])
def test_few_batches_carry_no_high_percentile(count: int, supported: int) -> None:
    found = [made(np.random.default_rng(5), count).bounded(share, 0.95) for share in SHARES.values()]
    assert sum(one is not None for one, _ in found) >= supported
    assert [bool(one) for one, _ in found] == sorted((bool(one) for one, _ in found), reverse=True)
    assert all(("too few" in why) == (one is None) for one, why in found)


def test_a_clock_as_slow_as_the_access_carries_none() -> None:
    slow = made(np.random.default_rng(7), clock_s=200e-9, jitter=1.0)
    found, why = slow.bounded(0.999, 0.95)
    assert found is None
    assert "the clock alone takes up to" in why


def test_a_percentile_is_as_wide_as_a_step_of_the_clock() -> None:
    exact = made(np.random.default_rng(3))
    coarse = replace(exact, step_s=1 / 24e6)
    (fine, _), (wide, _) = (one.bounded(0.5, 0.95) for one in (exact, coarse))
    assert fine
    assert wide
    assert (wide.low, wide.high) == (pytest.approx(fine.low - 1 / 24e6), pytest.approx(fine.high + 1 / 24e6))
