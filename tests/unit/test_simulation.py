"""Simulated machines: which one a run names, and what becomes of its plan."""

import msgspec
import pytest

from made import one_group
from made_machine import made_machine
from tierscope.errors import MachineError, UsageError
from tierscope.plans import Plan, SuiteOptions, suites
from tierscope.plans.simulation import SHORTER, counted, machine_of, refuse_mixtures
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team
from tierscope.record.machine import Machine
from tierscope.run import planned
from tierscope.run.expected import imagine
from tierscope.units import MiB

SCHEDULE = Schedule(block_s=1e-3, minimum_s=0.2, budget_s=1.5)


def on(word: str) -> Experiment:
    group = Group(
        workload=one_group("read", (0,), 64 * MiB).workload,
        target=Target.parse(word),
        team=one_group("read", (0,), 64 * MiB).team,
    )
    return Experiment(table="stream", groups=(group,), schedule=SCHEDULE, calibrate=True)


def plan(*experiments: Experiment) -> Plan:
    for one in experiments:
        _ = yield one


def test_experiments_on_simulated_memory_are_shorter_and_search_no_walk() -> None:
    (found,) = imagine(counted(lambda: plan(on("sim:flat"))))
    assert found.schedule.block_s == pytest.approx(SCHEDULE.block_s / SHORTER)
    assert found.schedule.minimum_s == pytest.approx(SCHEDULE.minimum_s / SHORTER)
    assert found.schedule.budget_s == pytest.approx(SCHEDULE.budget_s / SHORTER)
    assert found.schedule.precision == SCHEDULE.precision
    assert not found.calibrate


def test_many_threads_run_for_less_each_but_never_for_fewer_than_twenty_blocks() -> None:
    team = Team(cpus=tuple(range(400)))
    crowd = msgspec.structs.replace(on("sim:flat").groups[0], team=team)
    (found,) = imagine(counted(lambda: plan(msgspec.structs.replace(on("sim:flat"), groups=(crowd,)))))
    assert found.schedule.minimum_s == pytest.approx(20 * found.schedule.block_s)
    assert found.schedule.block_s == pytest.approx(SCHEDULE.block_s / SHORTER)
    eight = msgspec.structs.replace(crowd, team=Team(cpus=tuple(range(8))))
    (found,) = imagine(counted(lambda: plan(msgspec.structs.replace(on("sim:flat"), groups=(eight,)))))
    assert found.schedule.budget_s == pytest.approx(SCHEDULE.budget_s / SHORTER / 2)


def test_experiments_on_real_memory_do_not_change() -> None:
    experiments = [on("node:0"), on("emu:latency=1us")]
    assert imagine(counted(lambda: plan(*experiments))) == experiments


def test_the_memory_of_a_target_is_not_part_of_its_machine() -> None:
    assert machine_of(["sim:optane100,memory=dram,noise=2"]) == "sim:optane100,noise=2"
    assert machine_of(["node:0", "sim:flat"]) == "sim:flat"
    assert machine_of(["node:0", "file:/sim:x"]) == ""


OWN = """
[[experiment]]
[[experiment.group]]
kernel = "read"
cpus = "0"
footprint = "64MiB"
target = "sim:ddr5,memory=dram"
"""


@pytest.mark.parametrize(
    ("suite", "words", "text", "word"),
    [
        ("stream", {"target": "sim:flat"}, "", "sim:flat"),
        ("stream", {"target": "node:0"}, "", ""),
        ("contention", {"a": "sim:two,memory=dram", "b": "sim:two,memory=far"}, "", "sim:two"),
        ("neighbors", {"victim": "cmd sim:flat", "aggressor_target": "sim:ddr5"}, "", "sim:ddr5"),
        ("stream", {"kernels": "sim:flat"}, "", ""),  # reported as a wrong kernel
        ("numa", {"kernel": "sim:flat"}, "", ""),
        (planned.OWN_GROUPS, {}, OWN, "sim:ddr5"),
        (planned.OWN_GROUPS, {}, OWN.replace("target", "source"), "sim:ddr5"),
    ],
)
def test_the_machine_of_a_run_is_the_one_that_its_targets_name(
    monkeypatch: pytest.MonkeyPatch, suite: str, words: dict[str, str], text: str, word: str
) -> None:
    asked: list[str] = []
    bare = msgspec.structs.replace(made_machine(1), kernels={})

    def this_machine(peak: float | None, simulated_word: str, _host: object) -> Machine:
        asked.append(simulated_word)
        return bare

    monkeypatch.setattr(planned, "this_machine", this_machine)
    options = SuiteOptions() if suite == planned.OWN_GROUPS else suites[suite].read(words)
    machine = planned.machine_for(suite, options, text)
    assert asked == [word]
    assert msgspec.structs.replace(machine, kernels={}) == bare
    assert ("triad" in machine.kernels) == (suite in ("stream", "neighbors", "numa"))


def test_a_run_on_two_machines_is_refused() -> None:
    refuse_mixtures([on("sim:flat"), on("sim:flat,memory=flat")], frozenset({"memcpy"}))
    refuse_mixtures([on("node:0"), on("null"), on("file:/x")], frozenset({"read"}))
    refuse_mixtures([on("null")], frozenset({"read"}))  # without memory nothing is mixed
    for other in ("node:0", "sim:flat,noise=1"):
        with pytest.raises(UsageError, match="are on two machines"):
            refuse_mixtures([on("sim:flat"), on(other)], frozenset())


def test_a_kernel_without_a_simulated_form_is_refused_before_the_run() -> None:
    with pytest.raises(MachineError, match="kernel read has no simulated form"):
        refuse_mixtures([on("sim:flat")], frozenset({"read"}))
