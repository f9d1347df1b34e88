"""Phases of a program: what is in gaps, within parts, and what is not known."""

import io

import pytest
from rich.console import Console

from tierscope.predict.program.answer import SIZES, Anchor, anchor
from tierscope.predict.program.native import Native
from tierscope.predict.program.phases import BEGIN, MOST, OTHERS, Cores, phases
from tierscope.predict.program.text_phases import show
from tierscope.simulated.replay import Traced
from tierscope.stats.median import Interval

M = 1_000_000
Part = tuple[int, int, float]


def of(*parts: Part, marks: tuple[tuple[str, int], ...] = (), knots: tuple[tuple[int, int, float], ...] = (),
       last_gap: int = 0, seconds: float | None = None) -> Traced:  # fmt: skip
    traced = sum(count for _, count, _ in parts)
    gaps = sum(gap for gap, _, _ in parts) + last_gap
    return Traced(machine="sim:m", instructions=traced, untraced_instructions=gaps, loads=1, stores=1, counters={},
                  seconds=seconds or sum(time for *_, time in parts), parts=parts, phases=marks, knots=knots,
                  last_gap=last_gap, ended=0)  # fmt: skip


def here(own: Traced, measured: float | None = None) -> Anchor:
    time = measured or own.seconds or 0.0
    return anchor(Native(Interval(time, time, time, 9), Interval(time, time, time, 9), 0.0, 9), [own] * SIZES)


def test_a_phase_within_a_part_is_known_by_its_knots() -> None:
    marks, knots = (("fast", 0), ("slow", M)), ((0, M, 0.2),)
    own = of((0, 2 * M, 1.0), marks=marks, knots=knots)
    far = of((0, 2 * M, 2.8), marks=marks, knots=((0, M, 0.4),))
    fast, slow = phases(here(own), [Cores("far", [(own, far)] * SIZES, None, None)], 0)
    assert (fast.name, slow.name) == ("fast", "slow")
    assert (fast.share, fast.seconds) == pytest.approx((0.2, 0.2))
    assert fast.there[0].ratio == pytest.approx(2.0)
    assert slow.there[0].ratio == pytest.approx(3.0)
    assert (slow.there[0].low, slow.there[0].high) == pytest.approx((3.0, 3.0))


def test_a_gap_is_shared_by_the_phases_in_it_and_widens_their_bounds() -> None:
    marks = (("second", 2 * M),)  # in the middle of a gap of 2 million between two units of a million
    own = of((0, M, 0.5), (2 * M, M, 0.5), marks=marks, seconds=2.0)
    far = of((0, M, 1.0), (2 * M, M, 2.0), marks=marks, seconds=6.0)
    first, second = phases(here(own), [Cores("far", [(own, far)] * SIZES, None, None)], 0)
    assert (first.name, first.share) == (BEGIN, pytest.approx(0.5))
    assert first.there[0].ratio == pytest.approx((1.0 + 1.5) / 1.0)
    assert second.there[0].ratio == pytest.approx((2.0 + 1.5) / 1.0)
    low, high = first.there[0].low, first.there[0].high
    assert (low, high) == pytest.approx((2.5 - 2 * 1.0 / 2**0.5, 2.5 + 2 * 1.0 / 2**0.5))


def test_bounds_are_the_range_of_all_cores_and_shares_those_of_the_own_one() -> None:
    own, small = of((0, M, 1.0)), of((0, M, 1.0))
    far, far_small = of((0, M, 2.0)), of((0, M, 2.5))
    cores = Cores("far", [*[(own, far)] * SIZES, (small, far_small)], of((0, M, 1.5)), of((0, M, 0.5)))
    (one,) = phases(here(own), [cores], 1)
    assert (one.there[0].ratio, one.there[0].low, one.there[0].high) == pytest.approx((2.0, 2.0, 2.5))
    assert (one.there[0].latency_share, one.there[0].bandwidth_share) == pytest.approx((0.5, 0.25))


def test_one_more_core_of_a_phase_counts_each_size_once_and_needs_all_three() -> None:
    own = of((0, M, 1.0))
    sizes = [(own, of((0, M, time))) for time in (2.0, 2.1, 2.2)]
    reach = 2.92 * 0.1 * (1 + 1 / 3) ** 0.5  # t with two degrees of freedom at 95 % on one side, for one more
    for others in (0, 2):  # variants of the own core
        (one,) = phases(here(own), [Cores("far", [*sizes, *sizes[:1] * others], None, None)], 1)
        assert (one.there[0].low, one.there[0].high) == pytest.approx((2.1 - reach, 2.1 + reach), rel=0.002)
    (one,) = phases(here(own), [Cores("far", sizes[:2], None, None)], 1)
    assert (one.there[0].ratio, one.there[0].low) == (None, None)


def test_parts_of_the_time_are_equal_where_nothing_is_marked() -> None:
    own = of((0, M, 0.2), (0, M, 0.8))
    found = phases(here(own), [Cores("far", [(own, own)] * SIZES, None, None)], 4)
    assert [one.share for one in found] == pytest.approx([0.25] * 4)
    assert all(one.there[0].ratio == pytest.approx(1) for one in found)


def test_visits_of_one_name_are_one_phase_and_many_names_are_few() -> None:
    marks = tuple((f"{i % 100}", i * 1000) for i in range(200))
    own = of((0, M, 1.0), marks=marks)
    found = phases(here(own), [], 0)
    assert len(found) == MOST + 1
    assert found[0].visits == 2
    assert found[-1].name == OTHERS
    assert sum(one.share for one in found) == pytest.approx(1)


def test_a_phase_of_an_unknown_anchor_has_a_share_alone() -> None:
    own = of((0, M, 1.0), marks=(("all", 0),))
    (one,) = phases(here(own, 9.0), [Cores("far", [(own, of((0, M, 2.0)))] * SIZES, None, None)], 0)
    assert (one.share, one.seconds, one.there[0].ratio) == (pytest.approx(1), None, None)
    said = io.StringIO()
    show([one], Console(file=said, width=120))
    assert "all 100.0% not known not known" in " ".join(said.getvalue().split())
    assert one.row()["tiers"][0]["ratio"] is None


def test_phases_are_a_table() -> None:
    own = of((0, M, 1.0), marks=(("sort", 0), ("sort", 500_000)))
    cores = Cores("far", [(own, of((0, M, 2.0)))] * SIZES, of((0, M, 1.5)), of((0, M, 0.5)))
    said = io.StringIO()
    show(phases(here(own), [cores], 0), Console(file=said, width=160))
    text = " ".join(said.getvalue().split())
    assert "sort (2 times) 100.0% 1 s 2.00x (2.00 to 2.00): 50% misses, 25% bandwidth" in text
