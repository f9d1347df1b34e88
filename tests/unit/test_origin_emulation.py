"""Emulated tiers: the probes before each experiment, and the warning for a tier that differs from the request."""

from pathlib import Path

import msgspec
import pytest

from made import Maker, one_group
from made_emulation import TIER, add_probes
from made_machine import made_machine
from tierscope.plans import Plan, SuiteOptions, suites
from tierscope.plans.cpus import near_cpus
from tierscope.record.experiment import Experiment, Group, Target
from tierscope.record.result import Run
from tierscope.run.doubts import doubts
from tierscope.run.expected import imagine
from tierscope.run.planned import plan_for
from tierscope.suites.emulation.experiments import probed
from tierscope.suites.emulation.terminal import emulation
from tierscope.tables import tables
from tierscope.tables.measured import measured
from tierscope.units import GiB, MiB

MACHINE = made_machine(4)


def on(word: str, cpus: tuple[int, ...] = (0,), source: str = "") -> Group:
    group = one_group("copy", cpus, 1 * GiB)
    origin = Target.parse(source) if source else None
    return msgspec.structs.replace(group, target=Target.parse(word), source=origin)


def experiment(*groups: Group) -> Experiment:
    return Experiment(table="stream", groups=groups)


def plan(*experiments: Experiment) -> Plan:
    for one in experiments:
        _ = yield one  # answers are sent, which an iterator of a tuple could not take


def probes(*experiments: Experiment) -> list[str]:
    """Every experiment in short: what is probed by how many CPUs, or '-' for the plan's own."""
    found = imagine(probed(lambda: plan(*experiments), MACHINE))
    return [f"{e.labels['quantity']} {len(e.groups[0].team.cpus)}" if e.table == "emulation" else "-" for e in found]


def test_plain_memory_is_not_probed() -> None:
    assert probes(experiment(on("node:0")), experiment(on("file:/x"))) == ["-", "-"]


def test_a_tier_is_probed_once_before_its_first_experiment() -> None:
    assert probes(experiment(on("node:0")), experiment(on(TIER)), experiment(on(TIER))) == [
        "-", "latency 1", "bandwidth 1", "-", "-",
    ]  # fmt: skip


def test_a_larger_team_asks_again_for_the_bandwidth_and_a_smaller_does_not() -> None:
    found = probes(experiment(on(TIER, (0,))), experiment(on(TIER, (0, 1))), experiment(on(TIER, (1,))))
    assert found == ["latency 1", "bandwidth 1", "-", "bandwidth 2", "-", "-"]


def test_all_cpus_of_an_experiment_read_together_and_each_counts_once() -> None:
    assert probes(experiment(on(TIER, (0, 1)), on(TIER, (1, 2)))) == ["latency 1", "bandwidth 3", "-"]


def test_only_what_is_emulated_is_probed() -> None:
    assert probes(experiment(on("emu:latency=1us"))) == ["latency 1", "-"]
    assert probes(experiment(on("emu:node=0,bandwidth=8GB/s"))) == ["bandwidth 1", "-"]


def test_two_tiers_and_a_source_are_probed_each() -> None:
    found = probes(experiment(on("node:0", source="emu:latency=2us"), on("emu:latency=1us")))
    assert found == ["latency 1", "latency 1", "-"]


def test_a_probe_walks_memory_and_not_a_cache() -> None:
    (probe, *_) = imagine(probed(lambda: plan(experiment(on(TIER))), MACHINE))
    assert probe.groups[0].workload.footprint_bytes >= min(512 * MiB, 2 * MACHINE.last_level_cache_bytes())
    assert probe.groups[0].target.word == TIER


def test_the_plan_gets_its_own_answers_and_none_of_the_probes() -> None:
    got: list[str] = []

    def asks() -> Plan:
        for word in (TIER, "node:0"):
            answer = yield experiment(on(word))
            got.append(answer.experiment.groups[0].target.word)

    assert len(imagine(probed(asks, MACHINE))) == 4
    assert got == [TIER, "node:0"]


def test_every_suite_and_every_file_of_groups_is_wrapped() -> None:
    text = f'[[experiment]]\n[[experiment.group]]\nkernel="read"\ntarget="{TIER}"\ncpus="0"\nfootprint="1GiB"\n'
    options = suites["stream"].read({"target": TIER, "threads": "1", "kernels": "read", "array": "64MiB"})
    for name, chosen, own in (("stream", options, ""), ("groups", SuiteOptions(), text)):
        kinds = [e.table for e in imagine(plan_for(name, chosen, own, MACHINE)())]
        assert kinds == ["emulation", "emulation", name]


def test_a_tier_has_the_cpus_of_its_node() -> None:
    assert Target.parse("emu:node=1,latency=1us").node == "1"
    assert Target.parse("emu:latency=1us").node == "0"
    assert (Target.parse("node:2").node, Target.parse("file:/node=3").node) == ("2", "")
    assert near_cpus(MACHINE, Target.parse(TIER)) == near_cpus(MACHINE, Target.parse("node:0"))


def probe_records(directory: Path, latency_s: float = 1.02e-6, rate: float = 7.9e9) -> Run:
    maker = Maker(directory)
    add_probes(maker, latency_s, rate)
    return maker.save()


def test_asked_and_achieved_are_side_by_side(tmp_path: Path) -> None:
    run = probe_records(tmp_path)
    slow, wide = tables["emulation"].flat(run)
    assert (slow["quantity"], slow["asked_latency_s"], slow["bandwidth_bytes_per_s"]) == ("latency", 1e-6, None)
    assert slow["latency_s"] == pytest.approx(1.02e-6, rel=0.01)
    assert slow["off"] == pytest.approx(0.02, abs=0.01)
    assert (wide["quantity"], wide["threads"], wide["asked_bytes_per_s"]) == ("bandwidth", 2, 8e9)
    assert wide["bandwidth_bytes_per_s"] == pytest.approx(7.9e9, rel=0.01)
    assert wide["origin"] == "emulated"


def test_the_terminal_has_a_line_for_each(tmp_path: Path) -> None:
    run = probe_records(tmp_path)
    _, heads, lines = emulation(tables["emulation"].rows(run))
    assert [line[:3] for line in lines] == [["latency", "1", "1 us"], ["bandwidth", "2", "8.00 GB/s"]]
    assert [len(line) for line in lines] == [len(heads)] * 2
    assert lines[0][-1] == TIER


@pytest.mark.parametrize(
    ("latency_s", "rate", "warned"),
    [(1.02e-6, 7.9e9, []), (1.2e-6, 7.9e9, ["latency"]), (1e-6, 5e9, ["bandwidth"])],
)
def test_a_tier_that_is_off_by_more_than_5_percent_gets_a_warning_that_states_what_to_do(
    tmp_path: Path, latency_s: float, rate: float, warned: list[str]
) -> None:
    run = probe_records(tmp_path, latency_s, rate)
    found = [
        warn
        for record in run.result.records
        for warn in doubts(record.experiment, record.groups, [measured(run, record)])
        if warn.code == "emulation"
    ]
    assert [warn.message.split(": ")[1].split()[0] for warn in found] == warned
    assert all(warn.next_step.startswith("ask for a ") for warn in found)
