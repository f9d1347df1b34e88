"""`run background` on a made machine: it finds planted traffic, ignores a slow core, and reports the unknown."""

from pathlib import Path

import msgspec
import pytest

from made_background import background_run
from tierscope.cli.main import main
from tierscope.record.background import Background
from tierscope.record.result import Run
from tierscope.suites.background.row import BackgroundRow
from tierscope.tables import Insight, tables


def rows(run: Run) -> list[BackgroundRow]:
    return tables["background"].rows(run)


def said(run: Run) -> Insight:
    return tables["background"].insights(run, rows(run))[0]


def test_planted_traffic_is_found_in_the_whole_and_in_each_window(tmp_path: Path) -> None:
    run = background_run(tmp_path / "run", 8e9)
    whole, *windows = rows(run)
    assert len(windows) >= 2
    assert {row.state for row in (whole, *windows)} == {"some"}
    assert all(row.traffic and row.traffic.low <= 8e9 <= row.traffic.high for row in (whole, *windows))
    assert whole.conclusive
    assert said(run).text.startswith("Memory traffic of others: about ")
    assert said(run).low


def test_without_others_nothing_is_claimed(tmp_path: Path) -> None:
    run = background_run(tmp_path / "run", 0.0)
    assert {row.state for row in rows(run)} == {"below"}
    assert all(row.traffic and row.traffic.low == 0 and row.traffic.high < 4e9 for row in rows(run))
    assert "less than this probe can see" in said(run).text
    assert said(run).value is None


def test_a_core_that_is_slower_itself_does_not_count_as_traffic(tmp_path: Path) -> None:
    whole, *_ = rows(background_run(tmp_path / "run", 0.0, 1.1))  # within the curve: beyond its end nothing is known
    assert whole.traffic
    assert whole.over_idle
    assert whole.over_idle.middle == pytest.approx(1.1, rel=0.02)
    assert whole.slower == pytest.approx(1.1, rel=0.02)
    assert whole.traffic.low == 0.0


def test_traffic_beyond_the_curve_is_at_least_its_end(tmp_path: Path) -> None:
    run = background_run(tmp_path / "run", 28e9)
    whole, *_ = rows(run)
    assert whole.state == "more"
    assert said(run).text.startswith("Memory traffic of others: at least ")
    assert said(run).high is None


def test_a_curve_measured_with_other_programs_is_not_used(tmp_path: Path) -> None:
    run = background_run(tmp_path / "run", 0.0)
    result = run.result
    busy = Background(cpus=1.5)
    records, visits = (
        tuple(msgspec.structs.replace(one, background=busy) for one in every)
        for every in (result.records, result.visits)
    )
    found = Run(path=run.path, result=msgspec.structs.replace(result, records=records, visits=visits))
    assert {row.state for row in rows(found)} == {"not known"}
    assert not said(found).conclusive
    assert "other programs used 1.5 CPUs" in said(found).text


def test_the_curve_of_another_run_is_used_and_kept(tmp_path: Path) -> None:
    background_run(tmp_path / "quiet", 0.0)
    run = background_run(tmp_path / "run", 8e9, 1.0, f"curve={tmp_path / 'quiet'}")
    (record,) = run.result.records
    assert "known" in record.experiment.labels
    whole, *_ = rows(run)
    assert whole.traffic
    assert whole.traffic.low <= 8e9 <= whole.traffic.high


def test_a_run_without_loads_has_no_curve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    background_run(tmp_path / "quiet", 0.0)
    run = background_run(tmp_path / "run", 0.0, 1.0, f"curve={tmp_path / 'quiet'}")
    words = ["run", "background", f"curve={run.path}", "--out", str(tmp_path / "other"), "--quiet"]
    assert main(words) == 2
    assert capsys.readouterr().err
