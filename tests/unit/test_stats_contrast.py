"""A victim next to others: the interval of its slowdown contains the truth as often as it states."""

import math
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from made import HZ, Teamwork, made_blocks
from made_neighbors import AGAINST, FOOTPRINT, HOP_S, TAKES, facts_of, groups_of, order_of, taken, tasks
from tierscope.arrays import Floats
from tierscope.record.experiment import Experiment, Schedule
from tierscope.record.result import PREEMPTED, Blocks
from tierscope.stats.contrast import COVERED, ROUNDS, Contrast, contrasts, estimate, signed_rank
from tierscope.stats.median import Interval

TRUTH = math.log(1.06)
PRECISION = 0.02
MOST = 100  # rounds that the budget of a simulated experiment allows


# --- the interval, by simulation ---


def drawn(rng: np.random.Generator, noise: float, *, drift: float = 0.0, takes: int = 2, spoilt: float = 0.0) -> Floats:
    """x of MOST rounds: each take with its own noise, on a machine that slows by `drift` from take to take.

    `spoilt`: the share of rounds in which one of the two takes, no matter which, lasts up to half as long again.
    """
    turn = np.arange(MOST)
    base, own = rng.normal(0, noise, MOST), TRUTH + rng.normal(0, noise, MOST)
    own += drift * (takes - 1) * np.where(turn % 2 == 0, 1, -1)
    hit = (rng.random(MOST) < spoilt) * rng.uniform(0, 0.5, MOST)
    first = rng.random(MOST) < 0.5
    return np.asarray(own + hit * first - base - hit * ~first)


def stopped(series: Floats, find: Callable[[Floats, float], Interval] = estimate) -> Interval:
    """The report of the runner: rounds until the interval is as narrow as asked, or the budget ends."""
    for rounds in range(ROUNDS, series.size + 1):
        one = find(series[:rounds], 0.95)
        if math.sinh((one.high - one.low) / 2) <= PRECISION:
            break
    return one


def held(found: Sequence[Interval]) -> float:
    return float(np.mean([one.low <= TRUTH <= one.high for one in found]))


def simulated(runs: int = 250, **words: float) -> list[Interval]:
    rng = np.random.default_rng(1995)
    return [stopped(drawn(rng, **words)) for _ in range(runs)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "words",
    [
        {"noise": 0.005},
        {"noise": 0.02},
        {"noise": 0.04},
        {"noise": 0.01, "drift": 0.002},
        {"noise": 0.02, "drift": 0.002, "takes": 8},
        {"noise": 0.01, "spoilt": 0.1},
        {"noise": 0.02, "spoilt": 0.1},
    ],
    ids=str,
)
def test_the_interval_contains_the_true_slowdown_despite_drift_and_disturbed_rounds(
    words: dict[str, float],
) -> None:
    found = simulated(**words)
    assert 0.92 <= held(found) <= 0.995
    assert np.median([math.sinh((one.high - one.low) / 2) for one in found]) <= PRECISION


@pytest.mark.parametrize("words", [{"noise": 0.02}, {"noise": 0.04}, {"noise": 0.02, "spoilt": 0.1}], ids=str)
def test_intervals_of_two_repeats_cover_each_other_in_nine_of_ten(words: dict[str, float]) -> None:
    found = simulated(**words)
    pairs = zip(found[::2], found[1::2], strict=True)
    assert np.mean([a.low <= b.high and b.low <= a.high for a, b in pairs]) >= 0.95


def test_rounds_that_resemble_their_neighbours_widen_the_interval() -> None:
    rng = np.random.default_rng(8)

    def repeats(find: Callable[[Floats, float], Interval]) -> float:
        found = []
        for _ in range(200):
            series = np.empty(MOST)
            series[0] = rng.normal(0, 0.03)
            for i in range(1, MOST):
                series[i] = 0.5 * series[i - 1] + rng.normal(0, 0.03 * math.sqrt(0.75))
            found.append(stopped(TRUTH + series, find))
        return held(found)

    assert repeats(signed_rank) < 0.75
    assert repeats(estimate) > 0.8


