"""A whole record judged: takes by themselves where nothing is compared, comparisons where something is."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from made import HZ, Maker, Teamwork, made_blocks, made_facts, one_group
from made_machine import made_machine
from made_neighbors import SLOWER, TAKES, add_neighbors
from tierscope.record.experiment import Experiment, Schedule
from tierscope.record.result import Record, Run
from tierscope.stats.judged import Judged, judge_record, share_cpus
from tierscope.stats.point import judge
from tierscope.tables.measured import judged
from tierscope.units import GiB

CACHES = made_machine().identity.caches
PAIR = (one_group("triad", (0,), GiB), one_group("copy", (1,), GiB))


@pytest.fixture(scope="module")
def turns(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Record]:
    maker = Maker(tmp_path_factory.mktemp("turns"))
    record = add_neighbors(maker, "chase")
    return maker.save("neighbors"), record


def test_one_take_is_judged_as_its_blocks_are() -> None:
    blocks = made_blocks((Teamwork((1e8,)), Teamwork((2e8,))), seed=5)
    facts = tuple(made_facts(group) for group in PAIR)
    experiment = Experiment(table="groups", groups=PAIR)
    found = judge_record(blocks, HZ, experiment, facts, (), CACHES)
    (point,) = found.points
    assert [one.interval for one in point.groups] == [one.interval for one in judge(blocks, HZ, 2, Schedule()).groups]
    assert found.contrasts == ()
    assert found.conclusive is point.conclusive is True


def test_each_take_has_a_point_of_its_groups_and_a_comparison(turns: tuple[Run, Record]) -> None:
    found = judged(*turns)
    assert [len(point.groups) for point in found.points] == [len(take) for take in TAKES]
    ratios = [one.ratio.middle for one in found.contrasts]
    assert ratios == pytest.approx([1, SLOWER[1], SLOWER[2], SLOWER[3] / SLOWER[2]], rel=0.01)


def test_only_the_comparison_of_compared_takes_must_be_conclusive(turns: tuple[Run, Record]) -> None:
    found = judged(*turns)
    doubtful = tuple(judge(np.empty(0, dtype=turns[0].blocks(turns[1]).dtype), HZ, 1, Schedule()) for _ in TAKES)
    assert Judged(doubtful, found.contrasts).conclusive
    assert not Judged(doubtful, ()).conclusive
    assert Judged(doubtful[:1] * 2, ()).reasons == doubtful[0].reasons  # each once


def test_threads_that_share_a_cpu_are_clean_although_switched_out() -> None:
    blocks = made_blocks((Teamwork((1e8,)), Teamwork((2e8,))), seed=5, preempted=0.9)
    apart = tuple(made_facts(group) for group in PAIR)
    shared = (apart[0], msgspec.structs.replace(apart[1], cpus=(0,)))
    assert share_cpus(shared)
    assert not share_cpus(apart)
    experiment = Experiment(table="groups", groups=PAIR)
    left = [judge_record(blocks, HZ, experiment, facts, (), CACHES).points[0].together.left_out_share
            for facts in (apart, shared)]  # fmt: skip
    assert left[0] > 0.8
    assert left[1] < 0.2


def test_a_run_read_back_is_judged_the_same(turns: tuple[Run, Record], tmp_path: Path) -> None:
    run, record = turns
    found = judged(run, record)
    caches = run.result.machine.identity.caches
    again = judge_record(run.blocks(record), HZ, record.experiment, record.groups, record.takes, caches)
    assert again.contrasts == found.contrasts
