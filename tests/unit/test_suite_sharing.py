"""Shared cores and paths of two CPUs are found on made machines, at each moment of a run, and never invented."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

import tiers
from fake_core import Beside, FakeCore, put_in_place
from made_machine import made_machine
from tierscope.errors import MachineError, UnknownNameError, UsageError
from tierscope.plans import Plan, suites
from tierscope.record.background import Background
from tierscope.record.experiment import Experiment, Group
from tierscope.record.machine import Machine
from tierscope.record.result import Finding, Run, load
from tierscope.run import planned, start
from tierscope.run.examined import examined
from tierscope.run.expected import expected_seconds, further_seconds, imagine
from tierscope.stats.median import Interval
from tierscope.suites.sharing.finding import finding
from tierscope.suites.sharing.held import held
from tierscope.suites.sharing.row import SharingRow
from tierscope.suites.sharing.said import core_of, said_of
from tierscope.suites.sharing.verdict import FREE, FULL, OWN, SHARED, UNKNOWN
from tierscope.tables import Insight, tables
from tierscope.units import MiB

Lab = Callable[..., Run]


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> FakeCore:
    return put_in_place(FakeCore(), monkeypatch)


@pytest.fixture
def lab(core: FakeCore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """Runs the suite on two CPUs, or another machine. slow: how many times longer an operation takes next to others."""

    def run(slow: Beside, machine: Machine | None = None, **words: str) -> Run:
        monkeypatch.setattr(planned, "this_machine", lambda *_: machine or made_machine(2))
        core.slow = slow
        directory, manifest = start.begin("sharing", suites["sharing"].read(words), "", (), tmp_path / "run")
        start.execute(directory, manifest)
        return load(directory)

    return run


def apart(group: Group, ran: Sequence[Group]) -> float:
    """Two cores, and a memory for both."""
    return 1.0


def one_core(group: Group, ran: Sequence[Group]) -> float:
    return float(len(ran))


def one_path(group: Group, ran: Sequence[Group]) -> float:
    return 1.0 if group.workload.kernel == "busy" else float(len(ran))


def after(core: FakeCore, processes: int, before: Beside, then: Beside) -> Beside:
    """Another machine from some process of the core on."""

    def changing(group: Group, ran: Sequence[Group]) -> float:
        return before(group, ran) if core.log.count("start") <= processes else then(group, ran)

    return changing


def rows_of(run: Run) -> list[SharingRow]:
    return tables["sharing"].rows(run)


def said(run: Run) -> dict[str, Insight]:
    return {insight.name: insight for insight in tables["sharing"].insights(run, rows_of(run))}


def siblings() -> Machine:
    """Two CPUs that the system lists on one core."""
    machine = made_machine(2)
    cpus = tuple(msgspec.structs.replace(cpu, core=0, package=0) for cpu in machine.identity.cpus)
    return msgspec.structs.replace(machine, identity=msgspec.structs.replace(machine.identity, cpus=cpus))


def experiments_of(machine: Machine, **words: str) -> list[Experiment]:
    return imagine(suites["sharing"].plan(machine, suites["sharing"].read(words)))


def test_two_cores_with_a_memory_for_both_are_found(lab: Lab) -> None:
    run = lab(apart)
    for row in rows_of(run):
        assert (row.core, row.path, row.listed, row.conclusive) == (OWN, FREE, OWN, True)
        assert row.slowdown
        assert row.slowdown.middle == pytest.approx(1.0, rel=0.02)
        assert row.gain
        assert row.gain.middle == pytest.approx(2.0, rel=0.02)
    assert said(run)["core 0 1"].text.startswith(
        "CPU 0 and CPU 1 have a core each, as the system lists them, at each of 3 times: together, each takes 1.00x"
    )
    assert said(run)["memory 0 1"].text.startswith(
        "With write_nt, two threads (CPU 0 and CPU 1) get more from memory than one: 2.0"
    )


def test_moments_that_agree_are_one_number_that_contains_each(lab: Lab) -> None:
    """A gain of 2.06 +- 0.01 and one of 1.95 +- 0.01 came a minute apart: neither contains the other number."""
    every = rows_of(lab(apart))
    gains = [Interval(2.05, 2.06, 2.07, 10), Interval(1.94, 1.95, 1.96, 10), Interval(1.95, 1.97, 1.98, 10)]
    rows = [msgspec.structs.replace(row, gain=gain) for row, gain in zip(every, gains, strict=True)]
    (found,) = [one for one in said_of(rows) if one.name.startswith("memory")]
    assert "than one: 1.97x (1.94 to 2.07)" in found.text


def test_one_core_that_is_listed_as_two_is_found_and_its_memory_is_not_judged(lab: Lab) -> None:
    run = lab(one_core)
    for row in rows_of(run):
        assert (row.core, row.path, row.listed, row.conclusive) == (SHARED, UNKNOWN, OWN, True)
        assert row.slowdown
        assert row.slowdown.middle == pytest.approx(2.0, rel=0.02)
    assert list(said(run)) == ["core 0 1"]
    assert [warn.code for warn in run.result.records[0].warnings] == ["one_core"]
    assert (
        "share a core although the system lists them as two, at each of 3 times: together, each takes 2.0"
        in said(run)["core 0 1"].text
    )


def test_one_core_that_is_listed_as_one_gives_no_warning(lab: Lab) -> None:
    run = lab(one_core, siblings())
    assert {(row.core, row.listed) for row in rows_of(run)} == {(SHARED, SHARED)}
    assert "share a core, as the system lists them, at each of 3 times" in said(run)["core 0 1"].text
    assert not run.result.records[0].warnings
    assert finding(rows_of(run)).verdict == "good"


def test_two_cores_that_are_listed_as_one_are_reported_as_two(lab: Lab) -> None:
    run = lab(apart, siblings())
    assert "have a core each although the system lists them as one" in said(run)["core 0 1"].text


def test_a_full_or_capped_path_to_memory_is_found(lab: Lab) -> None:
    run = lab(one_path)
    for row in rows_of(run):
        assert (row.core, row.path, row.conclusive) == (OWN, FULL, True)
        assert row.gain
        assert row.gain.middle == pytest.approx(1.0, rel=0.02)
    text = said(run)["memory 0 1"].text
    assert text.startswith("With write_nt, two threads (CPU 0 and CPU 1) get no more from memory than one: 1.0")
    assert "bus" not in text  # reads may still rise


@pytest.mark.parametrize(("used", "path"), [(None, FULL), (0.05, FULL), (0.8, UNKNOWN)])
def test_a_pair_measured_with_other_programs_shows_nothing(lab: Lab, used: float | None, path: str) -> None:
    """Their rates look like a full path: two threads and a busy program share two CPUs."""
    run = lab(one_path)
    records = [msgspec.structs.replace(one, background=Background(cpus=used)) for one in run.result.records]
    visits = [msgspec.structs.replace(one, background=Background(cpus=used)) for one in run.result.visits]
    result = msgspec.structs.replace(run.result, records=tuple(records), visits=tuple(visits))
    found = rows_of(Run(path=run.path, result=result))
    assert {row.path for row in found} == {path}
    assert all(row.conclusive == (path == FULL) for row in found)
    assert (finding(found).verdict == "note") == (path == FULL)


def test_each_visit_has_its_time_and_a_change_is_reported_with_both(lab: Lab, core: FakeCore) -> None:
    """A hypervisor that caps the guest after the first process of the core."""
    run = lab(after(core, 1, apart, one_path))
    rows = rows_of(run)
    assert [row.moment for row in rows] == [0, 1, 2]
    assert [row.path for row in rows] == [FREE, FULL, FULL]
    assert [row.at for row in rows] == [record.started for record in (*run.result.records, *run.result.visits)]
    told = said(run)["memory 0 1"]
    assert "get no more from memory than one" in told.text
    assert f"at {rows[2].at[11:19]} UTC, and 2.0" in told.text
    assert told.text.endswith(f"at {rows[0].at[11:19]} UTC")
    assert [row.visits for row in rows] == [None] * 3  # nothing is pooled


def test_a_guest_whose_cpus_are_moved_to_one_core_is_reported(lab: Lab, core: FakeCore) -> None:
    """As on a guest of 25 November 2026: one core at one time of four. It is neither for good nor a cause."""
    run = lab(after(core, 2, apart, one_core))
    rows = rows_of(run)
    assert [row.core for row in rows] == [OWN, OWN, SHARED]
    at = f"{rows[2].at[11:19]} UTC"
    text = said(run)["core 0 1"].text
    assert text.startswith(f"CPU 0 and CPU 1 shared a core at 1 of 3 times ({at}) and had a core each at the others: ")
    assert text.endswith(f"the time of one alone at {at}")
    (warn,) = run.result.visits[-1].warnings
    assert warn.message == f"CPU 0 and CPU 1 shared a core at {at}, although the system lists them as two"
    found = finding(rows)
    assert (found.verdict, found.touches) == ("note", ("bandwidth",))
    assert "two states of the machine" in found.effect


def test_one_moment_alone_shows_nothing_for_good(lab: Lab, core: FakeCore) -> None:
    run = lab(one_core, visits="0")
    (row,) = rows_of(run)
    assert f"shared a core at {row.at[11:19]} UTC, the only time that is known although" in said(run)["core 0 1"].text
    assert finding([row]).verdict == "unknown"
    assert held([row], core_of) == UNKNOWN


@pytest.mark.parametrize("seed", tiers.first(2, range(6)))
def test_a_wild_machine_never_raises_a_false_alarm(lab: Lab, core: FakeCore, seed: int) -> None:
    """Noise of 30 % from batch to batch, and half of the blocks disturbed: few statements, and none wrong."""

    def wild(group: Group, ran: Sequence[Group]) -> float:
        return float(np.exp(np.random.default_rng([seed, core.measured, *group.team.cpus]).normal(0, 0.3)))

    core.preempted = 0.5
    run = lab(wild, budget="0.1")
    assert not [row for row in rows_of(run) if row.core == SHARED or row.path == FULL]
    assert not [row for row in rows_of(run) if row.conclusive]


def test_a_second_cpu_that_other_work_uses_is_not_a_full_path(lab: Lab) -> None:
    """It works at a tenth of its rate, within the core and on memory: two threads then get little more than one."""
    run = lab(lambda group, ran: 10.0 if group.team.cpus == (1,) else 1.0)
    for row in rows_of(run):
        assert row.gain
        assert row.gain.high < 1.2
        assert (row.core, row.path) == (OWN, UNKNOWN)
    found = finding(rows_of(run))
    assert found.verdict == "unknown"
    assert "is not known: within the core 1.0" in found.state


def test_a_slowdown_between_one_core_and_two_is_not_known(lab: Lab) -> None:
    run = lab(lambda group, ran: 1.37 if len(ran) == 2 else 1.0)
    for row in rows_of(run):
        assert (row.core, row.conclusive) == (UNKNOWN, True)  # the ratio itself is known well
    assert "core 0 1" not in said(run)


def test_a_machine_without_a_clean_moment_is_not_known_with_the_reason(lab: Lab, core: FakeCore) -> None:
    core.preempted = 1.0
    run = lab(one_core)
    for row in rows_of(run):
        assert (row.core, row.path) == (UNKNOWN, UNKNOWN)
        assert "core: only 0 rounds of 8" in row.reasons
    assert said(run) == {}
    assert finding(rows_of(run)).verdict == "unknown"


def test_on_many_cpus_two_pairs_of_separate_cores_are_measured() -> None:
    machine = made_machine(8)
    assert [tuple(e.labels.values()) for e in experiments_of(machine)] == [(0, 1), (0, 4)]
    cpus = tuple(msgspec.structs.replace(cpu, core=cpu.number % 4) for cpu in machine.identity.cpus)
    paired = msgspec.structs.replace(machine, identity=msgspec.structs.replace(machine.identity, cpus=cpus))
    for first, second in (e.labels.values() for e in experiments_of(paired)):
        assert int(first or 0) % 4 != int(second or 0) % 4
    assert [tuple(e.labels.values()) for e in experiments_of(machine, cpus="3,5,7")] == [(3, 5), (3, 7)]


def test_half_of_little_memory_is_used_and_a_note_reports_it() -> None:
    machine = made_machine(2)
    little = msgspec.structs.replace(machine, state={**machine.state, "available_bytes": 40 * MiB})
    for words in ({}, {"kernel": "read"}):
        (experiment,) = experiments_of(little, **words)
        assert sum(group.workload.footprint_bytes for group in experiment.groups) <= 20 * MiB
        assert "half of the free memory" in experiment.note


def test_within_a_core_and_on_memory_alternate_alone_and_together() -> None:
    (experiment,) = experiments_of(made_machine(2))
    assert [(group.workload.kernel, group.team.cpus) for group in experiment.groups] == [
        ("busy", (0,)), ("busy", (1,)), ("write_nt", (0,)), ("write_nt", (1,)),
    ]  # fmt: skip
    assert experiment.takes == ((0,), (0, 1), (2,), (2, 3))
    assert experiment.against == (0, 0, 2, 2)


def test_a_pair_needs_two_cpus_and_a_kernel_on_lines() -> None:
    with pytest.raises(MachineError, match="a pair needs two CPUs; this process may use one"):
        experiments_of(made_machine(1))
    with pytest.raises(UsageError, match="cpus=1: a pair needs two CPUs"):
        experiments_of(made_machine(2), cpus="1")
    with pytest.raises(UsageError, match="CPU 9 may not be used here"):
        experiments_of(made_machine(2), cpus="0,9")
    with pytest.raises(UnknownNameError, match="unknown kernel 'chase'"):
        experiments_of(made_machine(2), kernel="chase")


def test_quick_measures_what_is_shared_first_and_last_in_two_seconds() -> None:
    for count in (2, 64):
        experiments = imagine(suites["quick"].plan(made_machine(count), suites["quick"].read({})))
        own = [number for number, e in enumerate(experiments) if e.table == "sharing"]
        half = len(own) // 2
        assert own == [*range(half), *range(len(experiments) - half, len(experiments))]
        first, last = experiments[own[0]], experiments[own[-1]]
        assert (first.schedule.visits, last.schedule.visits) == (0, 3)  # its visits end the later tours
    seconds = sum(expected_seconds(e) + further_seconds(e) for e in imagine(_quick(2)) if e.table == "sharing")
    assert seconds < 2.5


def _quick(cpus: int) -> Plan:
    return suites["quick"].plan(made_machine(cpus), suites["quick"].read({}))


def test_quick_on_one_cpu_or_on_simulated_memory_leaves_it_out() -> None:
    for machine, words in ((made_machine(1), {}), (made_machine(4), {"target": "sim:optane100"})):
        plan = suites["quick"].plan(machine, suites["quick"].read(words))
        assert not [e for e in imagine(plan) if e.table == "sharing"]


def test_the_doctor_measures_what_no_file_shows(core: FakeCore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planned, "this_machine", lambda *_: made_machine(2))
    for slow, verdict, words in (
        (apart, "good", "CPU 0 and CPU 1 have a core each, as the system lists them, at each of 3 times (1.00x"),
        (
            one_core,
            "bad",
            "CPU 0 and CPU 1 share a core although the system lists them as two, at each of 3 times (2.0",
        ),
        (one_path, "note", "With write_nt, two threads (CPU 0 and CPU 1) get no more from memory than one: 1.0"),
    ):
        core.slow = slow
        found = _sharing(examined())
        assert found.verdict == verdict
        assert words in found.state
        assert bool(found.effect) == (verdict != "good")


def test_the_doctor_states_why_one_cpu_cannot_be_measured(core: FakeCore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planned, "this_machine", lambda *_: made_machine(1))
    found = _sharing(examined())
    assert found.verdict == "unknown"
    assert "a pair needs two CPUs; this process may use one" in found.state


def _sharing(findings: Sequence[Finding]) -> Finding:
    (found,) = (one for one in findings if one.name == "sharing")
    return found
