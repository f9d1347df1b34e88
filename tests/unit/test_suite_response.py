"""The plan of response, what it refuses, and its tables on a memory and a program whose laws are known."""

from pathlib import Path

import msgspec
import pytest

from made_machine import made_machine, made_server
from made_response import Answering, response_run
from tierscope.errors import Exit, MachineError, UsageError
from tierscope.plans import suites
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.run.expected import imagine
from tierscope.stats.contrast import PROBER, VICTIM
from tierscope.suites.response.experiments import refuse_short
from tierscope.suites.response.options import tier_of
from tierscope.tables import tables

SUITE = suites["response"]
COMMAND = "cmd ./solve in.txt"
CLOCKS = {"lever_clock": "1000000-2000000/1", "lever_resctrl": "10-100/10 0,1", "lever_uncore": "800000-2400000/1"}


def planned(machine: Machine | None = None, /, **words: str) -> list[Experiment]:
    found = imagine(SUITE.plan(machine or made_machine(4), SUITE.read({"victim": COMMAND, "array": "64MiB", **words})))
    return [experiment for experiment in found if experiment.table == "response"]


def with_levers(machine: Machine, **state: str) -> Machine:
    return msgspec.structs.replace(machine, state={**machine.state, **state})


def test_each_step_runs_the_victim_and_both_probes_at_the_same_load() -> None:
    (one,) = planned(delays="1000,0")
    kinds = [[one.groups[group].workload.kernel for group in take] for take in one.takes]
    assert kinds == [
        ["command"], ["chase"], ["read"],
        ["command", "write_nt"], ["chase", "write_nt"], ["read", "write_nt"],
        ["command", "write_nt"], ["chase", "write_nt"], ["read", "write_nt"],
    ]  # fmt: skip
    assert one.against == (0, 1, 2) * 3
    paces = [one.groups[take[1]].workload.pace_cycles for take in one.takes if len(take) == 2]
    assert paces == [1000, 1000, 1000, 0, 0, 0]


def test_victim_and_probes_share_a_cpu_and_the_load_has_the_other_cores() -> None:
    (one,) = planned()
    roles = {group.role: group.team.cpus for group in one.groups}
    assert roles[VICTIM] == roles[PROBER] == (0,)
    assert roles["load"] == (1, 2, 3)
    for take in one.takes:
        used = [cpu for group in take for cpu in one.groups[group].team.cpus]
        assert len(set(used)) == len(used)


def test_the_memory_of_another_node_is_a_step_of_victim_and_probes() -> None:
    (one,) = planned(made_server(packages=2, nodes=1), levers="node")
    victims = [group.workload.work.memory for group in one.groups if group.role == VICTIM]
    assert victims == ["", "node:1"]
    assert {group.target.word for group in one.groups if group.role == PROBER} == {"node:0", "node:1"}
    assert not one.settings


def test_files_of_the_kernel_are_settings_of_the_takes_of_their_step() -> None:
    one, *_ = planned(with_levers(made_machine(4), **CLOCKS), levers="resctrl", steps="2")
    texts = [[setting.text for setting in settings] for settings in one.settings]
    assert texts == [[]] * 3 + [["MB:0=60;1=60"]] * 3 + [["MB:0=10;1=10"]] * 3


def test_a_lower_clock_is_counted_in_cycles_that_a_chain_of_sums_measures() -> None:
    (one,) = planned(with_levers(made_machine(4), **CLOCKS), levers="clock", steps="2")
    assert [one.groups[take[0]].workload.kernel for take in one.takes[:4]] == ["command", "chase", "read", "loop"]
    assert [settings[0].text for settings in one.settings[4::4]] == ["1500000", "1000000"]


def test_all_levers_of_the_machine_are_used_and_the_others_are_named_with_the_reason() -> None:
    machine = with_levers(made_server(packages=2, nodes=1), **CLOCKS)
    assert len(planned(machine)) == 5
    missing = SUITE.left_out(made_machine(4), SUITE.read({}))
    assert [one.partition(":")[0] for one in missing] == ["lever clock", "lever node", "lever resctrl", "lever uncore"]


