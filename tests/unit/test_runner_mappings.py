"""Some visits are repeated immediately in new memory, and rows show the part of their interval that mappings make."""

import math
from pathlib import Path

import msgspec
import numpy as np
import pytest

from fake_core import FakeCore
from lab import Lab, group, lab_in, plan_of, point
from tierscope.errors import ResultError
from tierscope.record.experiment import Experiment, Group
from tierscope.record.result import Run, load, save_result
from tierscope.run.second_mapping import PAIRS
from tierscope.stats.visited import BETWEEN, PLACED
from tierscope.tables.measured import measured
from tierscope.units import KiB

KERNELS = ("copy", "scale", "add", "triad", "update")
SMALL = str(4 * KiB)


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    made = lab_in(tmp_path, monkeypatch)
    made.core.pages = SMALL
    made.core.noise = lambda group: 0.001
    return made


def points(visits: int = 3) -> list[Experiment]:
    """Return points of one kind: only PAIRS of them are repeated."""
    return [point(group(kernel), minimum_s=0.2, budget_s=1.0, visits=visits) for kernel in KERNELS]


def seen(lab: Lab, *, limit: float = math.inf) -> Run:
    lab(plan_of(*points()), limit=limit)
    return load(lab.directory)


class Scattered:
    """Each point has another speed in each process of the core, or in each tour through the plan."""

    def __init__(self, core: FakeCore, share: float, *, by_tour: bool = False) -> None:
        self._core, self._share, self._by_tour, self._alone = core, share, by_tour, core.speed
        self._prepared: dict[str, int] = {}
        core.speed = self

    def __call__(self, group: Group) -> float:
        kernel = group.workload.kernel
        moment = self._core.log.count(f"prepare {kernel}")
        if self._by_tour and moment > 2:  # the third is the second one, repeated
            moment -= 1
        rng = np.random.default_rng([moment, *kernel.encode()])
        return float(self._alone(group) * np.exp(rng.normal(0, self._share)))


def test_second_visits_are_repeated_in_new_memory_and_count_for_nothing_else(lab: Lab) -> None:
    run = seen(lab)
    assert [(one.number, one.visit) for one in run.result.repeated] == [(number, 1) for number in range(PAIRS)]
    assert run.result.repeated[0].samples == "samples/0000-1-again.parquet"
    assert lab.core.log.count("start") == 3 + PAIRS  # each pair has two processes, so two mappings
    assert lab.core.open == 0
    for record in run.result.records:
        found = measured(run, record)
        assert found.seen
        assert found.seen.visits == 3
        assert found.seen.mapping_share is not None


@pytest.mark.parametrize("pages", ["2097152", ""])
def test_large_pages_and_memory_without_pages_are_not_mapped_again(lab: Lab, pages: str) -> None:
    lab.core.pages = pages
    run = seen(lab)
    assert not run.result.repeated
    assert all((found := measured(run, record).seen) and found.mapping_share is None for record in run.result.records)


def test_a_run_with_a_limit_has_no_time_for_it(lab: Lab) -> None:
    assert not seen(lab, limit=1e6).result.repeated


def test_changes_with_the_mapping_are_separated_from_changes_with_time(lab: Lab) -> None:
    Scattered(lab.core, 0.1)
    for record in (run := seen(lab)).result.records:
        found = measured(run, record)
        assert found.seen
        assert found.seen.mapping_share is not None
        assert found.seen.between_share is not None
        assert 0.3 < found.seen.mapping_share <= found.seen.between_share
    reasons = [measured(run, record).reasons[-1] for record in run.result.records]
    assert all(reason.endswith((PLACED, BETWEEN)) for reason in reasons)
    assert any(reason.endswith(PLACED) for reason in reasons)


def test_a_machine_that_drifts_has_no_share_of_mappings(lab: Lab) -> None:
    Scattered(lab.core, 0.1, by_tour=True)
    for record in (run := seen(lab)).result.records:
        found = measured(run, record)
        assert found.seen
        assert found.seen.mapping_share == pytest.approx(0, abs=0.01)
        assert found.reasons[-1].endswith(BETWEEN)


def test_a_repeated_visit_of_another_point_is_refused(lab: Lab) -> None:
    run = seen(lab)
    first, *_ = run.result.repeated
    for wrong in (msgspec.structs.replace(first, visit=7), msgspec.structs.replace(first, number=3)):
        save_result(lab.directory, msgspec.structs.replace(run.result, repeated=(*run.result.repeated, wrong)))
        with pytest.raises(ResultError, match="is repeated, and does not exist or is another one"):
            load(lab.directory)


def test_an_interrupted_run_does_not_repeat_what_it_has(lab: Lab) -> None:
    seen(lab)
    before = load(lab.directory).result.repeated
    lab.core.log.clear()
    seen(lab)
    assert load(lab.directory).result.repeated == before
    assert "start" not in lab.core.log
