"""Quick makes its arrays smaller where mapping memory is slow, and notes it."""

from pathlib import Path

import msgspec
import pytest

from fake_core import made_catalogue
from lab import EMPTY, lab_in
from made_machine import made_machine
from tierscope.plans import suites
from tierscope.plans.sizes import REACHES, Memory, all_together
from tierscope.record.result import Run, load
from tierscope.run.expected import imagine
from tierscope.run.runner import Runner
from tierscope.run.walks import Walks
from tierscope.suites.latency import experiments as latency
from tierscope.suites.quick import experiments
from tierscope.suites.quick.experiments import QuickOptions
from tierscope.suites.quick.mapping import too_slow
from tierscope.units import GiB, MiB


def measured(fault_s: float, directory: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a quick run on a machine that maps a byte in `fault_s`."""
    lab, machine = lab_in(directory, monkeypatch), made_machine(2)
    lab.core.map_s = lambda group: group.workload.footprint_bytes * fault_s
    empty, walks = msgspec.structs.replace(EMPTY, machine=machine, suite="quick"), Walks(made_catalogue())
    Runner(directory, empty, lab.core.session, walks, limit_s=105.0).execute(
        lambda: suites["quick"].plan(machine, QuickOptions())
    )
    return load(directory)


@pytest.mark.parametrize(("fault_s", "slow"), [pytest.param(2e-10, False, marks=pytest.mark.slow), (1e-8, True)])
def test_all_arrays_of_a_kernel_have_the_size_of_one_where_mapping_is_slow(
    fault_s: float, slow: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = measured(fault_s, tmp_path, monkeypatch).result.records
    for table in ("stream", "loaded_latency"):
        own = [record.experiment for record in records if record.experiment.table == table]
        works = [one.groups[-1].workload for one in own]
        sizes = {work.footprint_bytes for work in works if work.kernel != "chase"}
        assert (len(sizes) == 1) == slow
        assert all(("mapping takes 10.0 s per GB" in one.note) == slow for one in own)


def test_arrays_together_are_whole_pages_of_the_size_of_one() -> None:
    memory = all_together(Memory(1920 * MiB, "few free"), "slow")
    assert memory.footprint(1) == memory.footprint(2) == memory.footprint(3) == 1920 * MiB
    assert all_together(Memory(64 * MiB, ""), "slow").footprint(3) == 72 * MiB
    assert memory.note == "few free; all arrays of a kernel have 1.88 GiB together, instead of 1.88 GiB each: slow"
    assert Memory(64 * MiB, "").footprint(3) == 192 * MiB


@pytest.mark.parametrize(
    ("byte_s", "limit_s", "slow"),
    [(0.0, 105.0, False), (2e-10, 105.0, False), (3e-9, 105.0, True), (3e-9, 600.0, False), (3e-9, 0.0, True)],
)
def test_a_longer_limit_leaves_time_for_larger_arrays(byte_s: float, limit_s: float, slow: bool) -> None:
    assert bool(too_slow(byte_s, 1 * GiB, limit_s)) == slow


def test_the_limit_that_is_proposed_suffices() -> None:
    assert too_slow(3e-9, 1 * GiB, 105.0).endswith("; try limit=330")
    assert not too_slow(3e-9, 1 * GiB, 330.0)


def test_a_limit_that_nobody_waits_for_is_not_proposed() -> None:
    assert too_slow(10e-9, 1 * GiB, 105.0).endswith("; try run stream and run loaded-latency, which take that time")


@pytest.mark.parametrize(("target", "mapped"), [("node:0", True), ("sim:optane100", False)])
def test_a_simulated_memory_is_never_slow_to_map(target: str, mapped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time that two points take to simulate is not a time of mapping."""
    monkeypatch.setattr(experiments, "seconds_per_byte", lambda _: 1.0)
    plan = suites["quick"].plan(made_machine(2), suites["quick"].read({"target": target}))
    assert any("mapping takes" in one.note for one in imagine(plan)) == mapped


@pytest.mark.parametrize(("byte_s", "left"), [(0.2e-9, False), (10e-9, True)])
def test_a_staircase_on_a_slow_host_ends_where_it_shows_the_caches(
    byte_s: float, left: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experiments, "seconds_per_byte", lambda _: byte_s)
    monkeypatch.setattr(latency, "find_cache", lambda *_: 16 * MiB)
    monkeypatch.setattr(latency, "shows_memory", lambda *_: True)
    plan = suites["quick"].plan(made_machine(2), suites["quick"].read({}))
    own = [one for one in imagine(plan) if one.table == "latency"]
    largest = max(one.groups[0].workload.footprint_bytes for one in own)
    assert (largest == REACHES) == left
    assert (
        any(
            "footprints up to 512 MiB: mapping takes 10.0 s per GB; try run latency for larger ones" in one.note
            for one in own
        )
        == left
    )
    assert len({one.groups[0].target.pages for one in own if one.groups[0].workload.footprint_bytes == largest}) == 2


def test_a_staircase_that_shows_no_cache_continues_however_long_mapping_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiments, "seconds_per_byte", lambda _: 10e-9)
    monkeypatch.setattr(latency, "find_cache", lambda *_: None)
    plan = suites["quick"].plan(made_machine(2), suites["quick"].read({}))
    assert max(one.groups[0].workload.footprint_bytes for one in imagine(plan) if one.table == "latency") > REACHES
