"""Plans of a fleet that change or that run on one day, and the history of one host."""

import hashlib
import re
from pathlib import Path

import msgspec
import pytest

from fleet_reports import changed, made, reasons, reports
from tierscope.errors import ResultError, UsageError
from tierscope.fleet.canary import canary
from tierscope.fleet.compact import compact
from tierscope.fleet.fold import collect
from tierscope.fleet.folder import report_path
from tierscope.fleet.history import history
from tierscope.fleet.history_text import lines as history_lines
from tierscope.fleet.host_report import HostReport
from tierscope.fleet.outliers import outliers
from tierscope.fleet.page.load import read_fleet
from tierscope.fleet.plan import BASE, FleetPlan
from tierscope.fleet.same_plan import same_plan
from tierscope.fleet.session import Session, begin
from tierscope.fleet.trend import trend

DAYS = ("2026-01-19", "2026-01-20", "2026-01-21", "2026-02-09", "2026-02-10")


def test_a_plan_that_changed_between_two_days_is_listed_and_the_days_are_not_compared(tmp_path: Path) -> None:
    at = made(tmp_path / "fleet")
    for path in reports(at, "2026-01-02"):
        changed(path, plan="another")
    assert "the plan changed since 2026-01-01; numbers of two plans are not compared" in reasons(at, "2026-01-02")
    assert (outliers(at).result.plan, outliers(at).result.machines) == ("another", 14)
    found = trend(at)
    assert (found.plan, found.days) == ("another", 1)
    assert [one.what for one in found.listed if "reports of other plans alone" in one.reason] == ["1 day"]
    assert trend(at, "imagined").first == "2026-01-01"
    assert outliers(at, plan="imagined").result.day == "2026-01-01"
    with pytest.raises(ResultError, match="no first sessions of the plan nothing on any day; tierscope fleet collect"):
        outliers(at, plan="nothing")
    with pytest.raises(ResultError, match="no first session of the plan nothing; name another with --plan"):
        trend(at, "nothing")


def test_the_canary_is_the_same_plan_however_a_version_spelled_the_smallest_pages() -> None:
    """Versions before named them 4k; one gave the digest of the text that leaves them to the host."""
    text = canary().text
    assert BASE in text
    assert canary().digest == FleetPlan("canary", text.replace(BASE, "4k")).digest == "07a30d4ed37f"
    assert same_plan(hashlib.sha256(text.encode()).hexdigest()[:12]) == canary().digest
    assert FleetPlan("canary", text.replace("0.1", "0.2")).digest != canary().digest


def test_a_fleet_keeps_its_history_where_a_version_named_its_plan_otherwise(tmp_path: Path) -> None:
    """A year of the first spelling, days of the second, and the first again; one host has a planted step."""
    at = made(tmp_path / "fleet", machines=30, days=60, faults="step:1")
    one = made(tmp_path / "one", machines=30, days=60, faults="step:1")
    for folder in (at, one):
        for path in sorted((folder / "reports").glob("*/*.json")):
            day = path.parent.name
            spelled = folder == at and "2026-01-20" <= day < "2026-02-10"
            changed(path, plan="a215163d7f03" if spelled else "07a30d4ed37f")
    found, wanted = trend(at), trend(one)
    assert (found.plan, found.days, found.first) == ("07a30d4ed37f", 60, "2026-01-01")
    assert found == wanted
    assert len(found.changes) == 1
    assert outliers(at).result == outliers(one).result
    assert not re.search("the plan changed|2 plans|other plans", "\n".join(reasons(at, day) for day in DAYS))
    assert trend(at, "a215163d7f03") == wanted
    host = found.changes[0].host
    assert history(at, host) == history(one, host)


def test_a_session_of_the_other_spelling_continues(tmp_path: Path) -> None:
    asked = Session(via="local", plan_name="canary", plan=canary().digest, day="2026-01-02", session=0, hosts={"a": {}})
    folder = tmp_path / "sessions" / asked.folder
    folder.mkdir(parents=True)
    old = msgspec.structs.replace(asked, plan="a215163d7f03")
    (folder / "session.json").write_bytes(msgspec.json.encode(old))
    assert begin(tmp_path, asked, canary()).plan == canary().digest


def test_the_named_one_of_two_plans_of_a_day_is_judged(tmp_path: Path) -> None:
    """A suite on some hosts next to the canary on all: each host counts once, by its plan."""
    at = made(tmp_path / "fleet", machines=30)
    for path in reports(at, "2026-01-02")[:14]:
        report = msgspec.json.decode(path.read_bytes(), type=HostReport)
        other = msgspec.structs.replace(report, plan="digest-of-stream")
        report_path(at, other).write_bytes(msgspec.json.encode(other))
    folder = at / "sessions/2026-01-02-stream-0"
    folder.mkdir(parents=True)
    state = Session(via="local", plan_name="stream", plan="digest-of-stream", day="2026-01-02", session=0, hosts={})
    (folder / "session.json").write_bytes(msgspec.json.encode(state))
    assert outliers(at).result.machines == 30
    assert outliers(at, plan="stream").result.machines == 14
    assert trend(at, "stream").machines == 14
    assert len(read_fleet(at).machines) == 30
    assert len(read_fleet(at, "stream").machines) == 14


def test_a_history_is_the_same_from_days_and_from_a_compacted_month(tmp_path: Path) -> None:
    at = made(tmp_path / "fleet", days=3, start="2026-01-30")
    collect(at)
    from_days = history(at, "host03")
    assert len(from_days) == 3 * 4
    assert (compact(at), compact(at)) == (1, 0)
    assert history(at, "host03") == from_days
    reports(at, "2026-01-30")[0].unlink()
    collect(at)
    assert compact(at) == 1


def test_a_history_is_printed_by_metric_and_by_session(tmp_path: Path) -> None:
    at = made(tmp_path / "fleet", days=3)
    collect(at)
    found = history(at, "host03")
    names = [line.partition(":")[0] for line in history_lines(found, None)]
    assert names == ["latency.1", "latency.3", "stream.read.0", "stream.write.2"]
    (first, *_) = history_lines(found, "latency.1")
    assert re.fullmatch(
        r"2026-01-01: [0-9.]+ ns \([0-9.]+ ns to [0-9.]+ ns\), [0-9.]+ % (slower|faster) than its peers", first
    )
    assert len([*history_lines(found, "latency.1")]) == 3
    alone = [*history_lines([msgspec.structs.replace(found[0], deviation=None)], None)]
    assert alone[0].endswith(", without peers")
    with pytest.raises(UsageError, match="this host has no metric 'latency'; some that it has: latency.1"):
        [*history_lines(found, "latency")]
