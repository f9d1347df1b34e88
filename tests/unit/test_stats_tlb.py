"""Levels of a TLB, from curves of a TLB that is known."""

import numpy as np
import pytest

from made_tlb import COARSE, L1_LINES, L1_S, L2_S, NONE, TWO, MadeTlb, control_s
from tierscope.stats.tlb import Curve, Translation, between, curve_of, round_in, translation


def curve(made: MadeTlb, more: tuple[int, ...] = (), noise: float = 0.0, seed: int = 1995) -> Curve:
    rng = np.random.default_rng(seed)
    touched = np.array(sorted({*COARSE, *more}))
    apart = np.array([made.time_s(int(n)) for n in touched]) * np.exp(rng.normal(0, noise, touched.size))
    control = np.array([control_s(int(n)) for n in touched]) * np.exp(rng.normal(0, noise, touched.size))
    return curve_of(touched.astype(float), apart, control, noise * apart, np.isin(touched, COARSE))


def refined(made: MadeTlb, noise: float = 0.0, seed: int = 1995) -> Translation:
    """As the suite does it: more points where a level ends."""
    more: set[int] = set()
    for _ in range(6):
        more |= set(between(curve(made, tuple(more), noise, seed)))
    return translation(curve(made, tuple(more), noise, seed))


LEVELS = [
    ((96, 6), (2048, 8)),
    ((64, 4), (1536, 12)),
    ((64, 64), (1024, 8)),
    ((32, 4), (512, 4)),
    ((128, 8), (3072, 12)),
    ((48, 48),),
    ((6, 6), (1024, 8)),
    ((4, 4), (16, 4)),
    ((2, 2), (96, 6)),
]


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_entries_and_times_come_out_as_they_were_put_in(levels: tuple[tuple[int, int], ...], noise: float) -> None:
    adds = (2.3e-9, 15e-9) if len(levels) == 2 else (8e-9,)
    found = refined(MadeTlb(levels, adds), noise)
    assert len(found.levels) == len(levels)
    for level, (entries, _) in zip(found.levels, levels, strict=True):
        assert level.low <= entries <= level.high
        assert level.entries == pytest.approx(entries, rel=0.1, abs=0.3)
        assert level.round in (entries, None)
        assert level.certain
    extras = [level.extra for level in found.levels[1:]]
    assert found.beyond is not None
    for extra, added in zip([*extras, found.beyond], adds, strict=True):
        assert extra.middle_s == pytest.approx(added, rel=0.05)
        assert extra.low_s <= extra.middle_s <= extra.high_s


def test_a_level_of_fewer_pages_than_were_touched_has_an_upper_bound_alone() -> None:
    many = curve(MadeTlb(((4, 4), (256, 4)), (4e-9, 20e-9)))
    nearest, second = translation(many.part(many.pages >= 8)).levels
    assert (nearest.low, nearest.entries, nearest.high, nearest.round) == (0, 8, 8, None)
    assert second.round == 256
    assert second.extra.middle_s == pytest.approx(4e-9, rel=0.05)
    assert translation(many).levels[0].round == 4


def outgrowing(noise: float, seed: int, walk_s: float = 6.8e-9) -> Curve:
    """4 and 16 entries, then walks; what they read leaves L1d over four octaves, and costs a hit in L2 more by then."""
    calm = curve(MadeTlb(((4, 4), (16, 4)), (4e-9, walk_s)), noise=noise, seed=seed)
    gone = np.clip(np.log2(calm.pages / L1_LINES * 9 / 8) / 4, 0, 1)
    extra = calm.extra_s + (L2_S - L1_S) * gone
    return curve_of(calm.pages, calm.control_s + extra, calm.control_s, noise * extra, calm.coarse)


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.02])
def test_walks_whose_reads_leave_a_cache_make_no_certain_level(noise: float) -> None:
    for seed in range(5):
        first, second, *more = translation(outgrowing(noise, seed)).levels
        assert first.round == 4
        assert second.low <= 16 < second.high
        assert first.certain
        assert second.certain
        assert not any(level.certain for level in more)
    assert more


def test_a_third_level_is_never_certain() -> None:
    """A host that takes pages away makes a step that is far larger than any of a cache."""
    three = translation(curve(MadeTlb(((4, 4), (64, 4), (1024, 4)), (3e-9, 18e-9, 300e-9))))
    assert [level.certain for level in three.levels] == [True, True, False]


def test_the_nearest_level_adds_nothing() -> None:
    assert translation(curve(TWO)).levels[0].extra.high_s == 0


