"""Quick ends with intervals within its limit on a large machine, whose points and searches take long."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from fake_core import FakeCore, made_catalogue
from lab import EMPTY, lab_in
from made_machine import made_machine
from tierscope.plans import suites
from tierscope.record.experiment import Group
from tierscope.record.result import load
from tierscope.run.runner import Runner
from tierscope.run.walks import Walks
from tierscope.stats.visited import ONCE
from tierscope.suites.latency.experiments import coarser
from tierscope.suites.quick.experiments import COARSE, TEAMS, QuickOptions, teams
from tierscope.tables.measured import judged
from tierscope.units import MiB

LIMIT_S = 105.0
HOP_S = 1.5e-9  # to fill a byte of a cycle: 1.9 GB take 3 s
LINE_S = 1e-10
ASK_S = 0.012  # of each trial of a search
DRIFT = 0.02  # between visits


def fill_s(group: Group) -> float:
    return group.workload.footprint_bytes * (HOP_S if group.workload.kernel == "chase" else LINE_S)


def drifting(core: FakeCore) -> None:
    """Let each process of the core run each point at another speed; half of the drift is common to alike points."""
    alone = core.speed

    def drift(*seed: int) -> float:
        return float(np.random.default_rng(seed).normal(0, DRIFT / np.sqrt(2)))

    def speed(group: Group) -> float:
        work = group.workload
        alike = drift(core.log.count("start"), *work.kernel.encode(), work.footprint_bytes, len(group.team.cpus))
        return float(alone(group) * np.exp(alike + drift(len(core.log))))

    core.speed = speed


def test_all_points_have_an_interval_within_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab, machine = lab_in(tmp_path, monkeypatch), made_machine(4)
    lab.core.fill_s, lab.core.ask_s = fill_s, ASK_S
    drifting(lab.core)
    empty, walks = msgspec.structs.replace(EMPTY, machine=machine, suite="quick"), Walks(made_catalogue())
    Runner(tmp_path, empty, lab.core.session, walks, limit_s=LIMIT_S).execute(
        lambda: suites["quick"].plan(machine, QuickOptions())
    )
    run = load(tmp_path)
    points = [point for record in run.result.records for point in judged(run, record).points]
    assert LIMIT_S - 10 < lab.core.now < LIMIT_S + 1
    assert not any(ONCE in reason for point in points for reason in point.reasons)
    assert sum(point.conclusive for point in points) > 0.5 * len(points)


@pytest.mark.parametrize(("fault_s", "sure"), [pytest.param(1e-9, 0.75, marks=pytest.mark.slow), (3e-9, 0.75)])
def test_points_of_all_kinds_are_visited_again_where_memory_is_slow_to_map(
    fault_s: float, sure: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """fault_s: to map a byte. A guest of a large server took 1e-9 s. Each tour maps all memory again."""
    lab, machine = lab_in(tmp_path, monkeypatch), made_machine(2)
    lab.core.fill_s, lab.core.ask_s = lambda group: fill_s(group) / 5, ASK_S
    lab.core.map_s = lambda group: group.workload.footprint_bytes * fault_s
    drifting(lab.core)
    empty, walks = msgspec.structs.replace(EMPTY, machine=machine, suite="quick"), Walks(made_catalogue())
    Runner(tmp_path, empty, lab.core.session, walks, limit_s=LIMIT_S).execute(
        lambda: suites["quick"].plan(machine, QuickOptions())
    )
    run = load(tmp_path)
    points = [point for record in run.result.records for point in judged(run, record).points]
    assert lab.core.now < LIMIT_S + 1
    assert {visit.experiment.table for visit in run.result.visits} == {r.experiment.table for r in run.result.records}
    assert sum(point.conclusive for point in points) > sure * len(points)


@pytest.mark.parametrize(
    ("cpus", "expected"),
    [
        (1, (1,)),
        (2, (1, 2)),
        (3, (1, 2, 3)),
        (4, (1, 2, 4)),
        (16, (1, 4, 8, 16)),
        (96, (1, 8, 32, 96)),
        (256, (1, 8, 64, 256)),
    ],
)
def test_teams_are_few_and_spread_over_all_sizes(cpus: int, expected: tuple[int, ...]) -> None:
    assert teams(cpus) == expected
    assert len(expected) <= TEAMS


def test_half_of_the_large_footprints_are_left_out_but_not_the_largest() -> None:
    sizes = [MiB, 2 * MiB, COARSE, 90 * MiB, 128 * MiB, 181 * MiB, 256 * MiB, 300 * MiB]
    assert coarser(sizes, COARSE) == [MiB, 2 * MiB, COARSE, 90 * MiB, 181 * MiB, 300 * MiB]
    assert coarser(sizes, float("inf")) == sizes