def test_comparing_with_one_that_ran_before_would_fake_a_slowdown_on_a_machine_that_drifts() -> None:
    """The reason to alternate: the same drift, if all rounds of the base ran first."""
    rng = np.random.default_rng(4)
    rounds = np.arange(ROUNDS) * 0.004
    base, own = rng.normal(0, 0.002, ROUNDS) + rounds, rng.normal(0, 0.002, ROUNDS) + rounds + ROUNDS * 0.004
    assert signed_rank(own - base, 0.95).low > 0.02
    in_turns = drawn(rng, 0.002, drift=0.004)[:ROUNDS] - TRUTH
    one = signed_rank(in_turns, 0.95)
    assert one.low < 0 < one.high


# --- the estimate itself ---


def test_it_agrees_with_wilcoxons_test_as_scipy_has_it() -> None:
    """Its ends are where the test turns: just inside it does not reject, just outside it does."""
    from scipy.stats import wilcoxon  # slow to load, and each worker collects this file

    series = np.random.default_rng(2).normal(0.3, 1, 15)
    one = signed_rank(series, 0.95)
    for end, outward in ((one.low, -1e-9), (one.high, 1e-9)):
        assert wilcoxon(series - end + outward, method="exact").pvalue > 0.05
        assert wilcoxon(series - end - outward, method="exact").pvalue <= 0.05


def test_the_middle_is_the_median_of_the_means_of_pairs() -> None:
    series = np.array([1.0, 2.0, 10.0])
    assert signed_rank(series, 0.95).middle == np.median([1, 2, 10, 1.5, 5.5, 6])


def test_few_points_give_all_there_is_and_none_no_number() -> None:
    assert signed_rank(np.array([3.0, 1.0, 2.0]), 0.95) == Interval(1.0, 2.0, 3.0, 3)
    assert math.isnan(signed_rank(np.empty(0), 0.95).middle)
    assert signed_rank(np.empty(0), 0.95).count == 0


def test_one_disturbed_round_moves_it_little() -> None:
    series = np.random.default_rng(3).normal(0, 0.01, 20)
    before = estimate(series, 0.95)
    series[7] = 5.0
    after = estimate(series, 0.95)
    assert abs(after.middle - before.middle) < 0.005
    assert after.high < before.high + 0.01


@given(some.lists(some.floats(-1, 1), min_size=1, max_size=30))
def test_the_interval_contains_its_middle_and_follows_the_signs(values: list[float]) -> None:
    series = np.array(values)
    one, turned = estimate(series, 0.95), estimate(-series, 0.95)
    assert one.low <= one.middle <= one.high
    assert turned.middle == pytest.approx(-one.middle, abs=1e-12)
    assert turned.high == pytest.approx(-one.low, abs=1e-9)


# --- from blocks ---


def compared(
    kernel: str, blocks: Blocks, rounds: int, aggressor: str = "copy", *, shared: bool = False
) -> tuple[Contrast, ...]:
    groups = tuple(msgspec.structs.replace(group, shared=shared) for group in groups_of(kernel, aggressor))
    schedule = Schedule(precision=PRECISION)
    experiment = Experiment(table="neighbors", groups=groups, schedule=schedule, takes=TAKES, against=AGAINST)
    return contrasts(blocks, HZ, experiment, facts_of(groups), order_of(len(TAKES), rounds))


def ran(kernel: str, slower: Sequence[float], rounds: int = ROUNDS) -> Blocks:
    parts = [taken(kernel, take, batch, slower[take], 11) for batch, take in enumerate(order_of(len(TAKES), rounds))]
    return np.concatenate(parts)


@pytest.mark.parametrize("kernel", ["flow", "chase"])
def test_a_slowdown_put_in_comes_out_and_a_take_against_itself_is_one(kernel: str) -> None:
    alone, beside, two, both = compared(kernel, ran(kernel, (1, 1.06, 1.02, 1.2 * 1.02)), ROUNDS)
    assert alone.ratio == Interval(1.0, 1.0, 1.0, ROUNDS)
    for found, truth in ((beside, 1.06), (two, 1.02), (both, 1.2)):
        assert found.ratio.middle == pytest.approx(truth, rel=0.01)
        assert found.ratio.low < found.ratio.middle < found.ratio.high
        assert found.ratio.count == ROUNDS
        assert found.conclusive
    own = 0.25 if kernel == "flow" else HOP_S
    assert beside.seconds.middle == pytest.approx(1.06 * own, rel=0.01)


