"""Operations on structures in the runner: whole rounds, until the time of a round is sure; their timings are kept."""

from pathlib import Path

import pytest

from fake_core import FakeCore
from lab import Lab, group, plan_of, point
from tierscope.errors import WrongAnswerError
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.work.key import KeyedWork
from tierscope.run import runner
from tierscope.stats.contrast import ROUNDS, VICTIM


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    core = FakeCore(task=lambda group: 0.02, noise=lambda group: 0.001)
    monkeypatch.setattr(runner, "time", core)
    return Lab(tmp_path, core)


def gets(precision: float = 0.05, budget_s: float = 2.0) -> Experiment:
    work = Workload(kernel="made_map", footprint_bytes=0, work=KeyedWork(operation="get", count=1000, value_bytes=16))
    one = Group(workload=work, target=Target(), team=Team(cpus=(0,)), role=VICTIM)
    schedule = Schedule(precision=precision, minimum_s=0.02, budget_s=budget_s)
    return Experiment(table="maps", groups=(one,), schedule=schedule, takes=((0,),), against=(0,))


def test_rounds_end_with_the_eighth_batch_where_their_time_is_sure(lab: Lab) -> None:
    lab(plan_of(gets()))
    (record,) = lab.records
    assert record.takes == (0,) * ROUNDS
    assert len(record.timings[0]) == ROUNDS


def test_rounds_continue_until_the_budget_ends_if_the_interval_stays_wide(lab: Lab) -> None:
    """A take that is alone has a ratio of exactly one; its own time is what must be sure."""
    lab.core.noise = lambda group: 0.5
    lab(plan_of(gets(precision=0.01, budget_s=0.5)))
    (record,) = lab.records
    assert len(record.takes) > ROUNDS
    assert len(record.timings[0]) == len(record.takes)


def test_timings_are_asked_for_before_the_answer_and_the_structure_is_released_after_it(lab: Lab) -> None:
    lab(plan_of(gets()))
    assert lab.core.log[-4:] == ["timings", "check", "drop", "close"]


def test_kernels_have_no_timings_and_keep_their_memory(lab: Lab) -> None:
    lab(plan_of(point(group())))
    (record,) = lab.records
    assert record.timings == ()
    assert "timings" not in lab.core.log
    assert "drop" not in lab.core.log


def test_a_wrong_structure_has_no_result(lab: Lab) -> None:
    lab.core.error = lambda group: float("inf")
    with pytest.raises(
        WrongAnswerError, match="the content of the structure is not what its operations should have left"
    ):
        lab(plan_of(gets()))
    assert not (lab.directory / "result.json").exists()
    assert "drop" in lab.core.log
