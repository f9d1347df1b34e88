"""Plans of `numa` on made machines: initiators, targets, teams and sizes; the report of a machine on its nodes."""

from pathlib import Path

import msgspec
import pytest

from fake_core import FakeCore
from lab import Lab, lab_in, plan_of, point
from made import made_facts
from made_machine import made_machine, made_server, two_packages
from made_numa import planned
from tierscope.errors import UnknownNameError, UsageError
from tierscope.plans.sizes import free_bytes
from tierscope.record.experiment import Experiment, Group, Target, Team, Workload
from tierscope.record.machine import Machine, Node
from tierscope.record.result import GroupFacts, load
from tierscope.record.work.line import LineWork
from tierscope.run.doubts import doubts
from tierscope.stats.point import Point, judge
from tierscope.units import GiB, MiB


def plans(machine: Machine, **words: str) -> list[Experiment]:
    return [e for e in planned("numa", machine, **words) if e.table == "numa"]


def cells(experiments: list[Experiment]) -> list[tuple[object, object, object]]:
    return [(e.labels["initiator"], e.labels["target"], e.labels["what"]) for e in experiments]


def with_nodes(machine: Machine, **changes: dict[int, object]) -> Machine:
    """changes: field -> node -> value."""
    nodes = tuple(
        msgspec.structs.replace(node, **{field: by[node.number] for field, by in changes.items() if node.number in by})
        for node in machine.identity.nodes
    )
    return msgspec.structs.replace(machine, identity=msgspec.structs.replace(machine.identity, nodes=nodes))


def test_every_node_with_cpus_asks_every_node_with_memory_for_latency_and_bandwidth() -> None:
    assert cells(plans(two_packages())) == [
        (initiator, target, what) for initiator in range(4) for target in range(5) for what in ("latency", "bandwidth")
    ]


def test_one_node_is_a_matrix_of_one_cell() -> None:
    assert cells(plans(made_machine())) == [(0, 0, "latency"), (0, 0, "bandwidth")]


def test_numbers_of_nodes_may_have_gaps() -> None:
    machine = made_server(memory_alone=1, numbers=(0, 3, 8, 9, 64))
    assert {(e.labels["initiator"], e.labels["target"]) for e in plans(machine)} == {
        (a, b) for a in (0, 3, 8, 9) for b in (0, 3, 8, 9, 64)
    }
    assert {e.groups[0].target.word for e in plans(machine)} == {f"node:{n}" for n in (0, 3, 8, 9, 64)}
    assert (machine.distance(0, 64), machine.distance(0, 3), machine.distance(8, 3)) == (17, 12, 21)
    assert machine.distance(0, 5) is None


def test_latency_is_of_the_first_cpu_and_bandwidth_of_all_one_of_each_core_first() -> None:
    wait, speed = plans(made_server(threads=2), initiators="2", targets="0")
    assert wait.groups[0].team.cpus == (4,)
    assert speed.groups[0].team.cpus == (4, 5, 12, 13)
    assert (wait.groups[0].workload.kernel, wait.calibrate) == ("chase", False)
    assert (speed.groups[0].workload.kernel, speed.calibrate) == ("read", True)


def test_cpus_that_may_not_be_used_or_are_offline_do_not_ask() -> None:
    machine = made_server(forbidden=(0, 2, 3), offline=(4,))
    teams = {e.labels["initiator"]: e.groups[0].team.cpus for e in plans(machine) if e.labels["what"] == "bandwidth"}
    assert teams == {0: (1,), 2: (5,), 3: (6, 7)}


def test_a_node_with_cpus_and_no_memory_asks_but_does_not_answer() -> None:
    machine = with_nodes(made_server(), memory_bytes={0: 0}, free_bytes={0: 0})
    found = cells(plans(machine))
    assert {initiator for initiator, _, _ in found} == {0, 1, 2, 3}
    assert {target for _, target, _ in found} == {1, 2, 3}
    assert machine.nearest_memory(0) == 1
    search = next(e for e in planned("numa", machine) if e.table == "sizing")
    assert (search.groups[0].target.word, search.groups[0].team.cpus) == ("node:1", (0,))


def test_the_arrays_of_a_small_node_are_smaller_than_those_of_a_large_one_and_state_why() -> None:
    machine = with_nodes(two_packages(), free_bytes={4: 100 * MiB})
    for experiment in plans(machine):
        (group,) = experiment.groups
        small = group.target.where == "4"
        assert (group.workload.footprint_bytes <= 50 * MiB) is small
        assert ("half of the free memory" in experiment.note) is small


