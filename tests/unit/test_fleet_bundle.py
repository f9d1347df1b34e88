"""The bundles of hosts: complete ones are read, and all others have a reason."""

import time
from pathlib import Path

import pytest

from tierscope.errors import MachineError, UsageError
from tierscope.fleet.canary import VISITS, canary
from tierscope.fleet.payload.bundle import read_bundle
from tierscope.fleet.payload.report import Asked, _clock, report_of
from tierscope.fleet.plan import metric_of
from tierscope.fleet.session_hosts import read_hosts

WHOLE = b"Welcome!\ntierscope-bundle 1\npart output 5\na\nb\nc\npart root/proc/x 0\n\nend 0\n"


def test_a_greeting_before_a_bundle_is_skipped() -> None:
    found = read_bundle(WHOLE)
    assert found.parts == {"output": b"a\nb\nc", "root/proc/x": b""}
    assert found.status == 0


@pytest.mark.parametrize("size", range(WHOLE.index(b"part output"), len(WHOLE) - 1 - len(b"end 0")))
def test_a_bundle_that_is_cut_anywhere_is_refused(size: int) -> None:
    with pytest.raises(MachineError, match="cut off"):
        read_bundle(WHOLE[:size])


def test_garbage_a_refusal_and_silence_have_their_reasons() -> None:
    with pytest.raises(MachineError, match=r"4 bytes of something else: '.*1b\[2J'"):
        read_bundle(b"\x1b[2J")
    with pytest.raises(MachineError, match="the host refused: another measurement"):
        read_bundle(b"\ntierscope-refused another measurement runs\n")
    with pytest.raises(MachineError, match="answered nothing"):
        read_bundle(b"\n")


def test_an_answer_without_its_time_is_not_one_of_1970() -> None:
    asked = Asked("h", "plan", "2026-01-01", 0, {}, 0.0)
    with pytest.raises(MachineError, match="does not state when it began"):
        report_of(WHOLE, asked)


def test_no_part_leaves_the_folder_of_a_host(tmp_path: Path) -> None:
    bad = b"tierscope-bundle 1\npart root/../../evil 1\nx\nend 0\n"
    read_bundle(bad).root(tmp_path / "in")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_the_canary_has_20_to_50_rows_of_three_visits_and_lasts_under_20_seconds() -> None:
    measures = [line for line in canary().text.splitlines() if line.startswith("measure ")]
    metrics = [metric_of(line.replace("@base@", "4k")) for line in measures]  # as a host does
    assert 20 <= len(set(metrics)) <= 50
    assert {metrics.count(one) for one in metrics} == {VISITS}
    assert sum(float(line.split()[1].partition("=")[2]) for line in measures) < 10  # mapping takes as long again


def test_a_hosts_file_has_facts_and_refuses_duplicates(tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_text("a rack=r1  # first\n\nb\n")
    assert read_hosts(path) == {"a": {"rack": "r1"}, "b": {}}
    path.write_text("a\na\n")
    with pytest.raises(UsageError, match="line 2: a is listed twice"):
        read_hosts(path)


@pytest.mark.parametrize(("after_s", "stated"), [(-7200.0, -7200), (-200.0, 0), (4000.0, 0), (10_000.0, 5000)])
def test_the_offset_of_a_clock_is_what_no_begin_of_the_session_explains(
    after_s: float, stated: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host may have begun at any time between the begin of the session and now, 5,000 s later."""
    monkeypatch.setattr(time, "time", lambda: 6000.0)
    found = _clock(1000.0 + after_s, Asked("h", "p", "2026-01-01", 0, {}, started=1000.0))
    assert int(found.get("clock_offset_s", "0")) == stated
