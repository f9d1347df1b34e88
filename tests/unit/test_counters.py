"""Performance events from the option to the rows: formulas, multiplexing, the replacement where no PMU counts."""

from pathlib import Path

import msgspec
import pytest

from fake_core import FakeCore
from lab import EMPTY, Lab, group, lab_in, plan_of, point
from made import Maker, add_latency
from made_counters import BLOCKS, NO_PMU, OPERATIONS, TRUTH, event, made_counted, made_second_pass
from made_machine import made_machine
from said import refused
from tierscope.compare.correlated import correlated
from tierscope.errors import Exit, MachineError
from tierscope.record.counting import PERF_EVENT, SIMULATED, Counted, EventCount, simulated_events
from tierscope.record.experiment import Experiment
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.top.top import top
from tierscope.run.counters import Counters as Counting
from tierscope.run.second_pass import SecondPass
from tierscope.suites.counters.row import CountersRow
from tierscope.suites.counters.table import Counters
from tierscope.suites.counters.terminal import grid


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    return lab_in(tmp_path / "run", monkeypatch)


def rows_of(tmp_path: Path, *counted: Counted) -> tuple[Run, list[CountersRow]]:
    maker = Maker(tmp_path)
    add_latency(maker, (1 << 20,))
    maker.records[0] = msgspec.structs.replace(maker.records[0], counted=counted)
    run = maker.save()
    return run, Counters().rows(run)


def one(rows: list[CountersRow], name: str) -> CountersRow:
    (row,) = [row for row in rows if row.counter == name]
    return row


# --- rows ---


def test_counts_are_shown_per_operation_and_metrics_follow_from_them(tmp_path: Path) -> None:
    _, rows = rows_of(tmp_path, made_counted())
    cycles = one(rows, "cycles")
    assert cycles.value == TRUTH["cycles"]
    assert cycles.per_operation == TRUTH["cycles"] / OPERATIONS
    assert cycles.empty_per_block == 10
    assert cycles.multiplexed_share == 0
    assert cycles.blocks == BLOCKS
    assert one(rows, "ipc").value == 2
    assert one(rows, "memory_bytes").value == pytest.approx(1.5 * 64)
    assert one(rows, "clock").value == pytest.approx(3e9 / 0.99)
    assert one(rows, "on_cpu_share").value == pytest.approx(0.99)
    assert one(rows, "task-clock").unit == "s"
    assert one(rows, "task-clock").value == pytest.approx(0.99)


def test_uncounted_events_keep_their_reason_and_so_do_metrics_that_need_them(tmp_path: Path) -> None:
    run, rows = rows_of(tmp_path, made_counted())
    assert one(rows, "branches").value is None
    assert one(rows, "branches").reason == NO_PMU
    assert one(rows, "branch_miss_ratio").reason == "not counted: branch_misses, branches"
    said = {insight.name: insight.text for insight in Counters().insights(run, rows)}
    assert "branches: no PMU counts it here" in said["not_counted"]
    assert "pmu=on" in said["not_counted"]
    assert "took 2 us for each block" in said["counting_cost"]
    assert "0.2 %" in said["counting_cost"]


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("this machine has no PMU cpu", "pmu=on"),
        ("not allowed to this user (Permission denied)", "perf_event_paranoid=1"),
        ("perf_event_open is closed here (Function not implemented)", "seccomp"),
        ("Too many open files", "ulimit -n"),
        ("Invalid argument", "tierscope catalogue"),
    ],
)
def test_every_reason_has_a_next_step(reason: str, remedy: str, tmp_path: Path) -> None:
    lacking = Counted(origin=PERF_EVENT, group=0, events=(EventCount(event="cycles", reason=reason),))
    run, rows = rows_of(tmp_path, lacking)
    (insight,) = Counters().insights(run, rows)
    assert insight.text.startswith(f"Not counted: cycles: {reason}; ")
    assert remedy in insight.text


def test_multiplexed_events_are_scaled_and_marked(tmp_path: Path) -> None:
    run, rows = rows_of(tmp_path, made_counted(share=0.25))
    assert one(rows, "cycles").value == TRUTH["cycles"]
    assert one(rows, "cycles").multiplexed_share == 0.75
    assert one(rows, "ipc").multiplexed_share == 0.75
    said = {insight.name: insight for insight in Counters().insights(run, rows)}
    assert said["multiplexed"].value == 0.75
    assert "25 % of the time" in said["multiplexed"].text


def test_an_event_that_the_pmu_never_counted_has_no_value(tmp_path: Path) -> None:
    waiting = EventCount(event="cycles", scope="user", enabled_ns=100, running_ns=0)
    _, rows = rows_of(tmp_path, Counted(origin=PERF_EVENT, group=0, blocks=1, operations=1, events=(waiting,)))
    assert one(rows, "cycles").value is None
    assert "PMU never counted it" in (one(rows, "cycles").reason or "")