def test_free_memory_of_one_of_several_nodes_is_its_own_and_never_more_than_the_machines() -> None:
    machine = two_packages()
    assert free_bytes(machine, Target(where="4")) == 6 * GiB
    assert free_bytes(machine, Target(name="file", where="/x")) == free_bytes(machine) == 200 * GiB
    tight = msgspec.structs.replace(machine, state={"available_bytes": GiB})
    assert free_bytes(tight, Target(where="4")) == GiB
    alone = msgspec.structs.replace(made_machine(), state={"available_bytes": 22 * GiB})
    assert free_bytes(alone, Target(where="0")) == 22 * GiB


def test_the_kernel_of_the_bandwidth_walks_as_many_arrays_as_it_has() -> None:
    _, speed = plans(made_machine(), kernel="triad", array="64MiB")
    assert speed.groups[0].workload.footprint_bytes == 192 * MiB


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"initiators": "4"}, "node 4 has no CPU to use; nodes that have: 0,1,2,3"),
        ({"targets": "7"}, "node 7 has no memory; nodes that have: 0,1,2,3,4"),
        ({"targets": "0,0"}, "names node 0 twice"),
        ({"targets": "x"}, "not a list"),
        ({"kernel": "reed"}, "unknown kernel 'reed'; did you mean read"),
        ({"together": "reed"}, "unknown kernel 'reed'; did you mean read"),
        ({"under_load": "perhaps"}, "perhaps"),
        ({"pages": "3m"}, "unknown page size '3m'"),
        ({"array": "7GiB", "targets": "4"}, "needs 7 GiB on node:4, which has 6 GiB free; try array=3GiB"),
    ],
)
def test_numa_refuses(words: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        plans(two_packages(), **words)


def test_an_unknown_kernel_is_an_unknown_name() -> None:
    with pytest.raises(UnknownNameError):
        plans(two_packages(), kernel="lion")


# --- the report of a machine on its nodes ---


def test_reports_of_the_firmware_do_not_change_the_digest() -> None:
    said = two_packages({"read_latency_s": 2e-7}).identity
    assert said != two_packages().identity
    assert said.digest() == two_packages().identity.digest()


def test_a_node_without_reports_is_written_as_before() -> None:
    node = made_machine().identity.nodes[0]
    keys = set(msgspec.json.decode(msgspec.json.encode(node)))
    assert keys == {"number", "cpus", "memory_bytes", "free_bytes", "distances", "huge_pages"}
    assert msgspec.json.decode(msgspec.json.encode(node), type=Node) == node


def test_the_recorded_run_keeps_its_digest(root: Path) -> None:
    assert load(root / "tests/data/run-schema-1").result.machine.identity.digest() == "6306e64de132"


# --- where the pages are ---


def _doubts(nodes: dict[str, int], target: Target, source: Target | None = None) -> list[str]:
    work = Workload(kernel="read", footprint_bytes=4 * MiB, work=LineWork())
    group = Group(workload=work, target=target, team=Team(cpus=(0,)), source=source)
    facts: GroupFacts = made_facts(group, nodes=nodes)
    experiment = Experiment(table="numa", groups=(group,))
    return [f"{warn.code}: {warn.message}" for warn in doubts(experiment, (facts,), _points())]


def _points() -> list[Point]:
    one = point()
    session = FakeCore().session()
    session.prepare(one.groups)
    return [judge(session.measure(0.1, 1e-3), session.clock.hz, 1, one.schedule)]


def test_bytes_on_another_node_than_asked_are_a_doubt() -> None:
    found = _doubts({"1": 3 * MiB, "0": 1 * MiB}, Target(where="1"))
    assert found == ["placement: read: 1 MiB of 4 MiB are on node 0, not on node 1"]


@pytest.mark.parametrize(
    ("nodes", "target", "source"),
    [
        ({"1": 4 * MiB}, Target(where="1"), None),
        ({}, Target(where="1"), None),
        ({"0": 4 * MiB}, Target(name="file", where="/x"), None),
        ({"1": 2 * MiB, "0": 2 * MiB}, Target(where="1"), Target(where="0")),
    ],
)
def test_bytes_on_their_node_or_unverified_ones_give_no_warning(
    nodes: dict[str, int], target: Target, source: Target | None
) -> None:
    assert _doubts(nodes, target, source) == []


def test_a_matrix_runs_on_a_machine_with_one_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab: Lab = lab_in(tmp_path, monkeypatch)
    lab(plan_of(*plans(made_machine(), array="64MiB")))
    assert [record.experiment.labels["what"] for record in lab.records] == ["latency", "bandwidth"]
    assert all(not record.warnings for record in lab.records)
