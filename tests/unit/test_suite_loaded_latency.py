"""Loads alternate with the chaser alone: drift is in no ratio, and no load makes an access faster."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from fake_core import Beside, FakeCore, made_catalogue, put_in_place
from made_machine import made_machine
from tierscope.plans import suites
from tierscope.record.experiment import Group
from tierscope.record.result import Record, Run, load
from tierscope.run import planned, start
from tierscope.run.calibrate import GUESSES
from tierscope.run.candidates import candidates
from tierscope.run.expected import imagine
from tierscope.stats.contrast import ROUNDS
from tierscope.suites.loaded_latency.row import LoadedLatencyRow
from tierscope.tables import tables
from tierscope.tables.measured import judged, judged_once

WORDS = {"mixes": "read", "delays": "0,100,1000,10000", "array": "2GiB", "budget": "0.6"}


class Lab:
    """Runs of the suite on a core that is made up."""

    def __init__(self, directory: Path, core: FakeCore) -> None:
        self.directory, self.core = directory, core

    def __call__(self, slow: Beside, **words: str) -> Run:
        """slow: by how many times an operation of a group takes longer next to those that run."""
        self.core.slow = slow
        options = suites["loaded-latency"].read(WORDS | words)
        directory, manifest = start.begin("loaded-latency", options, "", ("tierscope",), self.directory)
        start.execute(directory, manifest)
        return load(directory)


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    core = put_in_place(FakeCore(), monkeypatch)
    core.noise = lambda group: 0.005
    monkeypatch.setattr(planned, "this_machine", lambda *_: made_machine(2))
    return Lab(tmp_path / "run", core)


def by_load(group: Group, ran: Sequence[Group]) -> float:
    """A load without delay makes the chaser slower by 1.4x, a delay of 1000 cycles by 1.04x."""
    delays = [one.workload.pace_cycles for one in ran if one.role == "load"]
    return 1 + 0.4 / (1 + delays[0] / 111) if group.role == "chaser" and delays else 1.0


def rows_of(run: Run) -> list[LoadedLatencyRow]:
    return tables["loaded_latency"].rows(run)


def loads_of(run: Run) -> list[LoadedLatencyRow]:
    return [row for row in rows_of(run) if row.load_threads]


def test_each_load_alternates_with_the_chaser_alone_and_is_compared_with_it() -> None:
    suite = suites["loaded-latency"]
    alone, *loads = [e for e in imagine(suite.plan(made_machine(4), suite.read(WORDS))) if e.table != "sizing"]
    assert (alone.takes, alone.against) == ((), ())
    assert len(loads) == 4
    for experiment in loads:
        assert experiment.takes == ((0,), (0, 1))
        assert experiment.against == (0, 0)
        assert [group.role for group in experiment.groups] == ["chaser", "load"]
        assert experiment.calibrate


def test_a_load_begins_with_the_guesses_of_stream_and_keeps_the_fastest_at_all_delays(lab: Lab) -> None:
    run = lab(lambda group, ran: 1.0)
    first, *others = [record for record in run.result.records if len(record.groups) == 2]
    tried = {(trial.workload.isa, trial.workload.work) for trial in first.calibration}
    guesses = candidates(made_catalogue().variants("read"))[:GUESSES]
    assert tried > {(guess.isa, guess.work) for guess in guesses}
    assert {record.groups[1].streams for record in (first, *others)} == {12}  # the fastest of the made core
    assert all(record.calibration == () for record in others)


def test_the_ratio_to_idle_is_found_with_an_interval(lab: Lab) -> None:
    for row in loads_of(lab(by_load)):
        truth = 1 + 0.4 / (1 + (row.delay_cycles or 0) / 111)
        assert row.conclusive
        assert row.over_idle
        assert row.over_idle.low <= truth * 1.001
        assert row.over_idle.high >= truth / 1.001
        assert row.over_idle.middle == pytest.approx(truth, rel=0.005)
        assert row.idle
        assert row.latency
        assert row.latency.middle / row.idle.middle == pytest.approx(truth, rel=0.005)


def test_the_sentence_states_the_ratio_with_its_interval(lab: Lab) -> None:
    run = lab(by_load)
    found = {one.name: one for one in tables["loaded_latency"].insights(run, rows_of(run))}
    told = found["saturation 100 % reads"]
    assert "(1.40x idle, 1." in told.text
    (over,) = told.others
    assert over.low is not None
    assert over.high is not None
    assert over.low < over.value < over.high


def test_a_machine_that_drifts_moves_latencies_but_not_their_ratio(lab: Lab) -> None:
    """By 3 % each second: over the run the chaser becomes slower by half, and faster again."""

    def drifting(group: Group, ran: Sequence[Group]) -> float:
        return by_load(group, ran) * float(1.25 + 0.25 * np.sin(lab.core.now / 8))

    rows = loads_of(lab(drifting))
    times = [row.latency.middle for row in rows if row.latency and row.delay_cycles == 10000]
    assert max(row.latency.relative for row in rows if row.latency) > 0.05  # it did drift
    assert times
    for row in rows:
        truth = 1 + 0.4 / (1 + (row.delay_cycles or 0) / 111)
        assert row.over_idle
        assert row.over_idle.low <= 1.002 * truth
        assert row.over_idle.high >= truth / 1.002
        assert row.over_idle.relative < 0.03
        assert not (row.conclusive and row.over_idle.high < 1)


def test_differences_between_visits_are_in_the_interval_of_the_ratio(lab: Lab) -> None:
    """Each process has mappings of its own, on which the load slows the chaser by another share."""

    def luck(group: Group, ran: Sequence[Group]) -> float:
        mapping = np.random.default_rng([lab.core.log.count("start"), group.workload.pace_cycles]).normal(0, 0.03)
        return by_load(group, ran) * (float(np.exp(mapping)) if group.role == "chaser" and len(ran) == 2 else 1.0)

    run = lab(luck)
    for record in run.result.records[1:]:
        alone, found = judged_once(run, record).contrasts[1], judged(run, record).contrasts[1]
        assert found.ratio.relative > 2 * alone.ratio.relative
        assert found.ratio.count >= ROUNDS
    assert any("since the machine changes from visit to visit" in "; ".join(row.reasons) for row in loads_of(run))


def test_a_load_that_makes_an_access_faster_is_inconclusive_with_the_reason(lab: Lab) -> None:
    run = lab(lambda group, ran: 0.95 if group.role == "chaser" and len(ran) == 2 else 1.0)
    for row in loads_of(run):
        assert row.over_idle
        assert row.over_idle.high < 1
        assert not row.conclusive
        assert "no load makes an access faster: something else changed with the load" in row.reasons[-1]
    found = [one for one in tables["loaded_latency"].insights(run, rows_of(run)) if one.name != "idle_latency"]
    assert [one.name for one in found] == ["model"]
    assert not found[0].conclusive
    assert found[0].value is None


def test_loads_that_alternate_with_idle_replace_the_row_of_the_chaser_alone(lab: Lab) -> None:
    """The machine was slower while the chaser ran alone at the start of each tour."""

    def slow(group: Group, ran: Sequence[Group]) -> float:
        last = next(step for step in reversed(lab.core.log) if step.startswith("prepare"))
        return by_load(group, ran) * (1.08 if last == "prepare chase" else 1.0)

    run = lab(slow)
    alone, loads = rows_of(run)[0], loads_of(run)
    assert not alone.conclusive
    assert "under a load at another time: the machine has changed between them" in alone.reasons[-1]
    assert all(row.conclusive for row in loads)
    assert alone.latency
    assert min(row.latency.high for row in loads if row.latency) < alone.latency.low


def test_no_two_conclusive_rows_show_a_load_faster_than_idle(lab: Lab) -> None:
    """Whatever the machine does: a speed of its own for each batch of each process, by 5 %."""

    def wild(group: Group, ran: Sequence[Group]) -> float:
        rng = np.random.default_rng([lab.core.measured // 7, len(ran)])
        return float(np.exp(rng.normal(0, 0.05)))

    rows = rows_of(lab(wild))
    idle = [row for row in rows if not row.load_threads and row.conclusive]
    loads: list[Any] = [row for row in rows if row.load_threads and row.conclusive]
    assert not [1 for one in idle for row in loads if row.latency.high < one.latency.low]
    assert not [row for row in loads if row.over_idle.high < 1]


def test_a_run_of_a_version_that_did_not_alternate_has_no_ratio_and_keeps_its_verdicts(lab: Lab) -> None:
    run = lab(by_load)
    stored = tuple(map(as_before, run.result.records))
    rows = rows_of(Run(path=run.path, result=msgspec.structs.replace(run.result, records=stored, visits=())))
    assert [(row.over_idle, row.idle) for row in rows] == [(None, None)] * len(rows)
    assert all(row.conclusive for row in rows)


def as_before(record: Record) -> Record:
    """Without takes and visits. The blocks of the chaser alone are still there, and are of no load."""
    schedule = msgspec.structs.replace(record.experiment.schedule, visits=0)
    experiment = msgspec.structs.replace(record.experiment, schedule=schedule, takes=(), against=())
    return msgspec.structs.replace(record, experiment=experiment, takes=())
