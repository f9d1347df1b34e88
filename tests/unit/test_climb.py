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
    LEAST_ROUNDS,
    LONGEST_S,
    MOST,
    MOST_KEPT,
    ROUNDS,
    STAYS,
    STEP,
    TIE,
    Climb,
    Found,
)
from tierscope.suites.calibration import method
from tierscope.suites.calibration.table import Calibration

ENTRIES = made_catalogue().variants("triad")
GUESSED = candidates(ENTRIES)[:GUESSES]
DISTANCES = (0, *(NEAREST << n for n in range((FARTHEST // NEAREST).bit_length())))
CALLS, SEEDS = 10, 10


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


def test_it_finds_more_than_the_guesses_where_nothing_is_in_order() -> None:
    """Effects of each choice without any order among its values: what a climb is worst at."""
    for seed in range(SEEDS):
        made = Made(KINDS["parts"](SPACE, np.random.default_rng(seed)), seed)
        best_guess = max(made.share(SPACE.index(guess)) for guess in GUESSED)
        assert made.share(SPACE.index(searched(made).order[0][0])) >= best_guess - 2 * TIE


def test_it_takes_the_simplest_of_equally_fast_variants() -> None:
    for seed in range(3):
        found = searched(Made(flat(SPACE), seed, noise=0.002, disturbed=0.0))
        chosen, *others = [simplicity(one) for one, rate in found.order if rate]
        assert chosen < sorted(others)[len(others) // 2]


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
    final = 5 * 6
    assert first.trials <= MOST + 7 + final
    assert second.trials <= MOST_KEPT + 7 + final


def test_a_search_ends_on_a_slow_machine() -> None:
    """A trial takes 0.2 s, as on an emulated one."""
    made = Made(KINDS["machine"](SPACE, np.random.default_rng(1)), 1)
    place = {variant: number for number, variant in enumerate(SPACE)}

    def slow(one: Candidate, length: float) -> float:
        made.now += 0.2
        return made.trial(place[one], length)

    found = Climb(slow, lambda one: around(one, ENTRIES), simplicity, made.clock).run(GUESSED)
    assert found.order[0][1]
    assert made.now < LONGEST_S + 0.3 * (STEP + 1 + LEAST_ROUNDS * FINALISTS)


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
    assert f"in {('no', 'one', 'two', 'three', 'four', 'five')[ROUNDS]} rounds of {final}" in text
    assert f"slower by no more than {TIE:.0%}".replace("%", " %") in text
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
