"""What is to be measured checks its numbers when it is made, and when it is read."""

import math
from pathlib import Path

import msgspec
import pytest

from made import Maker, add_stream
from tierscope.errors import OutOfRangeError, ResultError, UsageError
from tierscope.record.experiment import Schedule, Workload
from tierscope.record.result import load

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
    ("name", "value"), [("footprint_bytes", -1), ("streams", 0), ("unroll", 0), ("limit_s", math.nan), ("count", -5)]
)
def test_a_number_that_no_workload_can_have_is_refused(name: str, value: float) -> None:
    numbers = {"footprint_bytes": 4096, name: value}
    with pytest.raises(OutOfRangeError, match=f"workload: {name}="):
        Workload(kernel="read", **numbers)  # type: ignore[arg-type]


def test_a_stored_schedule_without_precision_is_damage(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_stream(maker, ("read",))
    path = maker.save().path / "result.json"
    path.write_text(path.read_text().replace('"minimum_s": 0.2', '"minimum_s": 0', 1))
    with pytest.raises(ResultError, match=r"is damaged: schedule: minimum_s=0\.0 .*schedule"):
        load(path.parent)
