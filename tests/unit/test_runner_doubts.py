"""The doubts of a record that an expert would ask about."""

from pathlib import Path

import msgspec
import pytest

from fake_core import FakeSession
from lab import EMPTY, Lab, group, lab_in, plan_of, point
from tierscope.record.result import blocks_of
from tierscope.stats.judged import judge_record
from tierscope.units import MiB


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    return lab_in(tmp_path, monkeypatch)


def _codes(lab: Lab) -> list[str]:
    (record,) = lab.records
    return [warn.code for warn in record.warnings]


def test_a_quiet_machine_gives_no_doubts(lab: Lab) -> None:
    lab(plan_of(point()))
    assert _codes(lab) == []


def test_less_memory_than_the_rule_asks_is_a_doubt(lab: Lab) -> None:
    lab(plan_of(point(note="arrays of 8 MiB instead of 2 GiB: limited by half of the free memory")))
    assert _codes(lab) == ["smaller"]


def test_smaller_pages_than_asked_are_a_doubt(lab: Lab) -> None:
    lab.core.pages = "4096"
    lab(plan_of(point()))
    assert _codes(lab) == ["pages"]
    assert "0 B of 1 GiB are on thp pages" in lab.records[0].warnings[0].message


def test_a_footprint_below_a_large_page_has_no_large_page_to_miss(lab: Lab) -> None:
    lab.core.pages = "4096"
    lab(plan_of(point(group(size=MiB))))
    assert _codes(lab) == []


def test_a_busy_machine_is_a_doubt(lab: Lab) -> None:
    lab.core.preempted = 0.7
    lab(plan_of(point()))
    assert _codes(lab) == ["busy"]
    (warn,) = lab.records[0].warnings
    assert "because threads were interrupted" in warn.message
    assert "quiet machine" in warn.next_step


def test_a_quiet_machine_that_fills_its_caches_most_of_the_time_is_not_busy(lab: Lab) -> None:
    """Each batch of 10 ms begins with a walk of the cache, which takes most of it: no one interrupts anything."""
    lab.core.speed = lambda group: 16384 / 7e-3  # lines of 1 MiB, once in 7 ms
    lab(plan_of(point(group("chase", size=MiB), minimum_s=0.01)))
    (record,) = lab.records
    caches = EMPTY.machine.identity.caches
    blocks = blocks_of(lab.directory, record)
    found = judge_record(blocks, record.clock.hz, record.experiment, record.groups, record.takes, caches)
    assert found.points[0].together.left_out_share > 0.5
    assert _codes(lab) == []


def test_a_simulation_that_is_disturbed_is_not_to_wait_for_a_quiet_machine(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.core.preempted = 0.7
    of_hardware = FakeSession._facts
    simulated = lambda self, group: msgspec.structs.replace(of_hardware(self, group), origin="simulated")  # noqa: E731
    monkeypatch.setattr(FakeSession, "_facts", simulated)
    lab(plan_of(point()))
    assert _codes(lab) == ["busy"]
    assert "quiet" not in lab.records[0].warnings[0].next_step
    assert "noise=" in lab.records[0].warnings[0].next_step


def test_empty_moments_of_single_timed_operations_raise_no_doubt(lab: Lab) -> None:
    lab.core.preempted = 0.7
    single = msgspec.structs.replace(group(), workload=msgspec.structs.replace(group().workload, per_block=1))
    lab(plan_of(point(single)))
    assert _codes(lab) == []
