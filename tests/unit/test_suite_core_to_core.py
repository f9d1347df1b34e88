"""Plans of `core-to-core` on made machines, and the order in which the machine lists its CPUs."""

from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from lab import Lab, lab_in, plan_of
from made_machine import large, made_machine, made_server
from made_numa import planned
from tierscope.errors import MachineError, UsageError
from tierscope.plans import suites
from tierscope.plans.live import describe
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.record.result import load
from tierscope.run.expected import expected_seconds, imagine
from tierscope.suites.core_to_core.experiments import PAIR_S
from tierscope.tables import tables


def plans(machine: Machine, **words: str) -> list[Experiment]:
    return planned("core-to-core", machine, **words)


def pairs(experiments: list[Experiment]) -> list[tuple[int, ...]]:
    return [group.team.cpus for experiment in experiments for group in experiment.groups]


@pytest.mark.parametrize(
    ("machine", "cpus"),
    [
        (made_machine(2), 2),
        (made_server(), 8),
        (large(), 128),
        (made_server(threads=2, offline=(3, 11), forbidden=(0,)), 13),
    ],
)
def test_every_pair_is_measured_once(machine: Machine, cpus: int) -> None:
    found = pairs(plans(machine))
    assert len(found) == len({frozenset(pair) for pair in found}) == cpus * (cpus - 1) // 2
    assert {cpu for pair in found for cpu in pair} == set(machine.cpus())


def test_each_experiment_has_the_pairs_of_one_cpu_and_each_pair_runs_alone() -> None:
    experiments = plans(made_server())
    assert [len(experiment.groups) for experiment in experiments] == [7, 6, 5, 4, 3, 2, 1]
    for experiment in experiments:
        assert {group.team.cpus[0] for group in experiment.groups} == {experiment.labels["a_cpu"]}
        assert experiment.takes == tuple((take,) for take in range(len(experiment.groups)))
        assert not experiment.against


def test_cpus_are_ordered_by_package_node_cache_and_core() -> None:
    machine = made_server(cores=2, threads=2)
    assert machine.by_topology(machine.cpus()) == (0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)
    assert machine.by_topology((15, 0, 4, 9)) == (0, 9, 4, 15)


def test_cpus_of_one_cache_are_together_however_they_are_numbered() -> None:
    order = large().by_topology(large().cpus())
    caches = [large().last_level_cache_of(cpu) for cpu in order]
    assert len(set(caches)) == 8
    assert sum(one != other for one, other in pairwise(caches)) == 7


def test_without_known_caches_the_order_is_that_of_cores() -> None:
    machine = made_server(caches=0)
    assert machine.last_level_cache_of(0) is None
    assert machine.by_topology((7, 3, 5)) == (3, 5, 7)


def test_lines_live_on_the_node_of_the_pairs_first_cpu_in_small_pages() -> None:
    machine = made_server(numbers=(0, 2, 5, 9))
    nodes = {cpu.number: cpu.node for cpu in machine.identity.cpus}
    groups = [group for experiment in plans(machine) for group in experiment.groups]
    assert all(group.target.word == f"node:{nodes[group.team.cpus[0]]}" for group in groups)
    assert {group.target.where for group in groups} == {"0", "2", "5", "9"}
    assert {group.target.pages for group in groups} == {"4k"}
    assert {group.workload.kernel for group in groups} == {"handover"}


def test_lines_of_a_cpu_whose_node_has_no_memory_live_on_the_nearest_that_has() -> None:
    machine = made_server()
    bare = tuple(
        msgspec.structs.replace(n, memory_bytes=0) if n.number in (0, 3) else n for n in machine.identity.nodes
    )
    machine = msgspec.structs.replace(machine, identity=msgspec.structs.replace(machine.identity, nodes=bare))
    homes = {e.labels["a_cpu"]: e.groups[0].target.word for e in plans(machine)}
    assert homes[0] == "node:1"
    assert homes[6] == "node:2"


def test_a_named_target_contains_all_lines_and_lines_set_the_footprint() -> None:
    groups = [g for e in plans(made_server(memory_alone=1), target="node:4", lines="3") for g in e.groups]
    assert {group.target.word for group in groups} == {"node:4"}
    assert {group.workload.footprint_bytes for group in groups} == {192}


def test_only_the_cpus_asked_for_are_paired_in_the_order_of_the_topology() -> None:
    assert pairs(plans(made_server(), cpus="5,0,4")) == [(0, 4), (0, 5), (4, 5)]


