"""Experiments of several takes on a core that is made up: turns, when they end, and how they continue."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest

from fake_core import TASK_S
from lab import Lab, Watch, lab_in, plan_of
from made_neighbors import AGAINST, TAKES, groups_of
from tierscope.errors import CoreError
from tierscope.record.experiment import Experiment, Group, Schedule
from tierscope.record.result import load, read_blocks
from tierscope.run.expected import expected_seconds
from tierscope.stats.contrast import ROUNDS
from tierscope.stats.judged import Judged
from tierscope.tables.measured import judged

BATCH_S = 0.1
Slow = Callable[[Group, Sequence[Group]], float]


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    return lab_in(tmp_path, monkeypatch)


def turns(kernel: str = "chase", aggressor: str = "copy", budget_s: float = 5.0, precision: float = 0.02) -> Experiment:
    schedule = Schedule(minimum_s=BATCH_S, budget_s=budget_s, precision=precision)
    groups = groups_of(kernel, aggressor)
    return Experiment(table="neighbors", groups=groups, schedule=schedule, takes=TAKES, against=AGAINST)


def beside(share: float) -> Slow:
    """A victim is slower by `share` for each aggressor that works, and for each other victim by a tenth of that."""

    def slow(group: Group, ran: Sequence[Group]) -> float:
        others = [one for one in ran if one is not group]
        busy = sum(one.role == "aggressor" and one.workload.kernel != "sleep" for one in others)
        victims = sum(one.role == "victim" for one in others)
        return (1 + share * busy) * (1 + share / 10 * victims) if group.role == "victim" else 1.0

    return slow


def found(lab: Lab) -> Judged:
    (record,) = lab.records
    return judged(load(lab.directory), record)


def test_every_take_runs_once_in_a_round_forth_and_back(lab: Lab) -> None:
    lab(plan_of(turns()))
    (record,) = lab.records
    rounds = len(record.takes) // len(TAKES)
    forth, back = (0, 1, 2, 3), (3, 2, 1, 0)
    assert record.takes == tuple(take for turn in range(rounds) for take in (forth if turn % 2 == 0 else back))


def test_only_the_groups_of_a_take_run(lab: Lab) -> None:
    lab(plan_of(turns()))
    (record,) = lab.records
    blocks = read_blocks(lab.directory / record.samples)
    for batch, take in enumerate(record.takes):
        assert set(blocks["group"][blocks["batch"] == batch].tolist()) == set(TAKES[take])


def test_a_quiet_machine_is_done_after_eight_rounds_of_equal_batches(lab: Lab) -> None:
    lab(plan_of(turns()))
    assert lab.core.log.count(f"measure {BATCH_S:.3f}") == ROUNDS * len(TAKES)
    assert len([step for step in lab.core.log if step.startswith("measure")]) == ROUNDS * len(TAKES)
    assert found(lab).conclusive


def test_a_noisy_machine_gets_more_rounds_until_every_comparison_is_sure(lab: Lab) -> None:
    lab.core.slow = lambda group, ran: float(np.exp(np.random.default_rng(lab.core.measured).normal(0, 0.02)))
    watch = Watch()
    lab(plan_of(turns(budget_s=60)), watch)
    rounds = len(watch.looks)
    assert rounds > ROUNDS
    assert [look.conclusive for look in watch.looks[ROUNDS - 1 :]] == [False] * (rounds - ROUNDS) + [True]
    assert all(one.ratio.relative <= 0.02 for one in found(lab).contrasts)


@pytest.mark.parametrize(("budget_s", "rounds"), [(0.3, ROUNDS), (2.0, 20)])
def test_a_hopeless_comparison_ends_with_its_budget_but_not_before_eight_rounds(
    lab: Lab, budget_s: float, rounds: int
) -> None:
    lab.core.slow = lambda group, ran: float(np.exp(np.random.default_rng(lab.core.measured).normal(0, 0.5)))
    lab(plan_of(turns(budget_s=budget_s)))
    (record,) = lab.records
    assert len(record.takes) == pytest.approx(rounds * len(TAKES), abs=len(TAKES))
    assert not found(lab).conclusive


def test_the_budget_counts_the_time_that_tasks_really_take(lab: Lab) -> None:
    lab.core.slow = lambda group, ran: float(np.exp(np.random.default_rng(lab.core.measured).normal(0, 0.5)))
    lab(plan_of(turns("flow", budget_s=16 * TASK_S)))
    (record,) = lab.records
    assert ROUNDS <= len(record.takes) / len(TAKES) < 2 * ROUNDS  # by batches of 0.1 s it would be forty


@pytest.mark.parametrize("kernel", ["chase", "flow", "triad"])
def test_a_slowdown_is_found(lab: Lab, kernel: str) -> None:
    lab.core.slow = beside(0.2)
    lab(plan_of(turns(kernel)))
    _, one, two, both = found(lab).contrasts
    for contrast, truth in ((one, 1.2), (two, 1.02), (both, 1.2)):
        assert contrast.ratio.middle == pytest.approx(truth, rel=0.01)
    assert one.ratio.low > 1


@pytest.mark.parametrize("kernel", ["chase", "flow"])
def test_a_machine_that_grows_slower_all_the_time_fakes_no_slowdown(lab: Lab, kernel: str) -> None:
    """By a third over the run: measured one after the other, the last take would look the slowest."""
    lab.core.slow = lambda group, ran: 1 + 0.1 * lab.core.now
    lab(plan_of(turns(kernel, budget_s=2.5)))
    for one in found(lab).contrasts[1:]:
        assert one.ratio.low <= 1 <= one.ratio.high
        assert one.ratio.middle == pytest.approx(1, abs=0.03)
    assert found(lab).contrasts[0].seconds.relative > 0.02  # it did drift


@pytest.mark.parametrize("kernel", ["chase", "flow"])
def test_the_slowdown_by_a_sleeping_aggressor_is_one(lab: Lab, kernel: str) -> None:
    lab.core.slow = beside(0.5)
    lab(plan_of(turns(kernel, "sleep")))
    _, one, _, both = found(lab).contrasts
    for contrast in (one, both):
        assert contrast.conclusive
        assert contrast.ratio.low <= 1 <= contrast.ratio.high


def test_eleven_repeats_give_intervals_that_cover_each_other_in_nine_of_ten_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each repeat with noise of its own, 1 % from batch to batch."""
    ratios = []
    for repeat in range(11):
        lab = lab_in(tmp_path / str(repeat), monkeypatch)

        def slow(group: Group, ran: Sequence[Group], lab: Lab = lab, repeat: int = repeat) -> float:
            rng = np.random.default_rng([repeat, lab.core.measured])
            return beside(0.06)(group, ran) * float(np.exp(rng.normal(0, 0.01)))

        lab.core.slow = slow
        lab(plan_of(turns("flow")))
        ratios.append([one.ratio for one in found(lab).contrasts[1:]])
    pairs = [(a, b) for first, second in pairwise(ratios)
             for a, b in zip(first, second, strict=True)]  # fmt: skip
    assert np.mean([a.low <= b.high and b.low <= a.high for a, b in pairs]) >= 0.9


def test_stopped_within_any_round_it_ends_as_one_that_was_never_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = lab_in(tmp_path / "whole", monkeypatch)
    whole(plan_of(turns(), turns("flow")))
    for stop in (3, ROUNDS * len(TAKES) + 5):
        lab = lab_in(tmp_path / str(stop), monkeypatch)
        lab.core.dies_at = stop
        with pytest.raises(CoreError):
            lab(plan_of(turns(), turns("flow")))
        lab.core.dies_at = -1
        watch = Watch()
        lab(plan_of(turns(), turns("flow")), watch)
        assert watch.resumed == [stop > ROUNDS * len(TAKES), False]
        for one, other in zip(lab.records, whole.records, strict=True):
            assert one.takes == other.takes
            samples = [read_blocks(where.directory / one.samples) for where in (lab, whole)]
            assert np.array_equal(*samples)


def test_a_run_is_planned_with_the_time_of_eight_rounds_of_all_takes() -> None:
    one = turns(budget_s=0.1)
    assert expected_seconds(one) >= ROUNDS * len(TAKES) * BATCH_S
    alone = msgspec.structs.replace(one, takes=(), against=())
    assert expected_seconds(alone) < expected_seconds(one) / len(TAKES)