def test_fewer_rounds_than_eight_are_never_conclusive() -> None:
    found = compared("flow", ran("flow", (1, 1, 1, 1), 5), 5)
    assert all(one.reasons == ("only 5 rounds of 8",) for one in found)


def test_a_wide_interval_states_by_how_much() -> None:
    blocks = ran("flow", (1, 1, 1, 1))
    odd = (blocks["batch"] % 3 == 0) & (blocks["group"] == 0)
    blocks["stop_ticks"][odd] += np.uint64(0.2 * HZ)
    reasons = compared("flow", blocks, ROUNDS)[1].reasons
    assert any(reason.startswith("slowdown ±") and reason.endswith("over 2 %") for reason in reasons)


def test_a_task_counts_whole_whatever_interrupted_it() -> None:
    blocks = ran("flow", (1, 1.06, 1, 1))
    blocks["flags"] |= PREEMPTED
    beside = compared("flow", blocks, ROUNDS)[1]
    assert beside.ratio.middle == pytest.approx(1.06, rel=0.005)
    assert beside.left_out_share == 0


def test_a_task_that_is_switched_out_all_the_time_is_doubted() -> None:
    blocks = ran("flow", (1, 1.06, 1, 1))
    blocks["switches"] = 60  # in a quarter of a second
    alone, beside, *_ = compared("flow", blocks, ROUNDS)
    assert beside.reasons[0].startswith("victims were switched out 2")
    assert alone.reasons[0].endswith("times a second: the machine is busy")
    blocks["switches"] = 5
    assert compared("flow", blocks, ROUNDS)[1].conclusive
    blocks["switches"] = 60
    assert compared("flow", blocks, ROUNDS, shared=True)[1].conclusive  # they share a CPU, as requested


def test_a_command_that_prints_is_not_doubted_for_it() -> None:
    blocks = ran("command", (1, 1.06, 1, 1))
    blocks["switches"] = 60  # its thread wakes for each line
    assert compared("command", blocks, ROUNDS)[1].conclusive


def test_disturbed_moments_of_a_kernel_are_left_out() -> None:
    blocks = ran("chase", (1, 1.06, 1, 1))
    slow = (blocks["group"] == 0) & (np.arange(blocks.size) % 5 == 0)
    blocks["stop_ticks"][slow] += np.uint64(0.0001 * HZ)
    blocks["flags"][slow] |= PREEMPTED
    beside = compared("chase", blocks, ROUNDS)[1]
    assert beside.ratio.middle == pytest.approx(1.06, rel=0.005)
    assert 0.15 < beside.left_out_share < 0.5


def test_a_round_without_an_undisturbed_moment_does_not_count() -> None:
    blocks = ran("chase", (1, 1.06, 1, 1), ROUNDS + 1)
    blocks["flags"][blocks["batch"] == 0] |= PREEMPTED  # the first round of the victim alone
    alone, beside, two, both = compared("chase", blocks, ROUNDS + 1)
    assert (alone.ratio.count, beside.ratio.count, two.ratio.count) == (ROUNDS, ROUNDS, ROUNDS)
    assert both.ratio.count == ROUNDS + 1


@pytest.mark.parametrize("aggressor", ["sleep", "command"])
def test_an_aggressor_that_sleeps_or_waits_is_switched_out_by_nature(aggressor: str) -> None:
    blocks = ran("chase", (1, 1, 1, 1))
    blocks["flags"][blocks["group"] == 2] |= PREEMPTED
    beside = compared("chase", blocks, ROUNDS, aggressor)[1]
    assert beside.ratio.low <= 1 <= beside.ratio.high
    assert beside.conclusive
    assert compared("chase", blocks, ROUNDS, "copy")[1].ratio.count == 0  # one that should work is disturbed


