"""The plan of `run contention`, on machines that are made up; nothing is measured."""

from pathlib import Path
from typing import cast

import msgspec
import pytest

from lab import Lab, lab_in
from made import made_facts
from made_machine import made_machine
from tierscope.errors import MachineError, UnknownNameError, UsageError
from tierscope.plans import Answer, suites
from tierscope.record.experiment import Experiment, Label
from tierscope.record.machine import Machine
from tierscope.record.result import Record
from tierscope.record.work.line import LineWork
from tierscope.run.expected import expected_seconds, imagine
from tierscope.suites.contention.experiments import STAND_IN
from tierscope.units import GiB, MiB

SUITE = suites["contention"]


def machine(cpus: int = 2, nodes: int = 1, memory_only: int = 0, free: int = 20 * GiB) -> Machine:
    """CPUs dealt out to nodes in blocks; then nodes without CPUs. Distances grow with the number of the node."""
    made = made_machine(cpus)
    own, each = made.identity, cpus // nodes
    identity = msgspec.structs.replace(
        own,
        cpus=tuple(msgspec.structs.replace(cpu, node=cpu.number // each) for cpu in own.cpus),
        nodes=tuple(
            msgspec.structs.replace(
                own.nodes[0], number=n, cpus=tuple(range(n * each, (n + 1) * each)) if n < nodes else (),
                distances=tuple(10 + 10 * abs(n - other) for other in range(nodes + memory_only)),
            )
            for n in range(nodes + memory_only)
        ),
    )  # fmt: skip
    return msgspec.structs.replace(made, identity=identity, state={"available_bytes": free})


def planned(on: Machine, **words: str) -> list[Experiment]:
    return [e for e in imagine(SUITE.plan(on, SUITE.read(words))) if e.table != "sizing"]


def splits(experiments: list[Experiment], mode: str = "nvm-nvm") -> list[tuple[Label, Label]]:
    found = [e.labels for e in experiments if e.table == "contention" and e.labels["mode"] == mode]
    return [(labels["a_threads"], labels["b_threads"]) for labels in found]


def one(experiments: list[Experiment], mode: str, a: int, b: int) -> Experiment:
    wanted = {"mode": mode, "a_threads": a, "b_threads": b}
    (found,) = [e for e in experiments if e.table == "contention" and wanted.items() <= e.labels.items()]
    return found


def test_every_split_of_the_cpus_is_measured_in_every_mode() -> None:
    experiments = planned(machine(4))
    for mode in ("nvm-nvm", "nvm-dram", "dram-nvm"):
        assert splits(experiments, mode) == [(4, 0), (0, 4), (3, 1), (2, 2), (1, 3)]
    assert splits(experiments, "dram-dram") == []


def test_the_ratio_comes_first_and_alternates_the_targets() -> None:
    experiments = planned(machine(4))
    assert [e.table for e in experiments] == ["targets"] * 6 + ["contention"] * 15
    sides = [(e.labels["threads"], e.labels["side"], e.groups[0].target.word) for e in experiments[:6]]
    assert sides == [(n, side, word) for n in (1, 2, 4) for side, word in (("a", "node:0"), ("b", STAND_IN.word))]


def test_the_name_of_each_mode_gives_source_and_destination_of_b() -> None:
    experiments = planned(machine(2), a="node:0", b="file:/x", modes="b-b,b-a,a-b,a-a")

    def places(mode: str) -> tuple[str | None, str]:
        group = one(experiments, mode, 1, 1).groups[1]
        return group.source.word if group.source else None, group.target.word

    assert places("nvm-nvm") == (None, "file:/x")
    assert places("nvm-dram") == ("file:/x", "node:0")
    assert places("dram-nvm") == ("node:0", "file:/x")
    assert places("dram-dram") == (None, "node:0")
    for e in experiments:
        if e.table == "contention" and e.labels["a_threads"]:
            assert (e.groups[0].source, e.groups[0].target.word) == (None, "node:0")


def test_the_presets_are_the_modes_under_other_names() -> None:
    assert planned(machine(2), modes="nvm-dram,dram-nvm") == planned(machine(2), modes="b-a,a-b")
    assert {e.labels["mode"] for e in planned(machine(2), modes="all")[4:]} == {
        "nvm-nvm", "nvm-dram", "dram-nvm", "dram-dram",
    }  # fmt: skip


def test_a_takes_the_first_cpus_of_the_machine_and_b_the_next() -> None:
    groups = one(planned(machine(4)), "nvm-nvm", 3, 1).groups
    assert [group.team.cpus for group in groups] == [(0, 1, 2), (3,)]
    groups = one(planned(machine(4), cpus="3,1,0", splits="1:2"), "nvm-nvm", 1, 2).groups
    assert [group.team.cpus for group in groups] == [(3,), (1, 0)]


def test_every_thread_has_the_same_memory_in_every_split_and_all_fill_two_arrays() -> None:
    for e in planned(machine(4), array="512MiB"):
        sizes = {len(g.team.cpus): g.workload.footprint_bytes for g in e.groups}
        assert sum(g.workload.footprint_bytes for g in e.groups) == GiB
        if e.table == "contention":
            assert {size / threads for threads, size in sizes.items()} == {GiB / 4}


def test_two_arrays_fit_half_of_the_free_memory() -> None:
    sizes = {sum(g.workload.footprint_bytes for g in e.groups) for e in planned(machine(2, free=600 * MiB))}
    assert max(sizes) <= 300 * MiB
    assert any("half of the free memory" in e.note for e in planned(machine(2, free=600 * MiB)))


def test_the_smaller_of_two_nodes_limits_the_arrays() -> None:
    on = machine(4, nodes=2)
    small = msgspec.structs.replace(on.identity.nodes[1], free_bytes=400 * MiB)
    nodes = (on.identity.nodes[0], small)
    on = msgspec.structs.replace(on, identity=msgspec.structs.replace(on.identity, nodes=nodes))
    for words in ({"a": "node:0", "b": "node:1"}, {"a": "node:1", "b": "node:0"}):
        assert {sum(g.workload.footprint_bytes for g in e.groups) for e in planned(on, **words)} == {200 * MiB}


def test_a_split_is_measured_in_one_piece_and_the_ratio_is_not() -> None:
    for e in planned(machine(2), array="64MiB"):
        assert e.schedule.minimum_s == (1.0 if e.table == "contention" else 0.2)
    assert {e.schedule.minimum_s for e in planned(machine(2), budget="0.5s") if e.table == "contention"} == {0.5}


def test_only_unmixed_groups_are_calibrated() -> None:
    for e in planned(machine(3)):
        assert e.calibrate == (len(e.groups) == 1)


def walked(experiment: Experiment, streams: int) -> Answer:
    """The facts of a run whose group used this number of streams."""
    asked = experiment.groups[0].workload
    walk = msgspec.structs.replace(asked, isa="avx2", work=LineWork(streams=streams, prefetch_bytes=512))
    facts = made_facts(msgspec.structs.replace(experiment.groups[0], workload=walk))
    return Answer(experiment, cast("Record", type("Found", (), {"groups": (facts,)})()))


def test_mixed_splits_walk_as_each_group_walked_alone() -> None:
    plan = SUITE.plan(machine(3), SUITE.read({"array": "192MiB", "modes": "b-b"}))
    experiment, mixed = next(plan), []
    try:
        while True:
            if len(experiment.groups) > 1:
                mixed.append(experiment)
            streams = {"A": 4, "B": 8}[experiment.groups[0].role]
            experiment = plan.send(walked(experiment, streams))
    except StopIteration:
        pass
    assert len(mixed) == 2
    for e in mixed:
        assert [(g.workload.work.streams, g.workload.isa, g.workload.work.prefetch_bytes) for g in e.groups] == [
            (4, "avx2", 512), (8, "avx2", 512),
        ]  # fmt: skip
        assert [g.workload.footprint_bytes for g in e.groups] == [128 * MiB * len(g.team.cpus) for g in e.groups]


def test_asked_splits_come_after_the_unmixed_ones_of_the_most_threads() -> None:
    assert splits(planned(machine(4), splits="1:1,2:1")) == [(3, 0), (0, 3), (1, 1), (2, 1)]


def test_no_splits_leave_the_ratio_alone_even_on_one_cpu() -> None:
    assert {e.table for e in planned(machine(2), splits="none")} == {"targets"}
    assert [e.labels["side"] for e in planned(machine(1), splits="none")] == ["a", "b"]


def test_another_node_is_the_other_target_one_without_cpus_first_and_then_the_nearest() -> None:
    def b(on: Machine, **words: str) -> str:
        return planned(on, splits="none", **words)[1].groups[0].target.word

    assert b(machine(4, nodes=2)) == "node:1"
    assert b(machine(4, nodes=2, memory_only=1)) == "node:2"
    assert b(machine(6, nodes=3), a="node:2") == "node:1"
    assert b(machine(4, nodes=2), a="file:/x") == "node:0"


def test_a_file_that_replaces_a_second_tier_is_marked_in_every_record() -> None:
    assert all("replaces a tier" in e.note and STAND_IN.word in e.note for e in planned(machine(2)))
    assert not any(e.note for e in planned(machine(4, nodes=2), array="64MiB"))
    assert not any(e.note for e in planned(machine(2), b="file:/mnt/x", array="64MiB"))


def test_both_targets_have_small_pages_where_one_is_a_file_and_large_ones_else() -> None:
    def pages(on: Machine, **words: str) -> set[str]:
        return {g.target.pages for e in planned(on, **words) for g in e.groups}

    assert pages(machine(2)) == {"4k"}
    assert pages(machine(4, nodes=2)) == {"thp"}
    assert pages(machine(2), pages="thp") == {"thp"}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"splits": "2:1"}, "needs 3 CPUs and 2 may be used"),
        ({"splits": "0:0"}, "not a split"),
        ({"splits": "1-1"}, "not a split"),
        ({"splits": ","}, "names no split"),
        ({"threads": "3"}, "threads=3"),
        ({"cpus": "0,0"}, "twice"),
        ({"cpus": "0,7"}, "CPU 7 may not be used"),
        ({"b": "null"}, "has no bytes"),
        ({"b": "file"}, "has no bytes"),
        ({"b": ":0"}, "no name"),
    ],
)
def test_wrong_words_are_refused_before_anything_is_measured(words: dict[str, str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        next(SUITE.plan(machine(2), SUITE.read(words)))


@pytest.mark.parametrize(
    "words", [{"modes": "b-c"}, {"kernel": "triad"}, {"a": "node:7"}, {"b": "node:x"}, {"pages": "3m"}]
)
def test_unknown_names_are_refused_with_what_is_known(words: dict[str, str]) -> None:
    with pytest.raises(UnknownNameError, match="known|nodes here"):
        next(SUITE.plan(machine(2), SUITE.read(words)))


def test_one_cpu_cannot_contend() -> None:
    with pytest.raises(MachineError, match="two CPUs.*splits=none"):
        planned(machine(1))
    with pytest.raises(MachineError):
        planned(machine(2), cpus="1")


def test_two_cpus_take_less_than_a_minute_by_the_plan() -> None:
    everything = imagine(SUITE.plan(machine(2), SUITE.read({})))
    assert sum(expected_seconds(e) for e in everything) + sum(e.schedule.budget_s for e in everything) < 60


def test_a_run_ends_and_resumes_without_measuring_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab: Lab = lab_in(tmp_path / "run", monkeypatch)
    chosen = SUITE.read({"array": "64MiB", "modes": "b-b"})

    def plan() -> "object":
        return SUITE.plan(machine(2), chosen)

    first = lab(plan)  # type: ignore[arg-type]
    measured = lab.core.measured
    assert [r.experiment.table for r in first.records] == ["targets"] * 4 + ["contention"] * 3
    alone = {r.groups[0].cpus: r.groups[0].streams for r in first.records[4:6]}
    assert {facts.streams for facts in first.records[6].groups} <= set(alone.values())
    again = lab(plan)  # type: ignore[arg-type]
    assert lab.core.measured == measured
    assert again.records == first.records
