"""Both readings of wrong paths: which one answers, and what the bounds contain of the other one."""

from pathlib import Path

import pytest

from tierscope.predict.program import asked, part
from tierscope.predict.program.answer import Anchor, Answer, anchor, answer
from tierscope.predict.program.machines import Here, Place
from tierscope.predict.program.native import Native
from tierscope.predict.program.wrong_paths import MEETS, NOTHING, between, explains_better, other, refused
from tierscope.simulated.replay import Traced
from tierscope.stats.median import Interval

OTHERS = 12
OWN = Place("here", "m" + MEETS, others=("m" + NOTHING, *(f"m,{number}" for number in range(OTHERS))), paths=True)
TIER = Place("far", "t" + MEETS, others=("t" + NOTHING, *(f"t,{number}" for number in range(OTHERS))), paths=True)
HERE = Here(OWN, (TIER,), "i" + MEETS)


def of(seconds: float) -> Traced:
    return Traced(machine="sim:m", instructions=2_000_000, loads=1, stores=1, counters={}, ended=0, seconds=seconds)


def ran(seconds: float) -> Native:
    exact = Interval(seconds, seconds, seconds, 9)
    return Native(exact, exact, 0.0, 9)


def anchored(meets: float, nothing: float) -> tuple[Here, Anchor]:
    """Return what the rules choose for a program of one second. meets, nothing: the times of the two readings."""
    found = {OWN.word: of(meets), OWN.others[0]: of(nothing), "i" + MEETS: of(0.4), "i" + NOTHING: of(0.5)}
    found |= {word: of(1.0) for word in OWN.others[1:]}
    return asked._anchored(HERE, ran(1.0), found, "")


def told(here: tuple[float, float], there: tuple[float, float]) -> Answer:
    """Return the answer for a program of one second. here, there: times of the own core, by the two readings."""
    made = anchor(ran(1.0), [*map(of, here), *[of(1.0)] * OTHERS], paths=True)
    return answer("far", made, [*map(of, there), *[of(2.0)] * OTHERS], None, None, None)


@pytest.mark.parametrize(
    ("meets", "nothing", "chosen"),
    [(1.0, 1.5, MEETS), (0.6, 1.1, NOTHING), (1.0, 1.0, MEETS), (0.8, 1.2, NOTHING), (0.9, 1.2, MEETS)],
)
def test_the_reading_that_explains_the_time_here_better_answers(meets: float, nothing: float, chosen: str) -> None:
    here, made = anchored(meets, nothing)
    assert here.own.word == f"m{chosen}"
    assert here.tiers[0].words == [f"t{chosen}", f"t{NOTHING if chosen == MEETS else MEETS}", *TIER.others[1:]]
    assert made.model_s == (meets if chosen == MEETS else nothing)
    assert made.instant == of(0.4 if chosen == MEETS else 0.5), "variants of the own core are of its reading"


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
    made = anchor(ran(1.0), [of(1.0), of(1.0), *others], paths=True)
    assert made.unknown.startswith(f"only 2.0 of {OTHERS} cores that this machine may have")
    assert not anchor(ran(1.0), [of(1.0), of(1.0), *others], paths=False).unknown


def test_a_note_names_a_reading_that_the_time_here_refuses() -> None:
    (note,) = part.other_path(*anchored(0.95, 1.68))
    assert note.startswith("a core where wrong guesses of branches fetch nothing takes 1.68x the time that was")
    assert part.other_path(*anchored(0.95, 1.2)) == ()
    assert part.other_path(*anchored(1.4, 1.6)) == (), "neither explains it: nothing is predicted"
    assert "fetch lines of the right path takes 0.50x" in refused("m" + MEETS, 0.5)


def test_words_without_a_reading_stay_unchanged(tmp_path: Path) -> None:
    assert other("m,queueing=false") == "m,queueing=false"
    assert other(f"{tmp_path}{MEETS},queueing=false") == f"{tmp_path}{NOTHING},queueing=false"
    model = Place("m", "m", others=("m,1",))
    assert Here(model, (), "").read_otherwise() == Here(model, (), "")


@pytest.mark.parametrize("times", [(0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.1, 1.0), (1.2, 1.2, 1.0)])
def test_a_reading_without_a_time_explains_nothing(times: tuple[float, float, float]) -> None:
    one, another, here = times
    assert not explains_better(another, one, here)
