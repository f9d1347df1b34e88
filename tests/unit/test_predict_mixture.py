"""A mixture of both readings of the front end: when it answers, what it answers, and what its bounds contain."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from tierscope.predict.program import asked
from tierscope.predict.program.anchor import Anchor, Lineup, anchor
from tierscope.predict.program.answer import Answer, answer
from tierscope.predict.program.front_end import UNPROBED, replayed
from tierscope.predict.program.mixture import mixed, share_of, with_mixed
from tierscope.predict.program.native import Native
from tierscope.predict.program.part import Part
from tierscope.predict.program.place import Here, Place
from tierscope.simulated.replay import Traced
from tierscope.stats.median import Interval

EAGER, LAZY = UNPROBED.eager, UNPROBED.lazy
OTHERS = 12
M = 1_000_000
OWN = Place("here", "m" + EAGER, others=("m" + LAZY, *(f"m,{number}" for number in range(OTHERS))), readings=1)
TIER = Place("far", "t" + EAGER, others=("t" + LAZY, *(f"t,{number}" for number in range(OTHERS))), readings=1)
HERE = Here(OWN, (TIER,), "i" + EAGER, ends=("e" + EAGER,))


def of(seconds: float, *, knots: tuple[tuple[int, int, float], ...] = (), threads: int = 1) -> Traced:
    return Traced(
        machine="sim:m", instructions=2 * M, loads=1, stores=1, counters={}, ended=0, seconds=seconds,
        parts=((0, 2 * M, seconds),), knots=knots, threads=threads, busy_s=seconds,
    )  # fmt: skip


def ran(seconds: float) -> Native:
    exact = Interval(seconds, seconds, seconds, 9)
    return Native(exact, exact, 0.0, 9)


def found_of(eager: tuple[float, float], lazy: tuple[float, float]) -> dict[str, Traced]:
    """Return what all machines find. eager, lazy: seconds of both readings, here and on the tier."""
    both = zip((EAGER, LAZY), (eager, lazy), strict=True)
    own = {name + word: of(time) for word, times in both for name, time in zip("mt", times, strict=True)}
    own |= {f"i{EAGER}": of(0.4), f"i{LAZY}": of(0.8), f"e{EAGER}": of(eager[0]), f"e{LAZY}": of(lazy[0])}
    share = (1.0 - eager[0]) / (lazy[0] - eager[0])
    there = eager[1] + share * (lazy[1] - eager[1])  # the others agree with the mixture, so that they widen nothing
    return own | {f"m,{i}": of(1.0) for i in range(OTHERS)} | {f"t,{i}": of(there) for i in range(OTHERS)}


def parts_of(eager: tuple[float, float], lazy: tuple[float, float]) -> Part:
    """Return a program that takes one second here."""
    return Part(None, *asked._anchored(HERE, ran(1.0), found_of(eager, lazy), ""))


@pytest.mark.parametrize(
    ("one", "another", "share"),
    [
        (0.7, 1.5, 0.375),
        (1.5, 0.7, 0.625),
        (0.76, 1.5, None),  # one of them alone explains the time
        (0.7, 1.24, None),
        (1.3, 1.5, None),  # the time is not between both
        (0.4, 1.5, None),  # so far apart that they explain any time
        (0.7, 2.1, None),
    ],
)
def test_a_mixture_is_needed_where_neither_reading_explains_the_time_here(
    one: float, another: float, share: float | None
) -> None:
    assert share_of(one, another, 1.0) == (None if share is None else pytest.approx(share))


def test_a_program_between_both_readings_has_an_answer_between_both() -> None:
    """It takes 1 s here: 3/8 of the way from 0.7 s to 1.5 s. On the tier, 3/8 of the way from 1.4 s to 4.5 s."""
    one = parts_of((0.7, 1.4), (1.5, 4.5))
    (found,) = one.answers()
    assert one.anchor.model_s == pytest.approx(1.0)
    assert found.ratio == pytest.approx(1.4 + 0.375 * 3.1)
    assert found.low == pytest.approx(1 + (1.4 / 0.7 - 1) * 0.7), "the eager reading, and what it leaves open stays"
    assert found.high == pytest.approx(1 + (4.5 / 1.5 - 1) * 1.5), "the lazy one, and the time too much is of work"


def test_the_bounds_contain_what_each_reading_leaves_open_of_the_time_here() -> None:
    """The lazy core takes half a second too much. If that is time that does not wait, the tier adds its 3 s."""
    (found,) = parts_of((0.7, 0.7), (1.5, 4.5)).answers()
    assert found.low == 1.0
    assert found.high == pytest.approx(1 + (4.5 / 1.5 - 1) * 1.5)


def test_a_note_states_both_readings() -> None:
    (note, *_) = parts_of((0.7, 1.4), (1.5, 4.5)).notes()
    assert (
        "takes 0.70x the time that was measured here if it fetches instructions and lines as early as it may, and 1.50x"
        in note
    )


def test_a_mixture_without_enough_other_cores_is_not_known() -> None:
    found = found_of((0.7, 1.4), (1.5, 4.5)) | {f"m,{i}": of(5.0) for i in range(1, OTHERS)}
    _, made, _ = asked._anchored(HERE, ran(1.0), found, "")
    assert made.unknown.startswith(f"only 1.0 of {OTHERS} cores that this machine may have explain the time here")


def test_all_variants_of_the_own_core_are_mixtures() -> None:
    here, made, found = asked._anchored(HERE, ran(1.0), found_of((0.7, 1.4), (1.5, 4.5)), "")
    assert made.lineup.mixed
    assert made.lineup.readings == 2
    assert [core.seconds for core in made.cores[:3]] == pytest.approx([1.0, 0.7, 1.5])
    assert [found[word].seconds for word in (here.instant, *here.ends)] == pytest.approx([0.55, 1.0])
    assert here.tiers[0].words[1:3] == ["t" + EAGER, "t" + LAZY]
    assert replayed(here.tiers[0].word) == "t" + EAGER


def test_threads_have_no_mixture() -> None:
    """Their time here depends on the reading."""
    found = {word: msgspec.structs.replace(one, threads=2, busy_s=2 * (one.seconds or 0))
             for word, one in found_of((0.35, 0.7), (0.75, 2.0)).items()}  # fmt: skip
    _, made, _ = asked._anchored(HERE, ran(1.0), found, "")
    assert not made.lineup.mixed


def test_the_time_of_a_mixture_over_that_here_does_not_check_the_model() -> None:
    assert parts_of((0.7, 1.4), (1.5, 4.5)).anchor.ratio is None


def test_a_mixture_is_the_same_from_either_reading() -> None:
    found: Mapping[str, Traced] = with_mixed(found_of((0.7, 1.4), (1.5, 4.5)), UNPROBED, 0.25)
    for name in "mt":
        eager, lazy = (found[UNPROBED.mixed(name + word)].seconds for word in (EAGER, LAZY))
        assert eager == pytest.approx(lazy)
    assert found[UNPROBED.mixed("m" + EAGER)].seconds == pytest.approx(0.9)


def test_times_within_a_part_are_mixed_as_the_part_where_the_other_one_stopped_elsewhere() -> None:
    one = of(1.0, knots=((0, M, 0.2), (0, M + 1, 0.4)))
    made = mixed(one, of(3.0, knots=((0, M, 1.2),)), 0.5)
    assert made.seconds == pytest.approx(2.0)
    assert made.parts == ((0, 2 * M, pytest.approx(2.0)),)
    assert made.knots == ((0, M, pytest.approx(0.7)), (0, M + 1, pytest.approx(0.8)))


def test_phases_of_a_mixture_are_between_those_of_both_readings() -> None:
    one = parts_of((0.7, 1.4), (1.5, 4.5))
    (first, second) = one.phases(2)
    (whole,) = one.answers()
    for phase in (first, second):
        there = phase.there[0]
        assert (there.low, there.ratio, there.high) == pytest.approx((whole.low, whole.ratio, whole.high))


def told(here: tuple[float, ...], there: tuple[float, ...], *, mixture: bool) -> Answer:
    made: Anchor = anchor(
        ran(1.0), [*map(of, here), *[of(1.0)] * OTHERS], lineup=Lineup(len(here) - 1, mixture)
    )  # fmt: skip
    return answer("far", made, [*map(of, there), *[of(2.0)] * OTHERS], None, None, None)


def test_without_a_mixture_a_reading_that_the_time_refuses_is_outside_the_bounds() -> None:
    wide, narrow = (told((1.0, 0.7, 1.5), (2.0, 1.0, 4.5), mixture=mixture) for mixture in (True, False))
    assert wide.high is not None
    assert narrow.high is not None
    assert wide.high > narrow.high


def test_a_second_replay_takes_words_that_a_machine_knows(tmp_path: Path) -> None:
    word = UNPROBED.mixed(f"{tmp_path}{LAZY},queueing=false")
    assert replayed(word) == f"{tmp_path}{LAZY},queueing=false"
    assert replayed("m") == "m"
    assert UNPROBED.mixed("m") == "m"