def test_the_time_of_a_large_machine_is_estimated_and_bounded_by_its_pairs() -> None:
    experiments = plans(large())
    assert len(experiments) == 127
    least = sum(e.schedule.minimum_s * len(e.takes) for e in experiments)
    most = sum(e.schedule.budget_s * len(e.takes) for e in experiments)
    assert least < sum(expected_seconds(e) for e in experiments) < most
    assert describe(experiments[0]) == "hand-over between CPU 0 and 127 others"
    assert describe(experiments[-1]) == "hand-over between CPU 63 and CPU 127"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"cpus": "0,99"}, "CPU 99 may not be used here; usable: 0,1,2,3,4,5,6,7"),
        ({"cpus": "1,0,1"}, "names CPU 1 twice"),
        ({"cpus": "3"}, "one CPU, and a pair needs two"),
        ({"cpus": "0,"}, "one CPU, and a pair needs two"),
        ({"lines": "0"}, "from 1 to 4096"),
        ({"target": ":1"}, "has no name"),
        ({"line": "4"}, "unknown option of core-to-core 'line'; did you mean lines"),
    ],
)
def test_core_to_core_refuses(words: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        plans(made_server(), **words)


def test_a_cpu_that_may_not_be_used_is_refused() -> None:
    with pytest.raises(UsageError, match="CPU 1 may not be used here; usable: 0,2"):
        plans(made_server(forbidden=(1,)), cpus="0,1")


def test_one_cpu_has_no_pair() -> None:
    with pytest.raises(MachineError, match="a pair needs two CPUs"):
        plans(made_machine(1))


# --- on a core that is made up ---


def _batches(lab: Lab) -> list[dict[int, int]]:
    """For each record, how often each of its takes ran."""
    return [{take: record.takes.count(take) for take in set(record.takes)} for record in lab.records]


def test_pairs_that_are_conclusive_rest_while_a_noisy_one_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = lab_in(tmp_path, monkeypatch)
    lab.core.noise = lambda group: 0.8 if group.team.cpus == (0, 2) else 0.01
    lab(plan_of(*plans(made_machine(4))))
    first, *others = _batches(lab)
    assert first[1] > 1  # of the pairs of CPU 0, that with CPU 2
    assert first[0] == first[2] == 1
    assert [set(record.values()) for record in others] == [{1}, {1}]


def test_a_pair_that_stays_noisy_ends_with_its_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = lab_in(tmp_path, monkeypatch)
    lab.core.noise = lambda group: 2.0
    (experiment,) = plans(made_machine(2))
    lab(plan_of(experiment))
    assert lab.core.now <= experiment.schedule.budget_s + experiment.schedule.minimum_s + 0.05


def test_past_the_limit_every_pair_gets_its_least_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = lab_in(tmp_path, monkeypatch)
    lab.core.noise = lambda group: 2.0
    lab(plan_of(*plans(made_machine(4))), limit=0.0)
    assert all(set(record.values()) == {1} for record in _batches(lab))


def enormous() -> Machine:
    """Two packages of 64 cores with two threads each, eight cores to a last-level cache: 256 CPUs."""
    return made_server(packages=2, nodes=1, cores=64, threads=2, caches=8)


def test_a_large_machine_is_sampled_within_its_limit() -> None:
    experiments = plans(enormous())
    found = pairs(experiments)
    assert len(found) == len({frozenset(pair) for pair in found}) == 10_000
    assert {cpu for pair in found for cpu in pair} == set(enormous().cpus())
    assert len(found) * experiments[0].schedule.minimum_s < 300
    assert pairs(plans(enormous())) == found


@pytest.mark.parametrize("limit", [1.5, 6.0])
def test_a_run_with_more_pairs_than_time_ends_within_its_limit_and_has_an_interval_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: float
) -> None:
    """As 256 CPUs in 300 s, in small: of 496 pairs of 32 CPUs, as many as the limit has time for, in three visits."""
    machine = made_server(packages=2, nodes=1, cores=8, threads=2, caches=4)
    suite = suites["core-to-core"]
    experiments = imagine(suite.plan(machine, suite.read({"limit": str(limit)})))
    lab = lab_in(tmp_path, monkeypatch)
    lab.core.noise = lambda group: 0.02
    lab.core.ask_s = 0.0005
    lab(plan_of(*experiments), limit=limit)
    run = load(tmp_path)
    run = msgspec.structs.replace(run, result=msgspec.structs.replace(run.result, machine=machine))
    rows = tables["core_to_core"].rows(run)
    assert 0.8 * limit < lab.core.now <= limit
    assert len(rows) == round(limit / PAIR_S) < 496
    assert sum(row.conclusive for row in rows) >= 0.9 * len(rows)


@pytest.mark.parametrize("most", [1, 128, 700, 5000])
def test_differences_by_construction_come_first(most: int) -> None:
    machine = enormous()
    found = pairs(plans(machine, pairs=str(most)))
    assert len(found) == most
    places = {cpu.number: cpu for cpu in machine.identity.cpus}
    cores = {
        places[a].core for a, b in found if (places[a].package, places[a].core) == (places[b].package, places[b].core)
    }
    assert len(cores) == min(most, 128)
    caches = {frozenset(map(machine.last_level_cache_of, pair)) for pair in found}
    if most >= 700:
        assert len(caches) == 16 + 16 * 15 // 2
        assert {frozenset((places[a].package, places[b].package)) for a, b in found} >= {frozenset({0, 1})}


def test_a_cpu_in_no_pair_by_structure_gets_one() -> None:
    machine = made_server(packages=1, nodes=1, cores=64, caches=1)
    found = pairs(plans(machine, pairs="70"))
    assert {cpu for pair in found for cpu in pair} == set(machine.cpus())
