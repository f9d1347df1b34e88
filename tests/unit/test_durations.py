"""The time of a tour: each point alone, and each memory once, at the first of the points that share it."""

from pathlib import Path

import msgspec
import pytest

from lab import Lab, group, lab_in, plan_of, point
from tierscope.record.experiment import Experiment, Group
from tierscope.record.result import Result, load
from tierscope.run.durations import Durations
from tierscope.run.mappings import mapped_by
from tierscope.units import MiB

MAP_S = 4.0


def of_bytes(kernel: str, size: int, node: str = "0") -> Group:
    made = group(kernel)
    workload = msgspec.structs.replace(made.workload, footprint_bytes=size)
    return msgspec.structs.replace(made, workload=workload, target=msgspec.structs.replace(made.target, where=node))


def alone(size: int, node: str = "0") -> Experiment:
    return point(of_bytes("copy", size, node), minimum_s=0.2, budget_s=1.0, visits=3)


def beside(size: int) -> Experiment:
    return point(of_bytes("copy", size), of_bytes("triad", size), minimum_s=0.2, budget_s=1.0, visits=3)


def test_a_point_uses_the_memory_of_the_one_before_if_it_is_the_same_and_large_enough() -> None:
    sizes = [alone(2 * MiB), alone(MiB), alone(2 * MiB), alone(4 * MiB), alone(MiB, "1"), alone(MiB)]
    assert mapped_by(sizes) == [0, 0, 0, 3, 4, 5]


def test_the_memory_of_a_group_is_gone_after_a_point_without_it() -> None:
    assert mapped_by([beside(MiB), beside(MiB), alone(MiB), alone(MiB), beside(MiB)]) == [0, 0, 0, 0, 4]


@pytest.fixture
def result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Result:
    lab: Lab = lab_in(tmp_path, monkeypatch)
    lab.core.map_s = lambda group: MAP_S
    lab(plan_of(alone(2 * MiB), alone(MiB), alone(MiB, "1")))
    return load(lab.directory).result


def test_a_tour_that_leaves_out_the_point_that_mapped_still_pays_for_its_memory(result: Result) -> None:
    records = result.records
    assert records[0].seconds > MAP_S > records[1].seconds
    known = Durations(records, (), {}, {record.number: MAP_S for record in records})
    assert known.tour_s(records) == pytest.approx(sum(record.seconds for record in records))
    assert known.tour_s(records[1:2]) == pytest.approx(records[1].seconds + MAP_S)
    assert known.tour_s(records[:2]) == pytest.approx(records[0].seconds + records[1].seconds)
    shares = known.shares_s(records)
    assert shares[1] == pytest.approx(records[1].seconds + MAP_S / 2)
    assert shares[2] == pytest.approx(records[2].seconds)


def test_a_later_visit_counts_without_the_memory_that_it_mapped(result: Result) -> None:
    known = Durations(result.records, result.visits, {}, {record.number: MAP_S for record in result.records})
    assert all(known.point_s(record) < 1.0 for record in result.records)
    assert known.tour_s(result.records) < 2 * MAP_S + 3.0


def test_a_point_that_mapped_less_than_its_owner_is_not_free_afterwards(result: Result) -> None:
    records, later = result.records, result.visits[0]
    alone = msgspec.structs.replace(later, number=1, experiment=records[1].experiment, seconds=MAP_S / 2)
    known = Durations(records, (alone,), {}, {record.number: MAP_S for record in records})
    assert known.point_s(records[1]) == pytest.approx(records[1].seconds)
