"""An imported file is a run like any other, but for what cannot be repeated."""

import json
from pathlib import Path

import pytest

from said import refused, say
from tierscope.errors import Exit
from tierscope.imports import read
from tierscope.record.result import load

DATA = Path(__file__).parents[1] / "data/imports"
FILES = sorted(path.name for path in DATA.iterdir())
PLAIN = "multichase-plain.txt"  # a number alone: nobody can know what it is


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")


@pytest.mark.parametrize("name", FILES)
def test_an_imported_file_is_a_run_that_is_shown_reported_and_audited(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["--as", "multichase"] if name == PLAIN else []
    status, out, _ = say(capfd, "import", str(DATA / name), "--out", "r", *words)
    assert status == Exit.GOOD
    assert "IMPORTED: " in out
    run = load(tmp_path / "r")
    assert run.result.readings == read(DATA / name, "multichase" if name == PLAIN else "")[1].readings
    assert (tmp_path / "r/imported" / name).read_bytes() == (DATA / name).read_bytes()
    assert say(capfd, "show", "r")[0] == Exit.GOOD
    assert say(capfd, "audit", "r")[0] == Exit.GOOD
    assert "IMPORTED" in (tmp_path / "r/report-imported.html").read_text()


def test_an_imported_run_is_not_run_again(capfd: pytest.CaptureFixture[str]) -> None:
    say(capfd, "import", str(DATA / "stream.txt"), "--out", "r")
    for command, what in (("rerun", "repeated"), ("resume", "resumed")):
        status, why = refused(capfd, command, "r")
        assert status == Exit.USAGE
        assert f"r was measured by another tool and cannot be {what}" in why
    for words in (["import", str(DATA / "stream.txt")], ["run", "quick"]):
        status, why = refused(capfd, *words, "--out", "r")
        assert status == Exit.USAGE
        assert "contains an imported run, which cannot be resumed; name a new directory" in why
    assert "tierscope rerun" not in (Path("r") / "report-imported.html").read_text()


def test_its_json_contains_all_readings(capfd: pytest.CaptureFixture[str]) -> None:
    say(capfd, "import", str(DATA / "stream.txt"), "--out", "r")
    rows = json.loads(say(capfd, "show", "r", "--json")[1])["rows"]
    assert [row["test"] for row in rows] == ["copy", "scale", "add", "triad"]
    assert {row["table"] for row in rows} == {"imported"}
    assert rows[0]["bandwidth_bytes_per_s"] == 9271.1e6