@pytest.mark.parametrize(("waits", "rounds"), [("time", ROUNDS), ("processes", ROUNDS), ("file", ROUNDS), ("none", 0)])
def test_facts_state_what_a_thread_waits_for(waits: str, rounds: int) -> None:
    """A load that waits for nothing is disturbed; one that waits by nature is left alone."""
    blocks = ran("chase", (1, 1, 1, 1))
    blocks["flags"][blocks["group"] == 2] |= PREEMPTED
    groups = groups_of("chase", "copy")
    own = [msgspec.structs.replace(one, waits=waits if place == 2 else "none")
           for place, one in enumerate(facts_of(groups))]  # fmt: skip
    schedule = Schedule(precision=PRECISION)
    experiment = Experiment(table="neighbors", groups=groups, schedule=schedule, takes=TAKES, against=AGAINST)
    assert contrasts(blocks, HZ, experiment, own, order_of(len(TAKES), ROUNDS))[1].ratio.count == rounds


def test_three_kernels_wait_in_cores_that_did_not_state_it() -> None:
    facts = facts_of(groups_of("chase", "copy"))[0]

    def waits_for(kernel: str, waits: str = "") -> str:
        return msgspec.structs.replace(facts, kernel=kernel, waits=waits).waits_for

    assert (waits_for("flush_msync"), waits_for("command"), waits_for("flush_clwb")) == ("file", "processes", "none")
    assert waits_for("flush_msync", "none") == "none"
    assert (waits_for("sleep"), waits_for("sleep", "none"), waits_for("busy", "none")) == ("time", "time", "none")


def test_the_first_walk_of_a_batch_finds_the_lines_of_the_take_before_and_does_not_count() -> None:
    """Half of the batch at twice the time: the median of all would be between."""
    walk_s = FOOTPRINT / 64 * HOP_S
    parts = []
    for batch, take in enumerate(order_of(len(TAKES), ROUNDS)):
        rates = tuple(Teamwork((1 / HOP_S,), warm_up=45) for _ in TAKES[take])
        part = made_blocks(rates, seed=batch, batch=batch, begin_s=1.0 + batch, preempted=0)
        part["group"] = np.asarray(TAKES[take], dtype=np.uint16)[part["group"]]
        parts.append(part)
    found = compared("chase", np.concatenate(parts), ROUNDS)
    assert walk_s > 45 * 1e-3  # of the blocks at half the rate; a batch has 100
    assert found[0].seconds.middle == pytest.approx(HOP_S, rel=0.01)


def test_on_a_shared_cpu_the_time_of_the_others_is_the_effect() -> None:
    """Most blocks see nobody else; a few wait for a whole time slice."""
    blocks = ran("chase", (1, 1, 1, 1))
    lone = np.isin(blocks["batch"], [b for b, take in enumerate(order_of(len(TAKES), ROUNDS)) if take == 1])
    waits = np.flatnonzero(lone & (blocks["group"] == 0) & (blocks["flags"] == 0))[::10]
    blocks["stop_ticks"][waits] += np.uint64(0.01 * HZ)
    blocks["flags"][waits] |= PREEMPTED
    assert compared("chase", blocks, ROUNDS, shared=True)[1].ratio.middle > 1.5
    assert compared("chase", blocks, ROUNDS)[1].ratio.middle == pytest.approx(1, rel=0.01)


def test_a_task_that_ran_without_its_aggressor_is_doubted() -> None:
    parts = []
    for batch, take in enumerate(order_of(len(TAKES), ROUNDS)):
        seconds = [0.25 if group in TAKES[take] else 0.0 for group in range(3)]
        seconds[2] *= 0.6  # the aggressor ends early
        parts.append(tasks(seconds, batch))
    alone, beside, *_ = compared("flow", np.concatenate(parts), ROUNDS)
    assert alone.coverage == 1
    assert beside.coverage == pytest.approx(0.6, rel=0.01)
    assert beside.coverage < COVERED
    assert beside.reasons == ("all threads ran together in only 60 % of the victims' time",)


def test_a_take_without_a_victim_has_no_number() -> None:
    groups = groups_of("flow")
    experiment = Experiment(table="neighbors", groups=groups, takes=((2,),), against=(0,))
    blocks = np.concatenate([tasks((0, 0, 1.0), batch) for batch in range(ROUNDS)])
    (found,) = contrasts(blocks, HZ, experiment, facts_of(groups), (0,) * ROUNDS)
    assert math.isnan(found.seconds.middle)
    assert not found.conclusive
