"""Phases of a program: what is in gaps, within parts, and what is not known."""

import io

import pytest
from rich.console import Console

from tierscope.predict.program.anchor import Anchor, Lineup, anchor
from tierscope.predict.program.native import Native
from tierscope.predict.program.phases import BEGIN, MOST, OTHERS, Cores, phases
from tierscope.predict.program.text_phases import show
from tierscope.simulated.replay import Traced
from tierscope.stats.median import Interval

M = 1_000_000
CORES = 13  # the own one first
T5, T11 = 2.015, 1.796  # of Student, 95 % on one side, with five and with eleven degrees of freedom
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
    return anchor(Native(Interval(time, time, time, 9), Interval(time, time, time, 9), 0.0, 9), [own] * CORES)


def test_a_phase_within_a_part_is_known_by_its_knots() -> None:
    marks, knots = (("fast", 0), ("slow", M)), ((0, M, 0.2),)
    own = of((0, 2 * M, 1.0), marks=marks, knots=knots)
    far = of((0, 2 * M, 2.8), marks=marks, knots=((0, M, 0.4),))
    fast, slow = phases(here(own), [Cores("far", [(own, far)] * CORES, None, None)], 0)
    assert (fast.name, slow.name) == ("fast", "slow")
    assert (fast.share, fast.seconds) == pytest.approx((0.2, 0.2))
    assert fast.there[0].ratio == pytest.approx(2.0)
    assert slow.there[0].ratio == pytest.approx(3.0)
    assert (slow.there[0].low, slow.there[0].high) == pytest.approx((3.0, 3.0))


def test_a_gap_is_shared_by_the_phases_in_it_and_widens_their_bounds() -> None:
    marks = (("second", 2 * M),)  # in the middle of a gap of 2 million between two units of a million
    own = of((0, M, 0.5), (2 * M, M, 0.5), marks=marks, seconds=2.0)
    far = of((0, M, 1.0), (2 * M, M, 2.0), marks=marks, seconds=6.0)
    first, second = phases(here(own), [Cores("far", [(own, far)] * CORES, None, None)], 0)
    assert (first.name, first.share) == (BEGIN, pytest.approx(0.5))
    assert first.there[0].ratio == pytest.approx((1.0 + 1.5) / 1.0)
    assert second.there[0].ratio == pytest.approx((2.0 + 1.5) / 1.0)
    low, high = first.there[0].low, first.there[0].high
    reach = T11 * (1.0 / 2**0.5) * (1 + 1 / 12) ** 0.5
    assert (low, high) == pytest.approx((2.5 - reach, 2.5 + reach), rel=0.002)


def test_shares_of_a_phase_are_those_of_the_own_core() -> None:
    own = of((0, M, 1.0))
    cores = Cores("far", [(own, of((0, M, 2.0)))] * CORES, of((0, M, 1.5)), of((0, M, 0.5)))
    (one,) = phases(here(own), [cores], 1)
    assert (one.there[0].ratio, one.there[0].low, one.there[0].high) == pytest.approx((2.0, 2.0, 2.0))
    assert (one.there[0].latency_share, one.there[0].bandwidth_share) == pytest.approx((0.5, 0.25))


def test_bounds_of_a_phase_contain_one_more_of_the_cores_that_explain_the_time_of_the_program() -> None:
    """Six of twelve cores take twice the time here: these do not count."""
    own, slow = of((0, M, 1.0)), of((0, M, 2.0))
    others = [*[own] * 6, *[slow] * 6]
    there = [*(of((0, M, time)) for time in (2.0, 2.1, 2.2) * 2), *[of((0, M, 9.0))] * 6]
    time = Interval(1.0, 1.0, 1.0, 9)
    made = anchor(Native(time, time, 0.0, 9), [own, *others])
    (one,) = phases(made, [Cores("far", [(own, there[1]), *zip(others, there, strict=True)], None, None)], 1)
    reach = T5 * 0.1 * (2 / 3) ** 0.5 * (6 / 5) ** 0.5 * (1 + 1 / 6) ** 0.5
    assert (one.there[0].low, one.there[0].high) == pytest.approx((2.1 - reach, 2.1 + reach), rel=0.003)


def test_bounds_of_a_phase_contain_what_the_model_leaves_open() -> None:
    """The model takes 0.8x the time here. The rest does not change, or all of it waits for memory."""
    marks = (("busy", 0), ("waits", M))
    own, far = of((0, 2 * M, 1.0), marks=marks, knots=((0, M, 0.5),)), of((0, 2 * M, 1.5), knots=((0, M, 0.5),))
    instant = of((0, 2 * M, 0.6), knots=((0, M, 0.5),))  # four fifths of the second phase wait
    time = Interval(1.25, 1.25, 1.25, 9)
    made = anchor(Native(time, time, 0.0, 9), [own] * CORES, instant=instant)
    busy, waits = phases(made, [Cores("far", [(own, far)] * CORES, None, instant)], 0)
    assert (busy.there[0].low, busy.there[0].high) == pytest.approx((1.0, 1.0))
    assert (waits.there[0].low, waits.there[0].ratio, waits.there[0].high) == pytest.approx((1.8, 2.0, 2.05))


def test_bounds_of_a_phase_contain_the_other_reading_of_the_front_end() -> None:
    """The second core is the own one with that reading: it takes 1.2x the time here, and 3.6x on the tier."""
    own, other = of((0, M, 1.0)), of((0, M, 1.2))
    time = Interval(1.0, 1.0, 1.0, 9)
    cores = [own, other, *[own] * 12]
    there = [of((0, M, 2.0)), of((0, M, 3.6)), *[of((0, M, 2.0))] * 12]
    for readings in (0, 1):
        made = anchor(Native(time, time, 0.0, 9), cores, lineup=Lineup(readings))
        (one,) = phases(made, [Cores("far", list(zip(cores, there, strict=True)), None, None)], 1)
        assert one.there[0].high is not None
        assert (one.there[0].high >= 3.0) == bool(readings)


def test_parts_of_the_time_are_equal_where_nothing_is_marked() -> None:
    own = of((0, M, 0.2), (0, M, 0.8))
    found = phases(here(own), [Cores("far", [(own, own)] * CORES, None, None)], 4)
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
    (one,) = phases(here(own, 9.0), [Cores("far", [(own, of((0, M, 2.0)))] * CORES, None, None)], 0)
    assert (one.share, one.seconds, one.there[0].ratio) == (pytest.approx(1), None, None)
    said = io.StringIO()
    show([one], Console(file=said, width=120))
    assert "all 100.0% not known not known" in " ".join(said.getvalue().split())
    assert one.row()["tiers"][0]["ratio"] is None


def test_phases_are_a_table() -> None:
    own = of((0, M, 1.0), marks=(("sort", 0), ("sort", 500_000)))
    cores = Cores("far", [(own, of((0, M, 2.0)))] * CORES, of((0, M, 1.5)), of((0, M, 0.5)))
    said = io.StringIO()
    show(phases(here(own), [cores], 0), Console(file=said, width=160))
    text = " ".join(said.getvalue().split())
    assert "sort (2 times) 100.0% 1 s 2.00x (2.00 to 2.00): 50% misses, 25% bandwidth" in text
