"""The fold of a fleet's reports: what is broken is listed with a reason, and nothing stops it."""

import json
from pathlib import Path

import msgspec
import pytest

from fleet_reports import changed, made, reasons, reports
from tierscope.errors import Exit, ResultError, UsageError
from tierscope.fleet.fold import collect
from tierscope.fleet.folder import report_path
from tierscope.fleet.history import history
from tierscope.fleet.host_report import HostReport
from tierscope.fleet.outliers import outliers
from tierscope.fleet.outliers_text import lines, status
from tierscope.fleet.store import Store
from tierscope.fleet.trend import trend
from tierscope.fleet.trend_text import status as trend_status


def read(at: Path, day: str) -> dict[str, str]:
    """Return the machine of each host of a folded day."""
    record = next(one for one in collect(at).days if one.day == day)
    with Store(at) as store:
        found = store.query("SELECT host, machine FROM {files}", record.files["scores"])
    return dict(zip(found["host"].tolist(), found["machine"].tolist(), strict=True))


def identity(path: Path) -> str:
    return msgspec.json.decode(path.read_bytes(), type=HostReport).machine


HOSTILE = {
    "empty": (b"", "truncated"),
    "not JSON": (b"<html>", "malformed"),
    "deep": (b"[" * 100_000, "got `array`"),
    "unknown field": (b'{"schema": 1, "rm": 2}', "unknown field"),
    "binary": (b"\xff\xfe\x00", "malformed"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_broken_report_is_listed_and_the_others_are_folded(tmp_path: Path, name: str) -> None:
    at = made(tmp_path / "fleet")
    text, reason = HOSTILE[name]
    (at / "reports/2026-01-02/zz.json").write_bytes(text)
    (record,) = [one for one in collect(at).days if one.day == "2026-01-02"]
    (listed,) = record.listed
    assert record.reports == 14
    assert listed.what == "2026-01-02/zz.json"
    assert reason in listed.reason.lower()


def test_a_report_that_is_not_a_regular_file_or_too_long_blocks_nothing(tmp_path: Path) -> None:
    import os

    at = made(tmp_path / "fleet")
    os.mkfifo(at / "reports/2026-01-02/zy.json")
    with open(at / "reports/2026-01-02/zz.json", "wb") as file:
        file.truncate(1 << 30)
    assert "not a regular file" in reasons(at, "2026-01-02")
    assert "has 1073741824 bytes" in reasons(at, "2026-01-02")


def test_a_key_that_is_stated_twice_is_refused(tmp_path: Path) -> None:
    at = made(tmp_path / "fleet")
    path = reports(at, "2026-01-02")[0]
    path.write_bytes(path.read_bytes().replace(b'{"schema":1,', b'{"schema":1,"session":1,', 1))
    assert "states 'session' twice" in reasons(at, "2026-01-02")


def test_a_value_outside_its_interval_or_on_another_day_is_refused(tmp_path: Path) -> None:
    at = made(tmp_path / "fleet")
    first, second, third, *_ = reports(at, "2026-01-02")
    number = msgspec.json.decode(first.read_bytes(), type=HostReport).numbers[0]
    changed(first, numbers=(msgspec.structs.replace(number, low=number.high * 2),))
    changed(second, day="2026-01-01")
    changed(third, schema=2)
    told = reasons(at, "2026-01-02")
    assert "is not in its interval" in told
    assert "it states the day 2026-01-01" in told
    assert "schema 2 is from a later version" in told


HUGE = {
    "a count": ("wrong_answers", 10**30),
    "blocks": ("numbers", [{"blocks": 2**63}]),
    "a value": ("numbers", [{"value": 1e308, "low": 1e308, "high": 1e308}]),
    "a peak": ("peak_bytes_per_s", 1e-320),
}


@pytest.mark.parametrize("name", HUGE)
def test_a_number_that_does_not_fit_in_the_store_is_listed_and_the_others_are_folded(tmp_path: Path, name: str) -> None:
    at = made(tmp_path / "fleet")
    path = reports(at, "2026-01-02")[0]
    report = msgspec.json.decode(path.read_bytes())
    key, value = HUGE[name]
    given = [report["numbers"][0] | value[0]] if isinstance(value, list) else value
    path.write_bytes(json.dumps(report | {key: given}).encode())
    assert "Expected `" in reasons(at, "2026-01-02")
    assert collect(at).days[1].reports == 13


def test_a_folder_without_a_date_of_the_calendar_is_not_a_day(tmp_path: Path) -> None:
    at = made(tmp_path / "fleet")
    for name in ("2026-02-31", "2026-13-01", "2026-1-1"):
        (at / "reports" / name).mkdir()
    assert [one.day for one in collect(at).days] == ["2026-01-01", "2026-01-02"]


def test_clones_duplicates_and_silent_hosts_are_listed(tmp_path: Path) -> None:
    at = made(tmp_path / "fleet", faults="cloned:2,duplicate:1,missing:1")
    told = reasons(at, "2026-01-02")
    assert "2 hosts report this machine identity" in told
    assert "the same report of session 0 on 2026-01-02 is there twice" in told
    assert "answered on 2026-01-01, and not on this day" in told
    assert outliers(at).result.machines == 13


def test_a_clone_keeps_its_identity_on_days_on_which_the_other_is_silent(tmp_path: Path) -> None:
    at = made(tmp_path / "fleet", days=3, faults="cloned:2")
    collect(at)
    (first, _) = [one for one in read(at, "2026-01-03").values() if "@" in one]
    gone = next(path for path in reports(at, "2026-01-03") if identity(path) == first.partition("@")[0])
    gone.unlink()
    left = [one for one in read(at, "2026-01-03").values() if "@" in one]
    assert left == [one for one in read(at, "2026-01-02").values() if one in left]
    assert len(left) == 1


def test_two_names_of_one_machine_are_distinguished_from_a_copied_image(tmp_path: Path) -> None:
    at = made(tmp_path / "fleet")
    for path, name in zip(reports(at, "2026-01-02"), ("n1", "n1.example.org"), strict=False):
        facts = msgspec.json.decode(path.read_bytes(), type=HostReport).facts
        changed(path, host=name, machine="same", facts=facts | {"hostname": "n1"})
    assert "2 of them call themselves n1: if that is one machine, list it once" in reasons(at, "2026-01-02")


def test_a_machine_that_is_renamed_between_two_sessions_of_a_day_is_not_a_clone(tmp_path: Path) -> None:
    at = made(tmp_path / "fleet")
    report = msgspec.json.decode(reports(at, "2026-01-02")[0].read_bytes(), type=HostReport)
    later = msgspec.structs.replace(report, host="renamed", session=1)
    report_path(at, later).write_bytes(msgspec.json.encode(later))
    assert read(at, "2026-01-02")["renamed"] == report.machine


def test_clocks_names_plans_and_versions_that_differ_are_listed(tmp_path: Path) -> None:
    at = made(tmp_path / "fleet")
    first, second, third, fourth, ahead, behind, odd, *_ = reports(at, "2026-01-02")
    changed(first, at=0.0)
    changed(second, host="renamed")
    changed(third, plan="another")
    changed(fourth, tierscope="0.0.9")
    for path, offset in ((ahead, "7200"), (behind, "-16200"), (odd, "9" * 300)):
        changed(path, facts={"clock_offset_s": offset})
    told = reasons(at, "2026-01-02")
    assert "its clock is 490" in told
    assert told.count("its clock is at least") == 2
    assert "its clock is at least 2.0 h ahead of that of the controller" in told
    assert "its clock is at least 4.5 h behind that of the controller" in told
    assert "renamed: was named host" in told
    assert "2 plans: imagined (13), another (1)" in told
    assert "2 versions of Tierscope" in told


def test_a_second_fold_reads_nothing_and_a_changed_report_is_folded_again(tmp_path: Path) -> None:
    at = made(tmp_path / "fleet")
    assert (collect(at).new, collect(at).new) == (2, 0)
    before = collect(at).days
    reports(at, "2026-01-02")[0].unlink()
    folded = collect(at)
    assert folded.new == 1
    assert [one.reports for one in folded.days] == [14, 13]
    assert not any((at / "store" / path).exists() for paths in before[1].files.values() for path in paths)


def test_a_fold_that_was_killed_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = made(tmp_path / "fleet")
    before = collect(at).days
    reports(at, "2026-01-02")[0].unlink()
    monkeypatch.setattr(Store, "keep", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        collect(at)
    monkeypatch.undo()
    with Store(at) as store:
        assert tuple(store.days().values()) == before
        assert len(store.query("SELECT host FROM {files}", before[1].files["scores"])["host"]) == 14


def test_a_store_of_a_later_version_is_refused_and_rows_without_a_column_are_read(tmp_path: Path) -> None:
    at = made(tmp_path / "fleet")
    day = collect(at).days[0]
    with Store(at) as store:
        (path,) = day.files["rows"]
        store.copy("rows/old.parquet", f"SELECT * EXCLUDE (conclusive) FROM {store.source([path])}")
        found = store.query("SELECT conclusive FROM {files}", ["rows/old.parquet", path])
        assert found["conclusive"].mask.sum() == 14 * 4
        store.keep(msgspec.structs.replace(day, schema=99))
    with pytest.raises(ResultError, match="schema 99"):
        collect(at)


def test_a_record_of_a_day_that_lacks_a_field_of_today_is_read_and_not_folded_again(tmp_path: Path) -> None:
    at = made(tmp_path / "fleet")
    collect(at)
    for path in (at / "store/days").glob("*.json"):
        record = msgspec.json.decode(path.read_bytes())
        del record["cloned"]
        path.write_bytes(msgspec.json.encode(record))
    assert collect(at).new == 0
    assert outliers(at).result.machines == 14


def test_an_empty_fleet_one_host_and_no_directory_have_their_messages(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="run tierscope fleet run or tierscope fleet imagine"):
        outliers(tmp_path)
    (tmp_path / "reports/2026-01-01").mkdir(parents=True)
    assert "no usable report" in reasons(tmp_path, "2026-01-01")
    for ask in (outliers, trend):
        with pytest.raises(ResultError, match="no usable reports"):
            ask(tmp_path)
    alone = made(tmp_path / "one", machines=1)
    found = outliers(alone).result
    assert (found.machines, found.suspects, found.groups) == (1, (), ())
    assert any("fewer than 12 machines" in one.reason for one in found.listed)
    assert status(found) == trend_status(trend(alone)) == Exit.INCONCLUSIVE
    assert "  1 host not compared with peers: too few are like them" in "\n".join(lines(found, None, alone))


def test_a_name_with_quotes_and_braces_is_text(tmp_path: Path) -> None:
    at = made(tmp_path / "fl*et [x] {y}")
    path = reports(at, "2026-01-02")[0]
    changed(path, host="a'; DROP {x}", plan="imagined")
    assert collect(at).days[1].reports == 14
    assert {point.day for point in history(at, "a'; DROP {x}")} == {"2026-01-01", "2026-01-02"}  # by both of its names
    with pytest.raises(UsageError, match="no report in .* is of 'nobody'"):
        history(at, "nobody")


def test_the_path_of_a_report_has_no_foreign_text(tmp_path: Path) -> None:
    at = made(tmp_path / "fleet")
    report = msgspec.json.decode(reports(at, "2026-01-02")[0].read_bytes(), type=HostReport)
    path = report_path(tmp_path, msgspec.structs.replace(report, host="../../$(rm -rf)", machine="a/b"))
    assert path.parent == tmp_path / "reports/2026-01-02"
    assert path.stem.isalnum()
