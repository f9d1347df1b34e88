"""Rows show the parts of their intervals in every form, and rows of stored runs do not change."""

from io import StringIO
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from fake_core import FakeCore, made_catalogue, put_in_place
from made_machine import made_machine, made_server
from stored import RUNS, kept, stored
from tierscope.plans import suites
from tierscope.plans.options import own_options, restored
from tierscope.record.machine import Cache
from tierscope.record.result import Run, load, load_manifest
from tierscope.report.terminal import show
from tierscope.run import planned, start
from tierscope.run.batches import one_visit
from tierscope.run.expected import imagine
from tierscope.suites.latency.experiments import LatencyOptions
from tierscope.tables import tables
from tierscope.tables.drifts import level_of
from tierscope.units import KiB, MiB

VISITED = [name for name in suites if "visits" in {option.name for option in own_options(suites[name].options)}]
ONCE = ("sizing", "migration", "pairs", "sharing", "background")
"""Tables whose points are visited once: they size other points, change a memory, watch a load over time, or find what
CPUs share, where the visits of the end of a run are further moments."""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run of five kernels, each visited three times, on a core that is made up."""
    put_in_place(FakeCore(), monkeypatch)
    monkeypatch.setattr(planned, "this_machine", lambda *_: made_machine(2))
    words = {"kernels": "copy,scale,add,triad,update", "threads": "1", "array": "64MiB"}
    options = suites["stream"].read(words)
    directory, manifest = start.begin("stream", options, "", ("tierscope",), tmp_path / "run")
    start.execute(directory, manifest)
    return load(directory)


def test_a_row_has_its_visits_and_the_share_of_the_interval_between_them(run: Run) -> None:
    rows = tables["stream"].flat(run)
    assert [row["visits"] for row in rows] == [3] * 5
    for row, record in zip(rows, run.result.records, strict=True):
        share = row["between_share"]
        assert isinstance(share, float)
        assert 0 <= share <= 1
        own = [record, *(visit for visit in run.result.visits if visit.number == record.number)]
        assert row["blocks"] == sum(visit.blocks for visit in own)


OLDER = [name for name in RUNS if not any(one.experiment.schedule.visits for one in stored(name).result.records)]


@pytest.mark.parametrize("name", OLDER)
def test_a_stored_run_shows_that_it_has_no_visits(name: str) -> None:
    """The rows of today are those that are kept: see test_stored_runs.py."""
    for row in kept(name):
        assert row.get("visits") is None
        assert row.get("between_share") is None


@pytest.mark.parametrize("name", VISITED)
def test_a_suite_visits_its_points_three_times_unless_it_is_asked_not_to(name: str) -> None:
    suite = suites[name]
    here = made_server(memory_alone=1) if name == "cxl" else made_machine(4)
    machine = msgspec.structs.replace(here, structures=made_catalogue().structures_here())
    for words, visits in (({}, 3), ({"visits": "5"}, 5), ({"visits": "0"}, 0)):
        experiments = [e for e in imagine(suite.plan(machine, suite.read(words))) if e.table not in ONCE]
        assert experiments or name == "sharing"
        assert {e.schedule.visits for e in experiments} <= {visits}


def test_a_visit_of_fresh_regions_is_as_long_as_whole_regions_take() -> None:
    experiments = imagine(suites["latency"].plan(made_machine(4), suites["latency"].read({"regions": "fresh"})))
    assert {experiment.schedule.visits for experiment in experiments} == {3}
    for experiment in experiments:
        assert one_visit(experiment).minimum_s == experiment.schedule.minimum_s


def test_migrations_are_watched_once_since_writes_change_the_memory() -> None:
    experiments = imagine(suites["policy"].plan(made_machine(4), suites["policy"].read({})))
    visits = {e.table: e.schedule.visits for e in experiments}
    assert (visits["interleave"], visits["combining"], visits["migration"]) == (3, 3, 0)


def test_simulated_memory_does_not_drift_and_is_visited_once() -> None:
    chosen = suites["stream"].read({"target": "sim:optane100", "kernels": "read", "array": "64MiB"})
    plan = planned.plan_for("stream", chosen, "", made_machine(2))
    assert {experiment.schedule.visits for experiment in imagine(plan())} == {0}


def test_a_manifest_of_a_version_without_visits_is_resumed_without_them() -> None:
    assert restored(LatencyOptions, {"budget": 0.8}).visits == 0
    assert restored(LatencyOptions, {"budget": 0.8, "visits": 3}).visits == 3


def test_the_manifest_keeps_the_option(run: Run) -> None:
    assert load_manifest(run.path).options["visits"] == 3


def test_the_level_of_a_footprint_is_the_first_cache_that_a_thread_fits_into(run: Run) -> None:
    caches = [
        Cache(level=level, kind=kind, size_bytes=size, cpus=(0,), ways=8, line_bytes=64)
        for level, kind, size in ((1, "Data", 32 * KiB), (1, "Instruction", 64 * KiB), (2, "Unified", MiB))
    ]
    facts = run.result.records[0].groups[0]
    for size, level in ((16 * KiB, 1), (48 * KiB, 2), (MiB, 2), (2 * MiB, 0)):
        assert level_of(msgspec.structs.replace(facts, footprint_bytes=size), caches) == level


def test_terminal_and_rows_show_the_same_interval(run: Run) -> None:
    out = StringIO()
    show(run, Console(file=out, width=120))
    for row in tables["stream"].rows(run):
        assert row.bandwidth
        assert f"±{row.bandwidth.relative:.1%}".replace("%", "") in out.getvalue()