@pytest.mark.parametrize(
    ("machine", "words", "error", "text"),
    [
        (made_machine(1), {}, MachineError, "no CPU but the victim's"),
        (made_machine(4), {"levers": "node"}, MachineError, "no other node has memory"),
        (made_machine(4), {"levers": "clock"}, MachineError, "there is no /sys"),
        (made_machine(4), {"levers": "weights"}, UsageError, "weights"),
        (made_machine(4), {"victim": "./solve"}, UsageError, "victim='cmd"),
        (made_machine(4), {"victim": "cmd "}, UsageError, "victim='cmd"),
        (made_machine(4), {"on": "350"}, UsageError, "350ns"),
        (made_machine(4), {"on": "2s"}, UsageError, "1ns to 1ms"),
        (made_machine(4), {"on": "0.001x"}, UsageError, "0.1x"),
        (made_machine(4), {"load_cpus": "0"}, UsageError, "overlap on CPU 0"),
        (made_machine(4), {"load": "burn"}, UsageError, "burn"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_what_to_try(
    machine: Machine, words: dict[str, str], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        planned(machine, **words)


def test_a_program_that_ends_too_soon_is_refused_after_one_run() -> None:
    chosen = SUITE.read({"victim": COMMAND})
    refuse_short(chosen, None)
    refuse_short(chosen, 2.0)
    with pytest.raises(UsageError, match="takes 4 ms, and at least 100 ms are needed"):
        refuse_short(chosen, 250.0)


def test_tiers_are_latencies_with_a_name_or_factors() -> None:
    assert tier_of("cxl=350ns").ratio(100e-9) == pytest.approx(3.5)
    assert (tier_of("cxl=350ns").name, tier_of("350ns").name, tier_of("far=2x").name) == ("cxl", "350ns", "far")
    assert tier_of("2.5x").ratio(1.0) == 2.5


def test_the_fit_finds_the_share_that_was_put_in_and_extrapolates_with_wider_bounds(tmp_path: Path) -> None:
    made = Answering()
    run = response_run(tmp_path, f"victim={COMMAND}", "on=1.5x,2x,4x,60x", made=made)
    steps = tables["response"].flat(run)
    assert [row["over"] for row in steps[1:]] == pytest.approx([made.over(d) for d in (2000, 500, 0)], rel=0.02)
    (fit,) = tables["response_fit"].flat(run)
    assert fit["answer"] == "known"
    assert fit["share_low"] <= made.share <= fit["share_high"]
    near, at, far, beyond = tables["response_tiers"].flat(run)
    for row, over in ((near, 1.5), (at, 2.0), (far, 4.0)):
        assert row["slowdown_low"] <= made.slowdown(over) <= row["slowdown_high"]
    assert far["slowdown_high"] - far["slowdown_low"] > at["slowdown_high"] - at["slowdown_low"]
    assert (beyond["answer"], beyond["slowdown"]) == ("not known", None)
    assert "as far as the lever went" in beyond["why"]
    said = {one.name: one.text for one in tables["response_fit"].insights(run, tables["response_fit"].rows(run))}
    assert "of the time grows with latency" in said["response load"]


def test_a_lever_below_a_quarter_is_refused_and_its_number_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = response_run(tmp_path, made=Answering(most=1.15))
    (fit,) = tables["response_fit"].flat(run)
    assert fit["answer"] == "not known"
    assert fit["reach"] == pytest.approx(0.15, abs=0.02)
    assert "not surely 25 %" in fit["why"]
    assert {row["answer"] for row in tables["response_tiers"].flat(run)} == {"not known"}
    (insight,) = tables["response_fit"].insights(run, tables["response_fit"].rows(run))
    assert not insight.conclusive
    assert "the range of latency is 15 %" in insight.text
    del capsys


def test_a_short_program_stops_the_run_with_status_2(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=f"status {int(Exit.USAGE)}"):
        response_run(tmp_path, made=Answering(task_s=0.01))
