"""Moments of many batches at a time: the same numbers as of one batch and one moment after the other."""

from statistics import median

import numpy as np
import pytest

from tierscope.record.result import BLOCK, MIGRATED, PREEMPTED, SIZING, Blocks
from tierscope.stats import moments
from tierscope.stats.moments import NEGLIGIBLE
from tierscope.stats.together import UNCLEAN, Together, together

HZ = 2e9
Block = tuple[int, int, int, float]  # start and stop in ticks, flags, operations


def made(seed: int, teams: tuple[int, ...], batches: int = 6, disturbed: float = 0.03) -> Blocks:
    """Blocks of unequal lengths; in one batch of five a thread only finds its size."""
    rng = np.random.default_rng(seed)
    found = []
    for batch in range(batches):
        for group, team in enumerate(teams):
            for thread in range(team):
                count = 1 if rng.random() < 0.2 / sum(teams) else int(rng.integers(40, 80))
                lasts = rng.integers(1_000_000, 4_000_000, count)
                blocks = np.zeros(count, dtype=BLOCK)
                blocks["group"], blocks["thread"], blocks["batch"] = group, thread, 3 * batch
                starts = np.cumsum(lasts + rng.integers(0, 500, count)) - lasts
                blocks["start_ticks"] = 10**14 + 300_000_000 * batch + int(rng.integers(0, 10**6)) + starts
                blocks["stop_ticks"] = blocks["start_ticks"] + lasts.astype(np.uint64)
                blocks["operations"] = rng.integers(1, 10**6, count)
                blocks["flags"] = np.where(rng.random(count) < disturbed, rng.choice([PREEMPTED, MIGRATED], count), 0)
                blocks["flags"][0] = SIZING
                found.append(blocks)
    return np.concatenate(found)


def same(one: Together, other: Together) -> None:
    """All that they have, to the last bit."""
    for name in ("instants_s", "ages_s", "rates"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), strict=True)
    for name in ("windows", "total", "coverage", "filled_errors"):
        assert getattr(one, name) == getattr(other, name)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("teams", [(1,), (2,), (3, 1), (1, 2, 2), (60, 1)])
def test_portions_of_any_size_give_the_same_numbers(
    teams: tuple[int, ...], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks, walks = made(seed, teams, disturbed=0.1 / sum(teams)), tuple(1e6 * (seed % 2) for _ in teams)
    at_once = together(blocks, HZ, len(teams), walks)
    assert at_once.instants_s.size > 10
    for portion in (1, 1000):
        monkeypatch.setattr(moments, "PORTION", portion)
        same(together(blocks, HZ, len(teams), walks), at_once)
    monkeypatch.setattr(moments, "FARTHEST", 1)  # as if the ticks of two batches had no room on one line
    same(together(blocks, HZ, len(teams), walks), at_once)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("teams", [(1,), (2,), (3, 1), (1, 2, 2)])
def test_the_numbers_are_those_of_one_moment_after_the_other(teams: tuple[int, ...], seed: int) -> None:
    blocks, needed = made(seed, teams), 1e6 * (seed % 2)
    found = together(blocks, HZ, len(teams), (needed,) * len(teams))
    instants, ages, rates = one_by_one(blocks, teams, needed)
    assert len(instants) > 10
    np.testing.assert_array_equal(found.instants_s, instants)
    np.testing.assert_array_equal(found.ages_s, ages)
    np.testing.assert_allclose(found.rates, np.transpose(rates), rtol=1e-15)  # threads may be added in any order


def one_by_one(
    blocks: Blocks, teams: tuple[int, ...], needed: float
) -> tuple[list[float], list[float], list[list[float]]]:
    """The definition of `together` for small teams, without any array."""
    threads = [(group, thread) for group, team in enumerate(teams) for thread in range(team)]
    timed = blocks[(blocks["flags"] & SIZING) == 0]
    spacing = median((timed["stop_ticks"] - timed["start_ticks"]).astype(int).tolist())
    origin = int(blocks["start_ticks"].min())
    found: tuple[list[float], list[float], list[list[float]]] = ([], [], [])
    for batch in np.unique(blocks["batch"]):
        own = blocks[blocks["batch"] == batch]
        series = [_thread(own[(own["group"] == group) & (own["thread"] == thread)]) for group, thread in threads]
        counted = [[block for block in one if not block[2] & SIZING] for one in series]
        if not all(counted):
            continue
        begin, end = max(one[0][0] for one in counted), min(one[-1][1] for one in counted)
        for number in range(int((end - begin) / spacing) if begin < end else 0):
            moment = begin + spacing * (number + 0.5)
            seen = [_at(one, moment, needed) for one in series]
            if all(present for present, _, _ in seen):
                found[0].append((moment - origin) / HZ)
                found[1].append(min(age for _, age, _ in seen) / HZ)
                found[2].append([sum(r for (g, _), (_, _, r) in zip(threads, seen, strict=True) if g == group)
                                 for group in range(len(teams))])  # fmt: skip
    return found


def _thread(blocks: Blocks) -> list[Block]:
    names = ("start_ticks", "stop_ticks", "flags", "operations")
    return sorted((int(a), int(b), int(c), float(d)) for a, b, c, d in blocks[list(names)].tolist())


def _at(series: list[Block], moment: float, needed: float) -> tuple[bool, float, float]:
    """Whether a thread is undisturbed at a moment, for how many ticks it was so, and its rate."""
    begun = [block for block in series if block[0] <= int(moment)]
    since, left_alone = 0.0, begun[0][0]
    for _, stop, flags, operations in begun:
        done = since
        since += operations
        if flags & UNCLEAN & ~SIZING:
            since, left_alone = 0.0, stop
    start, stop, flags, operations = begun[-1]
    present = not flags & UNCLEAN and done + operations * NEGLIGIBLE >= needed
    return present, int(moment) - left_alone, operations * HZ / (stop - start)
