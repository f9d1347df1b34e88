"""A run that is stopped anywhere and taken up again ends as one that was never stopped."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from lab import Lab, Watch, group, lab_in, plan_of, point
from tierscope.errors import CoreError
from tierscope.plans import Plan
from tierscope.record.result import load, read_blocks
from tierscope.units import MiB


def plan() -> Plan:
    """The later footprints rest on what the first points show; walks are calibrated, and remembered."""
    fastest = 0.0
    for size in (1, 4, 16):
        answer = yield point(group("chase", size=size * MiB))
        fastest = max(fastest, answer.rate() or 0.0)
    size = 256 * MiB if fastest > 1e8 else 64 * MiB
    for kernel in ("triad", "copy", "triad"):
        yield point(group(kernel, (0, 1), size), calibrate=True)


PLANNED = 6


def timeless(lab: Lab) -> dict[str, Any]:
    """All of the result but the times."""
    result = msgspec.to_builtins(load(lab.directory).result)
    for record in result["records"]:
        del record["started"], record["seconds"]
    return dict(result)


def same(a: Lab, b: Lab) -> bool:
    samples = [[read_blocks(lab.directory / record.samples) for record in lab.records] for lab in (a, b)]
    return timeless(a) == timeless(b) and all(np.array_equal(x, y) for x, y in zip(*samples, strict=True))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    with pytest.MonkeyPatch.context() as monkeypatch:
        lab = lab_in(tmp_path_factory.mktemp("whole") / "run", monkeypatch)
        assert len(lab(plan).records) == PLANNED
    return lab


@pytest.mark.parametrize("stop", range(PLANNED))
def test_stopped_after_any_record(whole: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int) -> None:
    lab = lab_in(tmp_path / "run", monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        lab(plan, Watch(stop_after=stop))
    watch = Watch()
    lab(plan, watch)
    assert watch.resumed == [True] * (stop + 1) + [False] * (PLANNED - stop - 1)
    assert same(lab, whole)


@pytest.mark.parametrize("stop", [0, 5, 20, 40])
def test_stopped_within_any_record(whole: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int) -> None:
    lab = lab_in(tmp_path / "run", monkeypatch)
    lab.core.dies_at = stop
    with pytest.raises(CoreError):
        lab(plan)
    lab.core.dies_at = -1
    lab(plan)
    assert same(lab, whole)


def test_stopped_after_each_record(whole: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = lab_in(tmp_path / "run", monkeypatch)
    for stop in range(PLANNED):
        with pytest.raises(KeyboardInterrupt):
            lab(plan, Watch(stop_after=stop))
    lab(plan)
    assert same(lab, whole)


def test_samples_without_a_record_are_measured_again(
    whole: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between the two writes, and while a file had its temporary name."""
    lab = lab_in(tmp_path / "run", monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        lab(plan, Watch(stop_after=1))
    for name in ("0002.parquet", ".0003.parquet.part"):
        (lab.directory / "samples" / name).write_bytes(b"half")
    lab(plan)
    assert same(lab, whole)


def test_records_of_another_plan_are_dropped_from_the_first_that_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = lab_in(tmp_path / "run", monkeypatch)
    lab(plan_of(point(), point(group("copy")), point(group("read"))))
    watch = Watch()
    lab(plan_of(point(), point(group("scale"))), watch)
    assert watch.resumed == [True, False]
    assert [record.groups[0].kernel for record in lab.records] == ["triad", "scale"]


def test_a_plan_that_became_shorter_keeps_no_tail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = lab_in(tmp_path / "run", monkeypatch)
    lab(plan_of(point(), point(group("copy"))))
    lab(plan_of(point()))
    assert len(lab.records) == 1
