"""Percentiles of timed batches, where the clock's own time is known: they contain the truth, or there is none."""

from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from made_machine import made_server
from tierscope.plans import suites
from tierscope.record.experiment import Experiment
from tierscope.run.expected import imagine
from tierscope.stats.median import Interval
from tierscope.stats.visits import pool
from tierscope.suites.loaded_latency import table_tails
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


def of_visits(
    monkeypatch: pytest.MonkeyPatch, visits: list[Batches], hz: float, hops: int = 1
) -> tuple[Interval | None, Interval | None]:
    """Return the median of one access, and that of the clock, of these visits."""

    def pooled(_: object, record: Any, what: str, of: Callable[[Any], Interval | None]) -> Interval | None:
        found = [one for number in range(len(visits)) if (one := of(SimpleNamespace(**vars(record), number=number)))]
        whole = pool(found, None, 0.95)
        return whole.interval if whole else found[0]

    schedule = SimpleNamespace(confidence=0.95)
    record: Any = SimpleNamespace(clock=SimpleNamespace(hz=hz), experiment=SimpleNamespace(schedule=schedule))
    monkeypatch.setattr(table_tails, "over_visits", pooled)
    monkeypatch.setattr(table_tails, "batches_of", lambda _, visit, take: visits[visit.number])
    monkeypatch.setattr(table_tails, "_hops", lambda _: hops)
    run: Any = None
    return table_tails._percentile(run, record, 1, 0.5), table_tails._clock(run, record, 0.5)


@pytest.mark.parametrize("hops", [1, 4])
def test_a_difference_of_times_is_off_by_two_steps_however_many_visits_there_are(
    monkeypatch: pytest.MonkeyPatch, hops: int
) -> None:
    step, nothing = 1 / 24e6, np.zeros(5000)
    chaser, clock = of_visits(monkeypatch, [Batches(nothing, nothing + 250e-9)] * 9, 24e6, hops)
    assert chaser
    assert (chaser.low, chaser.high) == (
        pytest.approx((250e-9 - 2 * step) / hops), pytest.approx((250e-9 + 2 * step) / hops)
    )  # fmt: skip
    assert clock
    assert (clock.low, clock.middle, clock.high) == (0, 0, pytest.approx(step))


def test_a_median_that_may_be_nothing_is_inconclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = np.zeros(5000)
    none, _ = of_visits(monkeypatch, [Batches(nothing, nothing)] * 3, 24e6)
    assert none
    assert (none.low, none.middle, none.high) == (0, 0, pytest.approx(2 / 24e6))
    for found, reason in ((none, "the median may be 0, as the clock steps by 41.7 ns"), (None, "too few")):
        assert table_tails._reasons(found, "too few", 1 / 24e6)[0].startswith(reason)
    assert table_tails._reasons(Interval(1e-9, 2e-9, 3e-9, 9), "", 1 / 24e6) == ()
