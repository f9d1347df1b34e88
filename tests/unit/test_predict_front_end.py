"""Both readings of the front end: which one answers, and what the bounds contain of the other one."""

from pathlib import Path

import pytest

from tierscope.predict.program import asked, part
from tierscope.predict.program.anchor import Anchor, Lineup, anchor
from tierscope.predict.program.answer import Answer, answer
from tierscope.predict.program.front_end import UNPROBED, FrontEnd, between, explains_better
from tierscope.predict.program.native import Native
from tierscope.predict.program.place import Here, Place
from tierscope.simulated.fetched import Fetched
from tierscope.simulated.replay import Traced
from tierscope.stats.median import Interval

EAGER, LAZY = UNPROBED.eager, UNPROBED.lazy
OTHERS = 12
OWN = Place("here", "m" + EAGER, others=("m" + LAZY, *(f"m,{number}" for number in range(OTHERS))), readings=1)
TIER = Place("far", "t" + EAGER, others=("t" + LAZY, *(f"t,{number}" for number in range(OTHERS))), readings=1)
HERE = Here(OWN, (TIER,), "i" + EAGER)


def of(seconds: float) -> Traced:
    return Traced(machine="sim:m", instructions=2_000_000, loads=1, stores=1, counters={}, ended=0, seconds=seconds)


def ran(seconds: float) -> Native:
    exact = Interval(seconds, seconds, seconds, 9)
    return Native(exact, exact, 0.0, 9)


def anchored(eager: float, lazy: float) -> tuple[Here, Anchor]:
    """Return what the rules choose for a program of one second. eager, lazy: the times of the two readings."""
    found = {OWN.word: of(eager), OWN.others[0]: of(lazy), "i" + EAGER: of(0.4), "i" + LAZY: of(0.5)}
    found |= {word: of(1.0) for word in OWN.others[1:]}
    return asked._anchored(HERE, ran(1.0), found, "")[:2]


def told(here: tuple[float, float], there: tuple[float, float]) -> Answer:
    """Return the answer for a program of one second. here, there: times of the own core, by the two readings."""
    made = anchor(ran(1.0), [*map(of, here), *[of(1.0)] * OTHERS], lineup=Lineup(1))
    return answer("far", made, [*map(of, there), *[of(2.0)] * OTHERS], None, None, None)


@pytest.mark.parametrize(
    ("eager", "lazy", "chosen"),
    [(1.0, 1.5, EAGER), (0.6, 1.1, LAZY), (1.0, 1.0, EAGER), (0.8, 1.2, LAZY), (0.9, 1.2, EAGER)],
)
def test_the_reading_that_explains_the_time_here_better_answers(eager: float, lazy: float, chosen: str) -> None:
    here, made = anchored(eager, lazy)
    assert here.own.word == f"m{chosen}"
    assert here.tiers[0].words == [f"t{chosen}", f"t{LAZY if chosen == EAGER else EAGER}", *TIER.others[1:]]
    assert made.model_s == (eager if chosen == EAGER else lazy)
    assert made.instant == of(0.4 if chosen == EAGER else 0.5), "variants of the own core are of its reading"


def test_a_program_that_one_reading_alone_explains_has_an_answer() -> None:
    """Without wrong paths, the model takes 1.68 times as long as the program."""
    _, made = anchored(0.95, 1.68)
    assert not made.unknown
    assert made.ratio == pytest.approx(0.95)
    assert anchored(1.4, 1.68)[1].unknown.startswith("the model takes 1.40x")


def test_the_bounds_contain_the_other_reading_where_the_time_here_allows_it() -> None:
    found = told((1.0, 1.2), (2.0, 3.0))
    assert found.ratio == 2.0
    assert found.high is not None
    assert found.high >= 3.0 / 1.2


def test_the_bounds_leave_out_a_reading_that_the_time_here_refuses() -> None:
    found = told((1.0, 1.3), (2.0, 3.9))
    assert found.high is not None
    assert found.high < 2.5


def test_the_bounds_contain_a_program_between_both_readings() -> None:
    """A quarter of the way from 0.9 s to 1.3 s, it takes 1 s here, and 2.3 s there."""
    found = told((0.9, 1.3), (1.8, 3.8))
    assert found.high is not None
    assert 2.3 <= found.high < 3.8 / 1.3
    assert list(between((0.9, 1.8), (1.3, 3.8), 1.0)) == pytest.approx([2.3])
    assert list(between((1.1, 1.8), (1.3, 3.8), 1.0)) == []
    assert list(between((1.3, 3.8), (0.9, 1.8), 1.0)) == pytest.approx([2.3])