@pytest.mark.parametrize("seed", range(20))
def test_no_level_is_found_in_noise(seed: int) -> None:
    assert translation(curve(NONE, noise=0.02, seed=seed)) == Translation((), None)


def test_a_step_of_less_than_a_thirtieth_of_the_access_is_none() -> None:
    assert translation(curve(MadeTlb(((64, 4),), (0.02e-9,)))).levels == ()
    assert translation(curve(MadeTlb(((64, 4),), (0.5e-9,)))).levels != ()


def test_a_level_that_is_left_without_a_plateau_behind_it_has_nothing_beyond() -> None:
    touched = np.array([n for n in COARSE if n <= 128], dtype=float)  # the nearest ends at 96
    apart = np.array([TWO.time_s(int(n)) for n in touched])
    control = np.array([control_s(int(n)) for n in touched])
    found = translation(curve_of(touched, apart, control, 0 * apart, touched > 0))
    assert [level.round for level in found.levels] == [96]
    assert found.beyond is None


def test_one_high_point_at_the_end_is_not_a_level() -> None:
    calm = curve(TWO)
    extra = calm.extra_s.copy()
    extra[-1] *= 1.5
    found = translation(curve_of(calm.pages, calm.control_s + extra, calm.control_s, calm.sigma_s, calm.coarse))
    assert len(found.levels) == 2
    assert found.beyond is not None
    assert found.beyond.middle_s == pytest.approx(15e-9, rel=0.05)


def test_too_few_points_have_no_levels() -> None:
    few = np.array([8.0, 64.0, 512.0])
    assert translation(curve_of(few, few * 1e-9, few * 0 + 1e-9, few * 0, few > 0)) == Translation((), None)
    assert translation(curve_of(few[:0], few[:0], few[:0], few[:0], few[:0] > 0)) == Translation((), None)


def test_more_points_are_wanted_until_the_knees_are_narrow() -> None:
    wanted = between(curve(TWO))
    assert any(91 < n < 108 for n in wanted)
    assert between(curve(NONE)) == []
    around = tuple(range(80, 120)) + tuple(range(1900, 2500, 16))
    assert [n for n in between(curve(TWO, around)) if n < 1000] == []


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [(91, 108, 96), (64, 64, 64), (64, 96, 64), (0, 8, None), (97, 127, None), (96, 130, None), (1218, 2435, None)],
)
def test_a_round_number_is_named_only_where_it_is_the_only_one(low: float, high: float, found: int | None) -> None:
    assert round_in(low, high) == found


def sloping(rise: float, noise: float, seed: int) -> Curve:
    """96 and 2,048 entries. A hit in the second level takes longer by `rise` for each octave of pages beyond 128."""
    calm = curve(TWO, noise=noise, seed=seed)
    octaves = np.log2(np.clip(calm.pages, 128, 2048) / 128)
    extra = calm.extra_s + 2.3e-9 * rise * octaves * (calm.pages > 96)
    return curve_of(calm.pages, calm.control_s + extra, calm.control_s, noise * extra, calm.coarse)


@pytest.mark.parametrize("rise", [0.0, 0.1, 0.18])
def test_a_second_level_that_others_use_too_is_a_level(rise: float) -> None:
    for seed in range(5):
        first, second = translation(sloping(rise, 0.01, seed)).levels
        assert first.certain
        assert first.low <= 96 < first.high
        assert second.certain
        assert second.low <= 2048 <= second.high


@pytest.mark.parametrize("rise", [0.3, 0.6, 1.0, 2.0])
def test_a_rise_without_steps_contains_no_certain_level(rise: float) -> None:
    """The nearest level ends in a step. Where the next one is not recognized, none is numbered behind it."""
    for seed in range(5):
        levels = translation(sloping(rise, 0.01, seed)).levels
        truths = zip(levels, (96, 2048), strict=False)
        assert all(level.low <= truth <= level.high for level, truth in truths if level.certain)
        sure = [level.certain for level in levels]
        assert sure == sorted(sure, reverse=True)


@pytest.mark.parametrize("octaves", [4, 5, 7])
def test_a_step_over_many_octaves_is_vague(octaves: int) -> None:
    pages = np.array(COARSE, dtype=float)
    extra = np.clip(np.log2(pages / 90) / octaves, 0, 1) * 15e-9
    control = np.full(pages.size, L1_S)
    levels = translation(curve_of(pages, control + extra, control, 0.005 * extra, pages > 0)).levels
    assert levels[0].vague
    assert not any(level.certain for level in levels)