def test_an_event_without_a_reported_time_has_no_value(tmp_path: Path) -> None:
    unread = EventCount(event="cycles", scope="user+kernel")
    _, rows = rows_of(tmp_path, Counted(origin=PERF_EVENT, group=0, blocks=1, operations=1, events=(unread,)))
    assert one(rows, "cycles").value is None
    assert "reported no time" in (one(rows, "cycles").reason or "")


def test_an_event_that_the_core_could_not_read_has_its_reason(lab: Lab) -> None:
    lab.core.events = frozenset({"cycles", "page-faults"})
    lab.core.unread = frozenset({"cycles"})
    lab(plan_of(point(group())), counters=counting(lab.core, "cycles,page-faults"))
    (counted,) = lab.records[0].counted
    assert [one.reason for one in counted.events] == ["its count cannot be read (0 bytes came)", ""]
    assert [one.counted for one in counted.events] == [False, True]


def test_a_metric_of_counts_of_two_modes_has_a_reason_and_no_value(tmp_path: Path) -> None:
    counted = made_counted(scope="user")
    clock = event("task-clock", TRUTH["task-clock"])
    counted = msgspec.structs.replace(
        counted, events=(*(one for one in counted.events if one.event != "task-clock"), clock)
    )
    _, rows = rows_of(tmp_path, counted)
    assert one(rows, "ipc").value == 2
    assert one(rows, "clock").value is None
    assert "cycles: user; task-clock: user+kernel" in (one(rows, "clock").reason or "")
    assert one(rows, "on_cpu_share").value == pytest.approx(0.99)


def test_counts_of_user_mode_alone_are_marked(tmp_path: Path) -> None:
    run, rows = rows_of(tmp_path, made_counted(scope="user"))
    assert one(rows, "ipc").scope == "user"
    assert "user_mode_alone" in {insight.name for insight in Counters().insights(run, rows)}


def test_a_second_pass_is_next_to_what_was_counted_with_its_origin(tmp_path: Path) -> None:
    run, rows = rows_of(tmp_path, made_counted(), made_second_pass())
    assert {row.origin for row in rows} == {PERF_EVENT, SIMULATED}
    (ratio,) = [row for row in rows if row.counter == "llc_load_miss_ratio" and row.origin == SIMULATED]
    assert ratio.value == 0.5
    assert "simulated_counts" in {insight.name for insight in Counters().insights(run, rows)}
    first, second = grid(rows)
    assert "by perf_event" in first[0]
    assert "by simulated" in second[0]
    assert first[2][0][1] == "2"  # ipc comes first


def test_counters_make_no_headline(tmp_path: Path) -> None:
    run, rows = rows_of(tmp_path, made_counted())
    record = run.result.records[0]
    bare = msgspec.structs.replace(record, experiment=msgspec.structs.replace(record.experiment, table="sizing"))
    only = msgspec.structs.replace(run, result=msgspec.structs.replace(run.result, records=(bare,)))
    assert top(gather(only)).lead == f"{len(rows)} rows in 1 table."


def test_a_plan_that_the_simulator_does_not_take_has_a_row_with_the_reason(tmp_path: Path) -> None:
    run, rows = rows_of(tmp_path, Counted(origin=SIMULATED, reason="the simulator does not take it: no form"))
    (row,) = rows
    assert row.reason == "the simulator does not take it: no form"
    (insight,) = Counters().insights(run, rows)
    assert insight.text == "No counts: the simulator does not take it: no form."


def test_counters_of_simulated_machines_are_lines_and_called_so(tmp_path: Path) -> None:
    counters = {
        "L1d.loads": 10, "L1d.load_misses": 8, "L1d.stores": 1, "L1d.store_misses": 1, "L3.loads": 8,
        "L3.load_misses": 2, "L3.stores": 0, "L3.store_misses": 0, "DTLB.hits": 7, "DTLB.misses": 3, "dram.reads": 2,
        "dram.writes": 1,
    }  # fmt: skip
    named = {found.event: found.value for found in simulated_events(counters)}
    assert not {"L1-dcache-loads", "L1-dcache-load-misses", "dTLB-loads"} & set(named)  # a PMU counts every load
    assert named["L1d-load-lines"] == 10
    assert named["L1d-load-line-misses"] == 8
    assert named["LLC-loads"] == 8
    assert named["LLC-load-misses"] == 2
    assert named["dTLB-lines"] == 10
    assert named["dTLB-line-misses"] == 3
    assert named["memory-reads"] == 2
    counted = Counted(origin=SIMULATED, by="sim:made", blocks=1, operations=1, events=simulated_events(counters))
    _, rows = rows_of(tmp_path, counted)
    assert one(rows, "l1d_load_line_miss_ratio").value == 0.8
    assert one(rows, "l1d_load_miss_ratio").value is None
    assert simulated_events({"flat.reads": 3, "flat.writes": 0})[0].value == 3


# --- runs ---


def counting(core: FakeCore, asked: str) -> Counting:
    return Counting(asked, "none", SecondPass(made_machine(4), core.session))