def test_the_own_core_with_the_other_reading_is_not_another_core() -> None:
    """Two other cores explain the time here, and the own one by both readings: bounds need three."""
    others = [*[of(1.0)] * 2, *[of(9.0)] * (OTHERS - 2)]
    made = anchor(ran(1.0), [of(1.0), of(1.0), *others], lineup=Lineup(1))
    assert made.unknown.startswith(f"only 2.0 of {OTHERS} cores that this machine may have")
    assert not anchor(ran(1.0), [of(1.0), of(1.0), *others]).unknown


CROSSES = [(0.95, 1.78), (1.3, 1.6), (1.0, 2.48), (1.25, 1.5)]
"""Times here and on the tier of eager, lazy, and both that cross them, of a program of one second."""


@pytest.mark.parametrize(("wrong", "within"), [(0, True), (1, False)])
def test_bounds_contain_a_core_that_has_one_half_of_each_reading(wrong: int, *, within: bool) -> None:
    """Time that wrong paths save and time for instructions cancel each other here: eager alone would be wrong."""
    here, there = zip(*CROSSES, strict=True)
    here = (*here[:2], here[2] + wrong, here[3])  # refused by the time here
    same = [of(1.0)] * OTHERS
    made = anchor(ran(1.0), [*map(of, here), *same], lineup=Lineup(3))
    found = answer("far", made, [*map(of, there), *[of(1.78 / 0.95)] * OTHERS], None, None, None)
    assert found.ratio == pytest.approx(1.78 / 0.95)
    assert found.high is not None
    assert (found.high >= 2.48) == within


def test_bounds_contain_a_program_between_any_two_readings() -> None:
    """Neither crossed reading is within a quarter of the time here, and half of each takes it."""
    cores = [of(0.95), of(0.96), of(0.5), of(1.5), *[of(1.0)] * OTHERS]
    made = anchor(ran(1.0), cores, lineup=Lineup(3))
    found = answer("far", made, [of(1.0), of(1.0), of(2.5), of(3.5), *[of(1.0)] * OTHERS], None, None, None)
    assert found.high is not None
    assert found.high >= 3.0


def test_a_note_names_a_reading_that_the_time_here_refuses() -> None:
    (note,) = part.refused_reading(*anchored(0.95, 1.68))
    assert note.startswith(
        "a core that fetches instructions on demand, and no lines of the right path behind wrong guesses of branches,"
    )
    assert " takes 1.68x the time that was measured here" in note
    assert part.refused_reading(*anchored(0.95, 1.2)) == ()
    assert part.refused_reading(*anchored(1.4, 1.6)) == (), "neither explains it: nothing is predicted"
    assert "right path behind wrong guesses of branches, takes 0.50x" in UNPROBED.refused("m" + EAGER, 0.5)


def test_words_without_a_reading_stay_unchanged(tmp_path: Path) -> None:
    assert UNPROBED.other("m,queueing=false") == "m,queueing=false"
    assert UNPROBED.other(f"{tmp_path}{EAGER},queueing=false") == f"{tmp_path}{LAZY},queueing=false"
    model = Place("m", "m", others=("m,1",))
    assert Here(model, (), "").read_otherwise() == Here(model, (), "")


def test_a_core_whose_fetching_is_known_has_two_readings_and_both_fetch_alike() -> None:
    found = FrontEnd(Fetched(",core.fetch.ahead=9", ",core.fetch.ahead=8", sure=True))
    assert found.others == (found.lazy,)
    assert found.other("m" + found.lazy) == "m" + found.eager
    assert "instructions" not in found.refused("m" + found.eager, 0.5)
    assert len(FrontEnd(Fetched(",core.fetch.ahead=9", ",core.fetch.ahead=8")).others) == 3


@pytest.mark.parametrize("times", [(0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.1, 1.0), (1.2, 1.2, 1.0)])
def test_a_reading_without_a_time_explains_nothing(times: tuple[float, float, float]) -> None:
    one, another, here = times
    assert not explains_better(another, one, here)
