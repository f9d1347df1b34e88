"""The search for the fastest of many variants, on made machines whose best variant is known."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from fake_core import made_catalogue
from landscapes import KINDS, Made, flat
from tierscope.record.work.line import LineWork
from tierscope.run.around import FARTHEST, NEAREST, around, is_variant, simplicity
from tierscope.run.calibrate import GUESSES, TRIAL_S
from tierscope.run.candidates import Candidate, candidates
from tierscope.run.climb import (
    FINAL_LENGTH,
    FINALISTS,
    HEATS,
    IN_HEATS,
    LEAST_ROUNDS,
    LIMITED_S,
    LONGEST_S,
    MOST,
    MOST_KEPT,
    ROUNDS,
    STAYS,
    STEP,
    TIE,
    Climb,
    Found,
    centre,
)
from tierscope.suites.calibration import method
from tierscope.suites.calibration.table import Calibration

ENTRIES = made_catalogue().variants("triad")
GUESSED = candidates(ENTRIES)[:GUESSES]
DISTANCES = (0, *(NEAREST << n for n in range((FARTHEST // NEAREST).bit_length())))
CALLS, SEEDS = 10, 10
FIRST_CALLS = 20
COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def space() -> list[Candidate]:
    """Every variant that a search may find."""
    layouts = {(e.isa, s.streams, s.unroll, s.interleave_bytes) for e in ENTRIES if e.rank > 0 for s in e.shapes}
    every = (
        Candidate(isa, LineWork(
            streams=streams, unroll=unroll, interleave_bytes=paged, prefetch_bytes=loads, prefetchw_bytes=stores,
        ))
        for (isa, streams, unroll, paged), loads, stores in product(sorted(layouts), DISTANCES, DISTANCES)
    )  # fmt: skip
    return [one for one in every if is_variant(one, ENTRIES)]


SPACE = space()


def searched(made: Made, kept: Candidate | None = None) -> Found[Candidate]:
    place = {variant: number for number, variant in enumerate(SPACE)}
    unit = TRIAL_S / 0.010  # of a trial of Made
    return Climb(
        lambda one, length: made.trial(place[one], length * unit), lambda one: around(one, ENTRIES), simplicity,
        made.clock,
    ).run(GUESSED, kept)  # fmt: skip


def chain(kind: str, seed: int) -> tuple[Made, list[Candidate]]:
    """The choices of calls one after the other; each begins with the choice before."""
    made = Made(KINDS[kind](SPACE, np.random.default_rng(seed)), seed)
    kept: Candidate | None = None
    chosen = []
    for _ in range(CALLS):
        kept = searched(made, kept).order[0][0]
        chosen.append(kept)
    return made, chosen


@pytest.mark.parametrize("kind", ["peak", "machine"])
def test_nine_of_ten_calls_choose_the_same_variant_within_2_percent_of_the_best(kind: str) -> None:
    same, shares = 0, []
    for seed in range(SEEDS):
        made, chosen = chain(kind, seed)
        same += Counter(chosen).most_common(1)[0][1]
        shares += [made.share(SPACE.index(one)) for one in chosen]
    assert same >= 0.9 * CALLS * SEEDS
    assert np.mean(np.array(shares) >= 0.98) >= 0.9


@pytest.fixture(scope="module")
def steps() -> list[list[int]]:
    """The neighbours of each variant, by their places in SPACE: a search among numbers is fast."""
    place = {variant: number for number, variant in enumerate(SPACE)}
    return [[place[step] for step in around(one, ENTRIES)] for one in SPACE]


def numbered(steps: list[list[int]], made: Made) -> Found[int]:
    """Search without a kept variant."""
    unit = TRIAL_S / 0.010
    return Climb(
        lambda one, length: made.trial(one, length * unit), steps.__getitem__, lambda one: simplicity(SPACE[one]),
        made.clock,
    ).run([SPACE.index(guess) for guess in GUESSED])  # fmt: skip


def noisy(kind: str, seed: int, noise: float, **how: float) -> Made:
    """A machine by the noise of a trial, a standard deviation."""
    return Made(KINDS[kind](SPACE, np.random.default_rng(seed)), seed, noise=noise * (TRIAL_S / 0.010) ** 0.5, **how)


@pytest.mark.parametrize(("noise", "least"), [(0.01, 0.9), (0.03, 0.85), (0.05, 0.7)])
@pytest.mark.parametrize("kind", ["peak", "machine"])
def test_a_first_call_is_mostly_within_2_percent_of_the_best(
    steps: list[list[int]], kind: str, noise: float, least: float
) -> None:
    """Trials with noise, drift and disturbances; the best variant is known."""
    shares = []
    for seed in range(FIRST_CALLS):
        made = noisy(kind, seed, noise)
        shares.append(made.share(numbered(steps, made).order[0][0]))
    assert np.mean(np.array(shares) >= 0.98) >= least
    assert np.mean(shares) >= 0.985


def test_a_noisy_machine_gets_a_longer_final(steps: list[list[int]]) -> None:
    """A calm one has ROUNDS rounds; a noisy one has up to twice as many, until the time is over."""
    calm, loud = (numbered(steps, noisy("peak", 3, noise, disturbed=0.0, drift=0.0)) for noise in (0.005, 0.1))
    assert ROUNDS * FINALISTS / 2 < loud.trials - calm.trials <= ROUNDS * FINALISTS + STEP + 1


def test_a_disturbed_trial_does_not_count() -> None:
    quiet = [0.010, 0.012, 0.008, 0.011, 0.009]
    mean, error = centre([*quiet, -0.4])
    assert mean == pytest.approx(0.010)
    assert 0 < error < 0.001


@pytest.mark.parametrize("numbers", [[0.2], [0.2, 0.2, 0.2]])
def test_the_centre_of_one_number_is_not_sure(numbers: list[float]) -> None:
    mean, error = centre(numbers)
    assert mean == pytest.approx(0.2)
    assert error == (np.inf if len(numbers) == 1 else 0)
    assert centre([]) == (-np.inf, np.inf)


def test_it_finds_more_than_the_guesses_where_nothing_is_in_order() -> None:
    """Effects of each choice without any order among its values: what a climb is worst at."""
    for seed in range(SEEDS):
        made = Made(KINDS["parts"](SPACE, np.random.default_rng(seed)), seed)
        best_guess = max(made.share(SPACE.index(guess)) for guess in GUESSED)
        assert made.share(SPACE.index(searched(made).order[0][0])) >= best_guess - 2 * TIE


def test_it_takes_the_simplest_of_equally_fast_variants() -> None:
    simple = 0
    for seed in range(6):
        found = searched(Made(flat(SPACE), seed, noise=0.002, disturbed=0.0))
        chosen, *others = [simplicity(one) for one, rate in found.order if rate]
        simple += chosen < sorted(others)[len(others) // 2]
    assert simple >= 4  # of the finalists, which chance chooses here


def test_a_kept_variant_stays_where_all_are_as_fast() -> None:
    kept = SPACE[len(SPACE) // 2]
    for seed in range(SEEDS):
        found = searched(Made(flat(SPACE), seed), kept)
        assert found.stayed
        assert found.order[0][0] == kept


def test_a_search_is_bounded() -> None:
    made = Made(KINDS["machine"](SPACE, np.random.default_rng(1)), 1)
    first = searched(made)
    second = searched(made, first.order[0][0])
    final = HEATS * (IN_HEATS + 1) + 2 * ROUNDS * (FINALISTS + 1)
    assert first.trials <= MOST + STEP + 1 + final
    assert second.trials <= MOST_KEPT + STEP + 1 + final


def test_a_search_ends_on_a_slow_machine() -> None:
    """A trial takes 0.2 s, as on an emulated one."""
    made = Made(KINDS["machine"](SPACE, np.random.default_rng(1)), 1)
    place = {variant: number for number, variant in enumerate(SPACE)}

    def slow(one: Candidate, length: float) -> float:
        made.now += 0.2
        return made.trial(place[one], length)

    found = Climb(slow, lambda one: around(one, ENTRIES), simplicity, made.clock).run(GUESSED)
    assert found.order[0][1]
    assert made.now < LONGEST_S + 0.3 * (STEP + 1 + IN_HEATS + LEAST_ROUNDS * FINALISTS)


def test_trials_without_a_clean_moment_end_in_the_first_guess() -> None:
    def nothing(one: Candidate, length: float) -> None:
        del one, length

    found = Climb(nothing, lambda one: around(one, ENTRIES), simplicity, lambda: 0.0).run(GUESSED)
    assert found.order == tuple((guess, None) for guess in GUESSED)


def test_variants_that_a_list_lacked_are_within_reach_of_the_guesses() -> None:
    """The variants that won an exhaustive search on a Zen 3 guest, and that no list had."""
    reached, new = set(GUESSED), set(GUESSED)
    while new:
        new = {step for one in new for step in around(one, ENTRIES)} - reached
        reached |= new
    assert reached == set(SPACE)
    shapes = {(one.work.streams, one.work.unroll, one.work.prefetch_bytes, one.work.prefetchw_bytes) for one in SPACE}
    assert {(4, 1, 0, 0), (1, 4, 256, 0), (8, 1, 256, 256)} <= shapes


def test_table_and_method_describe_the_actual_search() -> None:
    trial, final = (f"{seconds * 1e3:g} ms" for seconds in (TRIAL_S, FINAL_LENGTH * TRIAL_S))
    text = method.TEXTS["Calibration"]
    assert f"A trial takes {trial}, and {final} in the final." in (Calibration.__doc__ or "")
    assert f"guesses for {trial} each" in text
    assert f"The {IN_HEATS} best ones are tried again in {COUNTS[HEATS]} rounds" in text
    assert f"{COUNTS[FINALISTS]} best of these alternate in {ROUNDS} rounds of {final}" in text
    assert f"or {2 * ROUNDS} on a noisy machine" in text
    assert LIMITED_S == 1, "the text states a second"
    assert f"slower by no more than {100 * TIE:g} %" in text
    assert f"faster by more than {100 * STAYS:g} %" in text


def test_a_step_changes_one_choice() -> None:
    one = Candidate("avx512", LineWork(streams=4, unroll=1, prefetch_bytes=512, prefetchw_bytes=512))
    near = around(one, ENTRIES)
    own = [step.work for step in near if step.work.streams == 4 and step.isa == one.isa]
    distances = {(work.prefetch_bytes, work.prefetchw_bytes) for work in own}
    assert {(256, 512), (1024, 512), (512, 256), (512, 1024), (256, 256), (1024, 1024)} <= distances
    for step in near:
        changed = [step.isa != one.isa, step.work.prefetch_bytes != 512 or step.work.prefetchw_bytes != 512]
        layout = (step.work.streams, step.work.unroll, step.work.interleave_bytes) != (4, 1, 0)
        assert sum([*changed, layout]) == 1