def test_events_are_asked_for_behind_prepare_and_read_before_the_memory_goes(lab: Lab) -> None:
    lab.core.events = frozenset({"cycles", "page-faults"})
    lab(plan_of(point(group())), counters=counting(lab.core, "cycles,page-faults,branches"))
    (record,) = lab.records
    steps = [step.split()[0] for step in lab.core.log]
    assert steps[:3] == ["start", "prepare", "count"]
    assert steps.index("count") < steps.index("measure") < steps.index("check") < steps.index("counts")
    (counted,) = record.counted
    assert counted.group == 0
    batches = steps.count("measure")
    assert [(one.event, one.value, one.reason) for one in counted.events] == [
        ("cycles", 100 * batches, ""), ("page-faults", 100 * batches, ""), ("branches", 0, NO_PMU),
    ]  # fmt: skip
    assert counted.seconds == pytest.approx(1e-6 * batches)
    assert counted.take is None


def in_turns() -> Experiment:
    """A victim alone, and next to another."""
    both = point(group(), group())
    return msgspec.structs.replace(both, takes=((0,), (0, 1)))


def test_a_group_that_runs_alone_and_next_to_others_has_counts_of_each(lab: Lab, tmp_path: Path) -> None:
    lab.core.events = frozenset({"cycles"})
    lab(plan_of(in_turns()), counters=counting(lab.core, "cycles"))
    (record,) = lab.records
    batches = [record.takes.count(take) for take in range(2)]
    assert [(one.take, one.group, one.events[0].value, one.operations) for one in record.counted] == [
        (0, 0, 100 * batches[0], 10 * batches[0]),
        (1, 0, 100 * batches[1], 10 * batches[1]),
        (1, 1, 100 * batches[1], 10 * batches[1]),
    ]
    maker = Maker(tmp_path)
    maker.records.append(record)
    rows = [row for row in Counters().rows(maker.save()) if row.counter == "cycles"]
    assert [(row.take, row.group) for row in rows] == [(0, 0), (1, 0), (1, 1)]
    assert [line[0].split(",")[0] for line in grid(rows)[0][2]][1].startswith("#0 take 1")


def test_the_second_pass_counts_each_take_by_itself(lab: Lab) -> None:
    lab(plan_of(in_turns()), counters=counting(lab.core, "simulated"))
    (record,) = lab.records
    assert [(one.take, one.group) for one in record.counted] == [(0, None), (1, None)]
    assert record.counted[0].operations < record.counted[1].operations
    prepared = [step for step in lab.core.log if step.startswith("prepare")]
    assert prepared == ["prepare triad+triad", "prepare triad", "prepare triad+triad"]


def test_without_a_pmu_the_default_goes_through_simulated_caches_too(lab: Lab) -> None:
    lab.core.events = frozenset({"page-faults"})
    lab(plan_of(point(group())), counters=counting(lab.core, "default"))
    assert [one.origin for one in lab.records[0].counted] == [PERF_EVENT, SIMULATED]
    assert lab.core.open == 0  # of both sessions


def test_with_a_pmu_nothing_is_simulated(lab: Lab) -> None:
    lab.core.events = frozenset({"cycles"})
    lab(plan_of(point(group())), counters=counting(lab.core, "default"))
    assert [one.origin for one in lab.records[0].counted] == [PERF_EVENT]


def test_events_that_were_named_and_are_not_here_end_the_run(lab: Lab) -> None:
    with pytest.raises(MachineError, match="none of these is counted here .*try counters=default"):
        lab(plan_of(point(group())), counters=counting(lab.core, "cycles,branches"))


def test_without_the_option_nothing_is_asked(lab: Lab) -> None:
    lab(plan_of(point(group())))
    assert lab.records[0].counted == ()
    assert not [step for step in lab.core.log if step.startswith("count")]


def test_storage_refuses_counters_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status, said = refused(capfd, "run", "storage", "counters=default")
    assert status == Exit.USAGE
    assert "processes of its own" in said
    assert list(tmp_path.iterdir()) == []


def test_a_machine_that_reports_no_caches_has_no_second_pass(lab: Lab) -> None:
    machine = msgspec.structs.replace(
        EMPTY.machine, identity=msgspec.structs.replace(EMPTY.machine.identity, caches=())
    )
    lab(plan_of(point(group())), counters=Counting("simulated", "none", SecondPass(machine, lab.core.session)))
    (counted,) = lab.records[0].counted
    assert "reports no caches" in counted.reason


# --- correlation ---


def test_counts_of_a_sweep_are_correlated_with_its_times(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_latency(maker, tuple(1 << power for power in range(16, 26)))
    sweep = [record for record in maker.records if len(record.groups) == 1]
    maker.records[:] = [
        msgspec.structs.replace(
            record, number=number,
            counted=(msgspec.structs.replace(made_counted(), events=(
                event("LLC-load-misses", number * 1000), event("page-faults", 1))), made_second_pass(number)),
        )
        for number, record in enumerate(sweep)
    ]  # fmt: skip
    found = {one.counter: one for one in correlated(maker.save())}
    assert found["LLC-load-misses"].rank.middle == found["LLC-load-misses (simulated)"].rank.middle
    assert "page-faults" not in found  # the same at all points
