"""An experiment checks its numbers when it is made, and when it is read."""

import math
from pathlib import Path

import msgspec
import pytest

from made import Maker, add_stream
from tierscope.errors import OutOfRangeError, ResultError, UsageError
from tierscope.record.experiment import Schedule, Workload
from tierscope.record.result import load
from tierscope.record.work import Work
from tierscope.record.work.block import BlockWork
from tierscope.record.work.call import CallWork
from tierscope.record.work.hop import HopWork
from tierscope.record.work.key import KeyedWork
from tierscope.record.work.line import LineWork
from tierscope.record.work.task import TaskWork

SHARES, TIMES = ("precision", "confidence"), ("block_s", "minimum_s", "budget_s")


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("value", [0, -0.1, 1, 2.5, math.nan, math.inf])
def test_a_share_that_no_schedule_can_have_is_refused(name: str, value: float) -> None:
    with pytest.raises(OutOfRangeError, match=rf"schedule: {name}=.* above 0 and below 1; try {name}=0\.\d+$"):
        Schedule(**{name: value})


@pytest.mark.parametrize("name", TIMES)
@pytest.mark.parametrize("value", [0, -1e-3, math.nan, math.inf])
def test_a_time_that_no_schedule_can_have_is_refused(name: str, value: float) -> None:
    with pytest.raises(UsageError, match=rf"schedule: {name}=.* is not a time above 0; try {name}="):
        Schedule(**{name: value})


def test_a_schedule_that_is_changed_is_checked_again() -> None:
    with pytest.raises(OutOfRangeError, match="budget_s=0"):
        msgspec.structs.replace(Schedule(), budget_s=0)


@pytest.mark.parametrize(
    ("kind", "name", "value", "least"),
    [
        (LineWork, "streams", 0, 1),
        (LineWork, "unroll", 0, 1),
        (LineWork, "prefetch_bytes", -64, 0),
        (HopWork, "element_bytes", -1, 0),
        (BlockWork, "locality_bytes", -1, 0),
        (TaskWork, "limit_s", math.nan, 0),
        (KeyedWork, "count", -5, 0),
    ],
)
def test_a_number_that_no_work_can_have_is_refused(kind: type[Work], name: str, value: float, least: int) -> None:
    with pytest.raises(OutOfRangeError, match=f"workload: {name}=.* is not a number from {least}; try {name}="):
        kind(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["footprint_bytes", "pace_cycles", "burst_bytes", "per_block", "seed"])
def test_a_number_that_no_workload_can_have_is_refused(name: str) -> None:
    numbers = {"footprint_bytes": 4096, name: -1}
    with pytest.raises(OutOfRangeError, match=f"workload: {name}=-1 is not a number from 0"):
        Workload(kernel="read", work=LineWork(), **numbers)


@pytest.mark.parametrize(("kind", "name"), [(HopWork, "streams"), (LineWork, "element_bytes"), (CallWork, "count")])
def test_a_key_of_another_task_cannot_be_given(kind: type[Work], name: str) -> None:
    with pytest.raises(TypeError, match=name):
        kind(**{name: 1})  # type: ignore[arg-type]


def test_a_table_that_needs_the_work_of_another_task_is_refused() -> None:
    asked = Workload(kernel="chase", footprint_bytes=4096, work=HopWork(element_bytes=128))
    assert asked.of(HopWork).element_bytes == 128
    with pytest.raises(ResultError, match="kernel chase does the work of hop, and that of key is needed here"):
        asked.of(KeyedWork)


def test_a_stored_schedule_without_precision_is_damage(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_stream(maker, ("read",))
    path = maker.save().path / "result.json"
    path.write_text(path.read_text().replace('"minimum_s": 0.2', '"minimum_s": 0', 1))
    with pytest.raises(ResultError, match=r"is damaged: schedule: minimum_s=0\.0 .*schedule"):
        load(path.parent)
