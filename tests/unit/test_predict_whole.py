"""The answer for a program of several processes: those that were followed by the model, the rest both ways."""

import pytest

from made_processes import process, ran
from tierscope.predict.program.anchor import anchor
from tierscope.predict.program.answer import Answer
from tierscope.predict.program.members import Household, Member, household
from tierscope.predict.program.whole import Followed, whole
from tierscope.simulated.family import Relative
from tierscope.simulated.replay import Traced

FACTORS = (1.0, 3.0)


def home_of(*processes: Relative, wall: float = 10.0) -> Household:
    home = household(ran(processes, wall=wall))
    assert home is not None
    assert home.unknown == ""
    return home


def followed(member: Member) -> Followed:
    seconds = member.native.user_s.middle
    core = Traced(machine="m", instructions=9, loads=1, stores=1, counters={}, seconds=seconds, ended=0)
    return Followed(member, anchor(member.native, [core] * 13))


def told(home: Household, *ratios: tuple[float, float, float], factors: tuple[float, float] = FACTORS) -> Answer:
    """Return the answer for processes with these ratios: low, middle, high."""
    parts = [followed(one) for one in home.followed]
    answers = [
        Answer("far", middle, low, high, middle * part.own_s, 1.0, 0.5, 0.1)
        for (low, middle, high), part in zip(ratios, parts, strict=True)
    ]
    return whole(answers, parts, home, factors)


def test_one_process_that_takes_all_of_the_time_is_the_answer() -> None:
    found = told(home_of(process("", 0, 10, 0.0), process("1", 0, 10, 10.0)), (1.4, 1.5, 1.7))
    assert (found.low, found.ratio, found.high) == pytest.approx((1.4, 1.5, 1.7))
    assert found.seconds == pytest.approx(15.0)
    assert (found.latency_share, found.bandwidth_share) == pytest.approx((0.5, 0.1))


def test_processes_one_after_the_other_are_added() -> None:
    home = home_of(process("", 0, 10, 0.0), process("1", 0, 6, 6.0), process("2", 6, 10, 4.0))
    found = told(home, (1.1, 1.2, 1.3), (1.8, 2.0, 2.2))
    assert found.ratio == pytest.approx(0.6 * 1.2 + 0.4 * 2.0)
    assert (found.low, found.high) == pytest.approx((0.6 * 1.1 + 0.4 * 1.8, 0.6 * 1.3 + 0.4 * 2.2))


def test_the_rest_stays_and_grows_as_much_as_the_tier_allows() -> None:
    """1 s of 10 s is of small processes."""
    small = [process(str(n), 8.5 + n / 4, 8.75 + n / 4, 0.25) for n in range(2, 6)]
    found = told(home_of(process("", 0, 10, 0.0), process("1", 0, 9, 9.0), *small), (1.4, 1.5, 1.7))
    assert found.ratio == pytest.approx(1.5)
    assert found.low == pytest.approx(0.9 * 1.4 + 0.1)
    assert found.high == pytest.approx(0.9 * 1.7 + 0.1 * 3.0)


def test_the_rest_shrinks_on_a_faster_tier() -> None:
    home = home_of(
        process("", 0, 10, 0.0), process("1", 0, 9, 9.0), process("2", 9, 9.4, 0.4), process("3", 9.4, 9.8, 0.4)
    )
    found = told(home, (0.8, 0.8, 0.8), factors=(0.5, 0.9))
    assert found.low == pytest.approx(0.9 * 0.8 + 0.1 * 0.5)
    assert found.high == pytest.approx(0.9 * 0.8 + 0.08 + 0.02)


def test_what_others_do_meanwhile_may_hide_the_growth() -> None:
    """A pipe: the second process has 0.4 s side by side with the first one, which could have waited for it."""
    main, first = process("", 0, 10, 0.0), process("1", 0, 10, 10.0)
    alone = told(home_of(main, first), (1.4, 1.5, 1.6))
    found = told(home_of(main, first, process("2", 0, 10, 0.4)), (1.4, 1.5, 1.6))
    assert (alone.low, alone.high) == pytest.approx((1.4, 1.6))
    assert found.low == pytest.approx(1.4 - 0.04)
    assert found.high == pytest.approx(1.6 + 0.04 * 3.0)


def test_idle_time_may_hide_the_growth_or_grow() -> None:
    """A `sleep` in the background determines the wall time here, and may do so there."""
    found = told(home_of(process("", 0, 10, 0.0), process("1", 0, 8, 8.0)), (1.4, 1.5, 1.6))
    assert found.ratio == pytest.approx(0.8 * 1.5 + 0.2)
    assert found.low == pytest.approx(1 + 0.8 * 0.4 - 0.2)
    assert found.high == pytest.approx(1.6)


def test_a_part_that_is_not_known_leaves_the_whole_unknown() -> None:
    home = home_of(process("", 0, 10, 0.0), process("1", 0, 6, 6.0), process("2", 6, 10, 4.0))
    parts = [followed(one) for one in home.followed]
    answers = [
        Answer("far", 1.5, 1.4, 1.6, 9.0, 1.0),
        Answer("far", None, None, None, None, 1.0, unknown="the core differs"),
    ]
    found = whole(answers, parts, home, FACTORS)
    assert found.ratio is found.low is found.high is found.seconds is None
    assert found.unknown == "of p2 word, which takes 40% of the time here: the core differs"
